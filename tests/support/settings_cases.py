"""Settings as people have them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from director_ctx.clients.table import CLIENTS

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
)


VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


FOREIGN = st.sampled_from(
    ["echo hi", "/opt/dctx-extra hook", "python -m other hook", "say 'dctx hook'", ""]
)


def _handlers(flat: bool) -> st.SearchStrategy[Any]:
    handler = st.fixed_dictionaries({"type": st.just("command"), "command": FOREIGN})
    group = st.fixed_dictionaries(
        {"hooks": st.lists(handler, max_size=2)}, optional={"matcher": WORDS}
    )
    return st.lists(handler if flat else group, max_size=3)


@st.composite
def settings(draw: st.DrawFn, client: str) -> str:
    """A settings file as somebody may have written it: other keys, others' hooks, any style."""
    names = st.sampled_from([*CLIENTS[client].events, "Stop", "Notification"])
    values = draw(st.dictionaries(WORDS.filter(lambda key: key != "hooks"), VALUES, max_size=4))
    if draw(st.booleans()):
        hooks = st.dictionaries(names, _handlers(client == "cursor"), max_size=3)
        values = dict(draw(st.permutations([*values.items(), ("hooks", draw(hooks))])))
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (", ", ": ")])) if indent is None else None
    text = json.dumps(
        values, indent=indent, separators=separators, ensure_ascii=draw(st.booleans())
    )
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))


CASES = st.sampled_from(sorted(CLIENTS)).flatmap(
    lambda name: st.tuples(st.just(name), settings(name))
)
