"""From options and a project's own tables to a request and a budget."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import plain
from director_ctx.context.settings.budget import (
    BY_DEFAULT,
    DEFAULT_WINDOW,
    MODELS,
    Budget,
    Window,
    find_model,
    parse_budget,
    parse_window,
)
from director_ctx.context.settings.profiles import find_profile
from director_ctx.context.settings.request import Request, Settings
from director_ctx.context.settings.tags import (
    FORMATS,
    LAYOUT_NAMES,
    PULL,
    PULLED_TOOLS,
    SYSTEM,
)
from director_ctx.project.project import DIRECTORY, Project
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.context.settings.hooks import Hooks
    from director_ctx.context.settings.profiles import Profile

SEVERAL = tuple(name for name, default in Request._defaults.items() if default == ())
"""Options that may be given several times."""
HYBRID = "hybrid"
"""A way that has a name in the documents, and that two options make."""
CLEAN_CONTEXT = "CLEAN_CONTEXT_ENABLED"
SWITCHED_ON = ("true", "1", "yes", "on")
SWITCHED_OFF = ("false", "0", "no", "off")
"""The variable of the environment that makes the pull layout the default for agents, by `true`."""


def hooks_of(project: Project | None) -> Hooks:
    """What the project wants of hooks; the usual, outside of one."""
    from director_ctx.context.settings.hooks import Hooks

    if project is None:
        return Hooks()
    return load_settings(project).hooks or Hooks()


def load_settings(project: Project) -> Settings:
    """The shipped tables, or the project's `dctx.yaml` on top of them."""

    def parse() -> Settings:
        path = f"{FOLDER}/dctx.yaml"
        document = None
        wrong = ["is a folder"]
        if project.kind(path) != DIRECTORY:
            document = project.document(path)
            wrong = [note.text for note in project.notes if note.path == path]
        if wrong:
            raise DctxError(f"{path} {wrong[0]}.", "Mend the file, or move it away.")
        if document is None:
            return Settings()

        from director_ctx.base.system.known_yaml import parse_known
        from director_ctx.context.settings.config import parse_config

        return parse_config(parse_known(document.text, path))

    return project.once("settings", parse)


def make_request(agent: str | None, options: dict[str, Any]) -> Request:
    """A request out of keyword arguments; whatever cannot be meant is refused."""
    values = {name: value for name, value in options.items() if value is not None}
    unknown = set(values) - set(Request._fields)
    if unknown:
        raise UsageProblem(
            f"There is no option {', '.join(sorted(unknown))}.",
            "Options: " + ", ".join(Request._fields),
        )

    for name in SEVERAL:
        # A path may have a comma in its name, so references are not divided at it.
        values[name] = _words(values.get(name, ()), split=name != "ref")
    for name in values.keys() - {*SEVERAL, "raw"}:
        values[name] = str(values[name])

    for name, value in values.items():
        if isinstance(value, str) and not value.strip():
            option = name.rstrip("_").replace("_", "-")
            raise UsageProblem(f"--{option} is empty.", "Give it a value, or leave it out.")
    request = Request(agent or "", **values)
    _check(request)
    return request


def _words(value: str | tuple[str, ...] | list[str], split: bool) -> tuple[str, ...]:
    """`"a,b"`, `["a", "b"]` and `("a,b",)` are the same two words."""
    texts = [value] if isinstance(value, str) else value
    words = [word for text in texts for word in (text.split(",") if split else [text])]
    return tuple(filter(None, map(str.strip, words)))


def _check(request: Request) -> None:
    """Refuses options that only make sense alone, and words that have no meaning."""
    if not request.agent and request.skill is None:
        raise UsageProblem(
            "Which agent?",
            "Name one, such as builder, or a skill, such as --skill build.",
        )
    if request.agent and request.skill is not None:
        raise UsageProblem("An agent or a skill, not both.", "Leave out one of them.")
    if request.quick is not None and request.task is not None:
        raise UsageProblem("--quick and --task exclude each other.", "A quick task has no file.")

    attempt = "1" if request.attempt is None else request.attempt
    if not (attempt.isascii() and attempt.isdigit()) or int(attempt[:9]) == 0:
        raise UsageProblem(f"--input attempt: {attempt!r} is not a number.", "The first is 1.")

    layouts = ("", *LAYOUT_NAMES)
    for name, value, known in (
        ("layout", request.layout, layouts),
        ("format", request.format, FORMATS),
    ):
        if value not in known:
            hint = f"Choose one of: {', '.join(filter(None, known))}"
            if value == HYBRID:
                from director_ctx.context.settings.pulled import PULL_OPTIONS

                hint = f"Say {PULL_OPTIONS}: the prompt has these, and the rest is asked for."
            raise UsageProblem(f"--{name}: there is no {value!r}.", hint)


def chosen_layout(request: Request, profile: Profile, tags: Sequence[str]) -> str:
    """The layout that was asked for, else the profile's own."""
    layout = request.layout or profile.layout
    if layout == "parts" and SYSTEM not in tags:
        hint = f"--with {SYSTEM} adds one; `dctx assemble director` has it."
        raise UsageProblem(
            f"--layout {layout}: this context has no system prompt to begin with.", hint
        )
    if layout not in PULLED_TOOLS:
        return layout
    if not request.layout:
        # Where nobody asked for it in so many words, the whole context is meant: the tools that agents
        # ask with are answered by it.
        return "tags"
    if profile.skill:
        raise UsageProblem(
            f"--layout {layout}: the skill {profile.name} says itself what to do.",
            "Name an agent instead, such as builder.",
        )
    return layout


def is_pull_switched_on(environment: Mapping[str, str]) -> bool:
    return environment.get(CLEAN_CONTEXT, "").strip().casefold() in SWITCHED_ON


def default_layout(project: Project, agent: str, environment: Mapping[str, str]) -> str | None:
    """How a context is laid out that is handed to an agent, where nobody says how: by the
    environment, then by the agent's profile.
    """
    if is_pull_switched_on(environment):
        return PULL
    layout = find_profile(agent, load_settings(project).profiles).layout
    return layout if layout in PULLED_TOOLS else None


def share_of(request: Request, settings: Settings, profile: Profile) -> str:
    """The budget as it was said: on the command line, by the profile, or for the whole project."""
    if request.budget is not None:
        return request.budget
    return profile.budget or settings.budget


def plan_budget(
    project: Project,
    request: Request,
    settings: Settings,
    profile: Profile,
) -> tuple[Budget, tuple[str, ...]]:
    """Window and limit. A profile may have a budget of its own."""
    window, warnings = choose_window(project, request, settings, profile)
    share = share_of(request, settings, profile)
    limit = parse_budget(share, window.tokens)
    if limit > window.tokens:
        warnings = (
            *warnings,
            f"the budget of {limit:,} tokens is larger than the window of {window.tokens:,}",
        )
    return Budget(window.tokens, limit, window_from=window.source), warnings


def choose_window(
    project: Project,
    request: Request,
    settings: Settings,
    profile: Profile,
) -> tuple[Window, tuple[str, ...]]:
    """What is said outright, then what the plugin's `config.json` says of the agent, then the
    default.

    A skill runs in the session, on whatever model that has.
    """
    window, warnings = said_window(request.window, request.model, settings)
    if window:
        return window, warnings
    if profile.skill:
        return Window(DEFAULT_WINDOW, BY_DEFAULT), ()

    from director_ctx.project.config_json import CONFIG, named_model

    model, key = named_model(project, profile.name)
    notes = [f"{note.path} {note.text}" for note in project.notes if note.path == CONFIG]
    if not model:
        return Window(DEFAULT_WINDOW, BY_DEFAULT), tuple(notes)

    window, warnings = model_window(model, f"{key} in {CONFIG}: ", settings)
    return window, (*notes, *warnings)


def said_window(
    window: str | None, model: str | None, settings: Settings
) -> tuple[Window | None, tuple[str, ...]]:
    """The window by the options `--window` and `--model`, else by `dctx.yaml`, if any of them says
    it.
    """
    if window is not None:
        return Window(parse_window(window), "--window"), ()
    if model:
        return model_window(model, "--model ", settings)
    if settings.window:
        return Window(settings.window, "window in dctx.yaml"), ()
    if settings.model:
        return model_window(settings.model, "model in dctx.yaml: ", settings)
    return None, ()


def _guess(name: str, settings: Settings) -> str:
    """The known model that is spelled most like it, as the end of a warning; nothing where none is."""
    # Only whoever misspells a model waits for difflib.
    from difflib import get_close_matches

    spelled = {known.casefold(): known for known in (*settings.models, *MODELS)}
    near = get_close_matches(name.casefold(), spelled, n=1, cutoff=0.75)
    return f"; did you mean {plain(spelled[near[0]])}?" if near else ""


def unknown_model(settings: Settings) -> str:
    """A warning where `model` in dctx.yaml is in no table; empty where its window is known."""
    name = settings.model
    if not name or settings.window or find_model(name, settings.models):
        return ""
    said = f"the model {name!r} is not known, so a window of {DEFAULT_WINDOW:,} tokens is assumed"
    return said + _guess(name, settings)


def model_window(
    name: str,
    named_by: str,
    settings: Settings,
) -> tuple[Window, tuple[str, ...]]:
    """The window of a model; the default one, with a warning, where the model is not known."""
    source = f"{named_by}{plain(name)}"
    model = find_model(name, settings.models)
    if model:
        return Window(model.window, source), ()

    warning = (
        f"the model {name!r} is not in the table, so a window of {DEFAULT_WINDOW:,} is assumed;"
        " --window says otherwise"
    )
    assumed = Window(DEFAULT_WINDOW, f"{BY_DEFAULT}; {source} is not in the table")
    return assumed, (warning + _guess(name, settings),)
