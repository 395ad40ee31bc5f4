"""What `dctx setup` would do, decided before anything is written: a list of steps, each with a sentence
and the files that it changes. Then done, step by step.
"""

from __future__ import annotations

import os
from functools import partial

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.record import Record
from director_ctx.base.system.clock import local_minute
from director_ctx.base.text import counted
from director_ctx.clients.file_change import carry_out as write_changes
from director_ctx.clients.parts.part import HOOKS, RULES, SERVER, USER, Wish
from director_ctx.clients.parts.table import PARTS, USUAL
from director_ctx.clients.program import plugin_file
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.setup.record import SetupRecord, read_record, write_record
from director_ctx.clients.table import CLIENTS, PROMPT
from director_ctx.other_plans.find import find_plan
from director_ctx.other_plans.take_over import Taking, plan_taking
from director_ctx.other_plans.write import write_taking
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.taken import TITLES
from director_ctx.upkeep.init import make_folder, template_files
from director_ctx.upkeep.settings_file import PATH, mistakes_in, read_config_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from director_ctx.clients.file_change import Ahead
    from director_ctx.clients.parts.part import Changes, Installed, Part
    from director_ctx.clients.setup.here import SetupPlace

FOLDER_STEP, PLAN_STEP = "folder", "plan"
"""Other steps are called as the part that they are about."""


class SetupRequest(Record):
    """What is wanted."""

    clients: tuple[str, ...]
    parts: tuple[str, ...] = USUAL
    wish: Wish = Wish()
    take_over: tuple[str, ...] = ()
    """Names of the tools whose plans are taken over."""
    makes_folder: bool = True
    for_user: bool = False
    """Whether it is for every project."""


class SetupStep(Record):
    """One thing to do, or one that is as it is for the reason that is said."""

    name: str
    says: str
    client: str = ""
    changes: Changes = ()
    """Changes of a client's files,"""
    templates: tuple[str, ...] = ()
    """files of a new folder,"""
    taking: Taking | None = None
    """what taking a plan over does,"""
    removes_folder: bool = False
    """or that the folder goes."""
    heir: str = ""
    """The client for which files stay that were another's."""
    problem: str = ""
    """Why it cannot be done."""
    hint: str = ""

    @property
    def is_to_do(self) -> bool:
        """Whether something has to be done, and can be."""
        has_work = self.changes or self.templates or self.taking or self.removes_folder
        return bool(has_work) and not self.problem

    def failed(self, error: DctxError) -> SetupStep:
        return self.replace(problem=error.message, hint=error.hint)

    @property
    def new_files(self) -> list[str]:
        return [f"{FOLDER}/{name}" for name in self.templates]


def steps_json(steps: Sequence[SetupStep], done: bool, otherwise: str) -> list[dict[str, Any]]:
    """`done` says whether the steps were carried out; `otherwise` is one that has nothing to do."""
    rows = []
    for step in steps:
        state = otherwise
        if step.problem:
            state = "failed"
        elif step.is_to_do:
            state = "done" if done else "planned"
        rows.append(
            {
                "step": step.name,
                "client": step.client,
                "state": state,
                "says": step.says,
                "files": [*step.new_files, *(change.name for change in step.changes)],
                "problem": step.problem,
            }
        )
    return rows


def plan_setup(here: SetupPlace, wanted: SetupRequest) -> tuple[SetupStep, ...]:
    """Everything in the order in which it is done."""
    steps = [_folder(here)] if wanted.makes_folder else []
    root = None if wanted.for_user else here.root
    ahead: dict[str, str | None] = {}
    for name in wanted.parts:
        own = list(_put(PARTS[name], root, wanted, ahead))
        # Several parts may be in one file.
        ahead.update({change.path: change.after for step in own for change in step.changes})
        steps += own
    steps += [_plan(here, name) for name in wanted.take_over]
    return tuple(steps)


def _folder(here: SetupPlace) -> SetupStep:
    if here.folder:
        mistakes = mistakes_in(read_config_text(here.root) or "")
        if not mistakes:
            return SetupStep(FOLDER_STEP, f"{FOLDER}/ is here")
        return SetupStep(
            name=FOLDER_STEP,
            says=f"use {PATH}",
            problem="; ".join(mistakes),
            hint="Hooks give nothing as long as this is so. Mend it, and run `dctx setup` again.",
        )
    kind = "a project with code" if here.code else "a new project"
    names = tuple(template_files(here.code))
    says = f"make {FOLDER}/ for {kind} ({len(names)} files)"
    return SetupStep(FOLDER_STEP, says, templates=names)


def _put(part: Part, root: str | None, wanted: SetupRequest, ahead: Ahead) -> Iterator[SetupStep]:
    scope = USER if root is None else ""
    found = [installed for installed in part.find(root) if scope in ("", installed.scope)]
    foreign: set[str] = set()
    for client in wanted.clients:
        if client not in part.clients:
            continue
        if part.name != RULES and client in CLIENTS and plugin_file(CLIENTS[client], root):
            says = f"the plugin dctx brings {part.what} for {CLIENTS[client].title}"
            yield SetupStep(part.name, says, client)
            continue
        own = [installed for installed in found if client in installed.clients]
        for installed in own:
            for name in installed.changed:
                if name not in foreign:
                    yield SetupStep(part.name, f"{name} is somebody else's and stays", client)
                foreign.add(name)
        put = partial(part.put, client, root, wanted.wish, ahead)
        yield _put_into(part, client, wanted.wish, own, put)


def _put_into(
    part: Part, client: str, wish: Wish, own: Sequence[Installed], put: Callable[[], Changes]
) -> SetupStep:
    what = f"{part.what} for {PLACES[client].title}"
    step = SetupStep(part.name, f"put {what} in", client)
    for installed in own:
        if installed.is_sound and _is_enough(installed, client, wish):
            return step.replace(says=f"{what} are in {installed.path}")
    try:
        changes = put()
    except DctxError as error:
        return step.failed(error)
    if not changes:
        where = own[0].path if own else "place"
        return step.replace(says=f"{what} are in {where}")
    says = f"put {what} into {named(changes)}"
    if any(change.before != change.original for change in changes if change.after):
        says = f"bring {what} up to date in {named(changes)}"
    return step.replace(says=says, changes=changes)


def _is_enough(installed: Installed, client: str, wish: Wish) -> bool:
    if installed.part == HOOKS and wish.prompts:
        return PROMPT in [CLIENTS[client].events.get(event) for event in installed.names]
    if installed.part == SERVER and wish.areas is not None:
        return installed.writes == wish.areas
    return True


def named(changes: Changes) -> str:
    """Their files, or their folder where that are many."""
    names = [change.name for change in changes]
    if len(names) < 3:
        return " and ".join(names)
    folder = os.path.commonpath([os.path.dirname(name) for name in names])
    return f"{folder} ({len(names)} files)"


def _plan(here: SetupPlace, name: str) -> SetupStep:
    step = SetupStep(PLAN_STEP, f"take over the plan of {TITLES[name]}")
    try:
        taking = plan_taking(here.root, find_plan(name, here.root, None))
    except DctxError as error:
        return step.failed(error)
    found = taking.counts()
    units = [counted(found[kind], kind[:-1]) for kind in ("goals", "steps", "tasks")]
    if not taking.changes_something:
        return step.replace(says=f"the plan of {TITLES[name]} has nothing to take over")
    return step.replace(says=f"{step.says} ({', '.join(units)})", taking=taking)


def carry_out(
    here: SetupPlace, steps: Sequence[SetupStep], for_user: bool = False
) -> Iterator[SetupStep]:
    """Each step as it was done; one that failed says why, and does not keep the others from
    theirs.
    """
    for step in steps:
        if not step.is_to_do:
            yield step
            continue
        try:
            _do(here, step, for_user)
        except DctxError as error:
            yield step.failed(error)
            if step.name == FOLDER_STEP:
                return  # nothing else has a place then
            continue
        yield step


def _do(here: SetupPlace, step: SetupStep, for_user: bool) -> None:
    """What has to be undone one day is written down first."""
    record = read_record(here.root) or SetupRecord()
    if step.templates:
        files = template_files(here.code)
        marks = {name: digest(data) for name, data in files.items()}
        write_record(here.root, record.replace(files=marks))
        make_folder(here.root, files)
    elif step.taking:
        # Decided anew: the folder of the project may have been made since.
        taking = plan_taking(here.root, find_plan(step.taking.format.name, here.root, None))
        write_taking(here.root, taking, local_minute())
    else:
        if not for_user:
            paths = [change.path for change in step.changes]
            write_record(here.root, record.with_paths(step.name, step.client, paths))
        write_changes(step.changes)
