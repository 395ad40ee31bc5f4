"""Reads a YAML file of the project. PyYAML costs 14 ms and is imported only where such a file exists."""

from __future__ import annotations

from director_ctx.errors import DctxError

SHALLOW = 2_000
"""Marks that could each open a level. The C loader recurses without a limit; the other one has Python's."""


def parse_yaml(text: str, path: str) -> object:
    """The data in a YAML text; plain values only, nothing is constructed or run."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader) if _is_shallow(text) else yaml.SafeLoader
    try:
        return yaml.load(text, Loader=loader)
    except RecursionError as error:
        raise DctxError(f"{path} is nested too deeply.", "Mend the file, or move it away.") from error
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        raise DctxError(
            f"{path} is not valid YAML{where}: {problem[:200]}.", "Mend the file, or move it away."
        ) from error


def _is_shallow(text: str) -> bool:
    return sum(map(text.count, "[{-?:")) < SHALLOW
