"""`dctx assemble`: the context on stdout, everything else on stderr."""

from __future__ import annotations

import os

from director_ctx.assembling.assemble import assemble, assemble_small, keep_record
from director_ctx.assembling.only_sections import only_sections
from director_ctx.base.errors import OK, Incomplete, OverBudget, UsageProblem
from director_ctx.base.text import plain
from director_ctx.context.assembly import Assembly, reduced_line
from director_ctx.context.settings.options import (
    CLEAN_CONTEXT,
    SWITCHED_OFF,
    SWITCHED_ON,
    default_layout,
    is_pull_switched_on,
)
from director_ctx.context.settings.request import INPUTS, Request
from director_ctx.context.settings.tags import CONVERSATION, PULL
from director_ctx.doors.cli.shared.output import json_text, put, put_file
from director_ctx.doors.cli.shared.speak import is_terminal, say, speak
from director_ctx.project.project import Project, load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DEFAULT_AGENT = "builder"


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

    agent = chosen_agent(values)
    options = {**library_options(values), **usual_layout(project, values)}

    def assembled() -> Assembly:
        if injection is None:
            return assemble(project, agent, **options)
        return assemble_small(project, agent, injection.left_out, **options)

    assembly = assembled()
    # What only looks, or leaves no trace, changes no conversation.
    if not (values["explain"] or values["no_record"] or values["only"]):
        assembly = _with_summary(project, assembly, assembled)
    if values["strict"]:
        _refuse_unsound(assembly)

    printed = only_sections(assembly, values["only"])
    if injection:
        printed, assembly = injection.printed(printed)

    text = printed.text
    if values["format"] == "messages":
        text = json_text(printed.as_messages())
    elif values["format"] == "json":
        text = json_text(printed.as_json())
    if values["output"]:
        put_file(values["output"], text)
    else:
        put(text)

    # On record is what was delivered, so it comes afterwards. Where only a part was printed, the
    # context that it belongs to is recorded; once, where it is printed part by part.
    is_first = injection is None or injection.is_first
    if is_first and not values["no_record"]:
        from director_ctx.memory.runs.run import COMMAND, RunOccasion

        keep_record(project, assembly, RunOccasion(COMMAND))
    _say_what_was_done(assembly, values, printed)
    return OK


def chosen_agent(values: dict[str, Any]) -> str | None:
    """The agent that is meant: the builder where none is named, and none for a skill."""
    agent: str | None = values["agent"]
    if values["skill"]:
        return agent
    return agent or DEFAULT_AGENT


def library_options(values: dict[str, Any]) -> dict[str, Any]:
    """The keywords of `assemble()`: what a request has a field for, and the counter."""
    options = {}
    for name in (*Request._fields, "counter"):
        if name != "agent" and values.get(name) not in (None, ()):
            options[name] = values[name]
    for word in values["input"]:
        name, equals, value = word.partition("=")
        if not equals or name not in INPUTS:
            raise UsageProblem(
                f"--input: {word[:60]!r} is no input.",
                f"Write NAME=VALUE. Names: {', '.join(INPUTS)}.",
            )
        options[name] = value
    if values["issues"]:
        from director_ctx.doors.cli.shared.text_input import read_named

        options["issues"] = read_named(values["issues"], "--issues")
    return options


def usual_layout(project: Project, values: dict[str, Any]) -> dict[str, Any]:
    """The layout that an agent's context has where the command line names none."""
    if values["skill"] or values["layout"]:
        return {}
    word = os.environ.get(CLEAN_CONTEXT, "").strip().casefold()
    if word and word not in (*SWITCHED_ON, *SWITCHED_OFF):
        said = f"{CLEAN_CONTEXT} is neither true nor false, so it counts for nothing."
        say(said, f"Write one of: {', '.join((*SWITCHED_ON, *SWITCHED_OFF))}.")
    if values.get("all"):
        # Many profiles: only what counts for every agent.
        return {"layout": PULL} if is_pull_switched_on(os.environ) else {}
    return {"layout": default_layout(project, values["agent"] or DEFAULT_AGENT, os.environ)}


def _with_summary(
    project: Project, before: Assembly, assembled: Callable[[], Assembly]
) -> Assembly:
    """The context with a summary where its conversation was too long, and a word about that."""
    if CONVERSATION not in before.tokens_by_tag:
        return before

    from director_ctx.assembling.overfull import compress_if_overfull

    compressed = compress_if_overfull(project, before)
    if not compressed:
        return before
    if compressed.why_not:
        said = "the conversation fills the context, and could not be compressed"
        return before.replace(warnings=(*before.warnings, f"{said}: {compressed.why_not}"))

    # Also where somebody else did it: what was read before may be half of then and half of now.
    after = assembled()
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


def _refuse_unsound(assembly: Assembly) -> None:
    """What `--strict` does not let through."""
    if assembly.over_budget:
        raise OverBudget(
            _over_line(assembly),
            "Give it a larger --budget, or leave something out with --without.",
        )
    for lack in assembly.lacks:
        # The advice is written to stand within a sentence, and is one of its own here.
        hint = f"{lack.advice[0].upper()}{lack.advice[1:]}." if lack.advice else ""
        raise Incomplete(f"{plain(lack.path)} {lack.why}.", hint)


def _say_what_was_done(assembly: Assembly, values: dict[str, Any], printed: Assembly) -> None:
    """Warnings, what was reduced, and the explanation of what was printed if it was asked for."""
    for warning in assembly.warnings:
        say(f"warning: {warning}")
    if assembly.over_budget:
        say(f"warning: {_over_line(assembly)}")
    elif assembly.reductions:
        say(f"{reduced_line(assembly.reductions, assembly.budget)}; {_how_counted(assembly)}")
    if values["explain"]:
        from director_ctx.context.explain import explain

        speak(explain(printed, part=bool(values["only"])) + "\n")


def _how_counted(assembly: Assembly) -> str:
    return f"counted by {assembly.counter.name}, {assembly.counter.says}"


def _over_line(assembly: Assembly) -> str:
    budget = assembly.budget
    line = f"{budget.used:,} tokens, over the budget of {budget.limit:,}"
    return f"{line}: what may be cut was cut; {_how_counted(assembly)}"
