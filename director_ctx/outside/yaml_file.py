"""Reads a YAML file of the project. PyYAML costs 14 ms and is imported only where such a file exists."""

from __future__ import annotations

from director_ctx.errors import DctxError


def parse_yaml(text: str, path: str) -> object:
    """The data in a YAML text; plain values only, nothing is constructed or run."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        raise DctxError(f"{path} is not valid YAML{where}: {problem}.", "Mend the file, or move it away.") from error
