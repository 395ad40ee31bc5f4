"""Does what was planned, step by step, and writes down what has to be undone one day."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.system.clock import local_minute
from director_ctx.clients.settings_change import carry_out as write_settings
from director_ctx.clients.setup.plan import AGENTS_STEP, FOLDER_STEP, HOOKS_STEP, SERVER_STEP
from director_ctx.clients.setup.record import SetupRecord, read_record, write_record
from director_ctx.other_plans.find import find_plan
from director_ctx.other_plans.take_over import plan_taking
from director_ctx.other_plans.write import write_taking
from director_ctx.upkeep.init import make_folder, template_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.setup.here import SetupPlace
    from director_ctx.clients.setup.plan import SetupStep


def carry_out(here: SetupPlace, steps: Sequence[SetupStep]) -> Iterator[SetupStep]:
    """Each step as it was done; one that failed says why, and does not keep the others from
    theirs.
    """
    for step in steps:
        if not step.is_to_do:
            yield step
            continue
        try:
            _do(here, step)
        except DctxError as error:
            yield step.replace(problem=error.message, hint=error.hint)
            if step.name == FOLDER_STEP:
                return  # nothing else has a place then
            continue
        yield step


def _do(here: SetupPlace, step: SetupStep) -> None:
    record = read_record(here.root) or SetupRecord()
    if step.name == FOLDER_STEP:
        _make_folder(here, record)
    elif step.name == HOOKS_STEP:
        clients = dict.fromkeys((*record.clients, step.client))
        write_record(here.root, record.replace(clients=tuple(clients)))
        write_settings(step.settings)
    elif step.name == SERVER_STEP:
        _tell_of_tools(here.root, step, record)
    elif step.name == AGENTS_STEP:
        agents = dict.fromkeys((*record.agents, step.client))
        write_record(here.root, record.replace(agents=tuple(agents)))
        write_settings(step.settings)
    elif step.taking:
        # Decided anew: the folder of the project may have been made since.
        name = step.taking.format.name
        taking = plan_taking(here.root, find_plan(name, here.root, None))
        write_taking(here.root, taking, local_minute())


def _tell_of_tools(root: str, step: SetupStep, record: SetupRecord) -> None:
    known = record.servers.get(step.client, ())
    paths = [change.path for change in step.settings]
    # Each once: another set-up may have written some of them.
    every = dict.fromkeys([*known, *paths])
    servers = {**record.servers, step.client: tuple(every)}
    write_record(root, record.replace(servers=servers))
    write_settings(step.settings)


def _make_folder(here: SetupPlace, record: SetupRecord) -> None:
    files = template_files(here.code)
    marks = {name: digest(data) for name, data in files.items()}
    write_record(here.root, record.replace(files=marks))
    make_folder(here.root, files)
