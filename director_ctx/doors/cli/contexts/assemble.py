"""`dctx assemble`: the context on stdout, everything else on stderr."""

from __future__ import annotations

import os

from director_ctx.assembling.assemble import assemble, assemble_small, keep_record
from director_ctx.assembling.only_sections import only_sections
from director_ctx.base.errors import OK, Incomplete, OverBudget, UsageProblem
from director_ctx.base.text import plain
from director_ctx.context.assembly import reduced_line
from director_ctx.context.settings.options import (
    CLEAN_CONTEXT,
    SWITCHED_OFF,
    SWITCHED_ON,
    default_layout,
    is_pull_switched_on,
)
from director_ctx.context.settings.tags import CONVERSATION, PULL
from director_ctx.doors.cli.shared.options import DEFAULT_AGENT, chosen_agent
from director_ctx.doors.cli.shared.output import json_text, put, put_file
from director_ctx.doors.cli.shared.speak import is_terminal, say, speak
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.context.assembly import Assembly
    from director_ctx.doors.cli.shared.inject import Injection
    from director_ctx.project.project import Project

OWN = (
    "agent",
    "root",
    "output",
    "copy",
    "explain",
    "strict",
    "no_record",
    "only",
    "inject",
    "part",
)


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    # Agents and pipes are asked nothing, and load nothing that asks.
    if is_terminal():
        from director_ctx.doors.cli.shared.consent import ask_once

        ask_once(project)

    injection = None
    if values["inject"]:
        from director_ctx.doors.cli.shared.inject import Injection

        injection = Injection(values)
    elif values["part"]:
        raise UsageProblem("--part is a part of what --inject prints.", "Add --inject.")

    options = library_options(values, OWN)
    choose_layout(project, values, options)
    assembly = _assembled(project, values, options, injection)
    if _may_write(values):
        assembly = _with_summary(project, values, options, injection, assembly)
    if values["strict"]:
        refuse_unsound(assembly)

    printed = only_sections(assembly, values["only"])
    if injection:
        printed, assembly = injection.printed(printed)

    deliver(printed, values)
    # On record is what was delivered, so it comes afterwards. Where only a part was printed, the
    # context that it belongs to is recorded; once, where it is printed part by part.
    is_first = injection is None or injection.is_first
    if is_first and not values["no_record"]:
        from director_ctx.memory.runs.run import COMMAND, RunOccasion

        keep_record(project, assembly, RunOccasion(COMMAND))
    say_what_was_done(assembly, values, printed)
    return OK


def choose_layout(project: Project, values: dict[str, Any], options: dict[str, Any]) -> None:
    """Adds the layout that an agent's context has where the command line names none."""
    if values["skill"] or values["layout"]:
        return
    _say_switch_mistake()
    if values.get("all"):
        # Many profiles: only what counts for every agent.
        if is_pull_switched_on(os.environ):
            options["layout"] = PULL
        return
    layout = default_layout(project, values["agent"] or DEFAULT_AGENT, os.environ)
    if layout:
        options["layout"] = layout


def _say_switch_mistake() -> None:
    word = os.environ.get(CLEAN_CONTEXT, "").strip().casefold()
    if word and word not in (*SWITCHED_ON, *SWITCHED_OFF):
        said = f"{CLEAN_CONTEXT} is neither true nor false, so it counts for nothing."
        say(said, f"Write one of: {', '.join((*SWITCHED_ON, *SWITCHED_OFF))}.")


def _assembled(
    project: Project,
    values: dict[str, Any],
    options: dict[str, Any],
    injection: Injection | None,
) -> Assembly:
    agent = chosen_agent(values)
    if injection is None:
        return assemble(project, agent, **options)
    return assemble_small(project, agent, injection.left_out, **options)


def _may_write(values: dict[str, Any]) -> bool:
    """Whoever only wants to know, or leaves no trace, changes no conversation."""
    return not (values["explain"] or values["no_record"] or values["only"])


def _with_summary(
    project: Project,
    values: dict[str, Any],
    options: dict[str, Any],
    injection: Injection | None,
    before: Assembly,
) -> Assembly:
    """The context with a summary where its conversation was too long, and a word about that."""
    tags = [section.tag for section in before.sections]
    if CONVERSATION not in tags:
        return before

    from director_ctx.assembling.overfull import compress_if_overfull

    compressed = compress_if_overfull(project, before)
    if not compressed:
        return before
    if compressed.why_not:
        said = "the conversation fills the context, and could not be compressed"
        return before.replace(warnings=(*before.warnings, f"{said}: {compressed.why_not}"))

    # Also where somebody else did it: what was read before may be half of then and half of now.
    after = _assembled(project, values, options, injection)
    summary = compressed.summary
    if not summary:
        return after
    name = summary.id[:8]
    archived = len(summary.messages or ())
    said = (
        f"the context was full with {before.whole:,} tokens, so {archived:,} messages are archived now, and their"
        f" summary {name} stands for them; `dctx restore {name}` undoes it, and with `compress: false` in dctx.yaml"
        " only `dctx history summarize` does it, which asks"
    )
    return after.replace(warnings=(*after.warnings, said))


def refuse_unsound(assembly: Assembly) -> None:
    """What `--strict` does not let through."""
    if assembly.over_budget:
        raise OverBudget(
            over_line(assembly), "Give it a larger --budget, or leave something out with --without."
        )
    for lack in assembly.lacks:
        hint = ""
        if lack.advice:
            # It is written to stand within a sentence, and is one of its own here.
            hint = f"{lack.advice[0].upper()}{lack.advice[1:]}."
        raise Incomplete(f"{plain(lack.path)} {lack.why}.", hint)


def library_options(values: dict[str, Any], own: tuple[str, ...]) -> dict[str, Any]:
    """What the library is told: everything but what only a command line knows."""
    options = {}
    for name, value in values.items():
        if name not in own and value not in (None, ()):
            options[name] = value
    if options.get("issues"):
        # Only the debugger has some.
        from director_ctx.doors.cli.shared.text_input import read_named

        options["issues"] = read_named(options["issues"], "--issues")
    return options


def deliver(assembly: Assembly, values: dict[str, Any]) -> None:
    text = formatted(assembly, values["format"])
    if values["output"]:
        put_file(values["output"], text)
    if values["copy"]:
        from director_ctx.base.system.clipboard import copy

        copy(text)
        say(f"{assembly.budget.used:,} tokens, {how_counted(assembly)}, are on the clipboard.")
    if not values["output"] and not values["copy"]:
        put(text)


def formatted(assembly: Assembly, name: str | None) -> str:
    if name == "messages":
        return json_text(assembly.as_messages())
    if name == "json":
        return json_text(assembly.as_json())
    return assembly.text


def say_what_was_done(assembly: Assembly, values: dict[str, Any], printed: Assembly) -> None:
    """Warnings, what was reduced, and the explanation of what was printed if it was asked for."""
    for warning in assembly.warnings:
        say(f"warning: {warning}")
    if assembly.over_budget:
        say(f"warning: {over_line(assembly)}")
    elif assembly.reductions:
        say(f"{reduced_line(assembly.reductions, assembly.budget)}; {how_counted(assembly)}")
    if values["explain"]:
        from director_ctx.context.explain import explain

        speak(explain(printed, part=bool(values["only"])) + "\n")


def how_counted(assembly: Assembly) -> str:
    return f"counted by {assembly.counter.name}, {assembly.counter.says}"


def over_line(assembly: Assembly) -> str:
    budget = assembly.budget
    line = f"{budget.used:,} tokens, over the budget of {budget.limit:,}"
    return f"{line}: what may be cut was cut; {how_counted(assembly)}"
