"""The store beside a plain dictionary: whatever is done to both, they say the same."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
import pytest
from fire import made, opened
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from kept_plans import new_version

from director_ctx.memory.plans import versions
from director_ctx.memory.variables import entries

if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Writer

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = (
    st.sampled_from(["a", "A", "node7.emails", "ünï", "", "a'; DROP TABLE workflows; --"]) | WORDS
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner),
)
PLANS = st.dictionaries(WORDS, VALUES, max_size=4)


class Broken(Exception):
    """What goes wrong in the middle of a change."""


class Model(RuleBasedStateMachine):
    """Updates, sets, clears, failures and reopenings in any order."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.root = made(Path(self.folder.name))
        self.store = opened(self.root)
        self.values: dict[str, str] = {}
        self.changes: list[tuple[str, str | None, str]] = []
        self.plans: list[tuple[dict[str, Any], str]] = []

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(given=st.dictionaries(NAMES, VALUES, max_size=3), reason=WORDS)
    def put(self, given: dict[str, Any], reason: str) -> None:
        sealed = {name: json.dumps(value) for name, value in given.items()}
        done = entries.put(self.store, sealed, reason)
        assert [(one.name, one.stored, one.reason) for one in done] == [
            (*item, reason) for item in sealed.items()
        ]
        self.values.update(sealed)
        self.changes += [(name, value, reason) for name, value in sealed.items()]

    @rule(name=NAMES, reason=WORDS)
    def clear(self, name: str, reason: str) -> None:
        assert entries.clear(self.store, name, reason) is (name in self.values)
        if self.values.pop(name, None) is not None:
            self.changes.append((name, None, reason))

    @rule(reason=WORDS)
    def clear_all(self, reason: str) -> None:
        assert entries.clear_all(self.store, reason) == len(self.values)
        self.changes += [(name, None, reason) for name in sorted(self.values)]
        self.values = {}

    @rule(plan=PLANS, reason=WORDS)
    def update(self, plan: dict[str, Any], reason: str) -> None:
        assert new_version(self.store, plan, reason).number == len(self.plans) + 1
        self.plans.append((plan, reason))

    @rule(plan=PLANS, off=st.sampled_from([-1, 0, 1]))
    def update_from(self, plan: dict[str, Any], off: int) -> None:
        expected = len(self.plans) + off
        if off:
            with pytest.raises(versions.Conflict):
                new_version(self.store, plan, "why", expected)
        else:
            new_version(self.store, plan, "why", expected)
            self.plans.append((plan, "why"))

    @rule(name=NAMES, plan=PLANS)
    def fail(self, name: str, plan: dict[str, Any]) -> None:
        """All that one transaction did is undone."""

        def work(writer: Writer) -> None:
            writer.run("DELETE FROM dctx_variables")
            writer.run(
                "INSERT INTO dctx_meta (name, value) VALUES (?, ?)",
                (f"new {name}", json.dumps(plan)),
            )
            raise Broken

        with pytest.raises(Broken):
            self.store.engine.write(self.store.workflow, work)
        assert (
            self.store.engine.row("SELECT 1 FROM dctx_meta WHERE name = ?", (f"new {name}",))
            is None
        )

    @rule(write=st.booleans())
    def reopen(self, write: bool) -> None:
        before = self.store.workflow
        self.store.close()
        self.store = opened(self.root, write)
        assert self.store.workflow == before

    @invariant()
    def variables_are_the_same(self) -> None:
        held = entries.variables(self.store)
        assert {one.name: one.stored for one in held} == self.values
        assert all(entries.variable(self.store, one.name) == one for one in held)

    @invariant()
    def changes_are_the_same(self) -> None:
        held = entries.changes(self.store)
        assert [one.number for one in held] == list(range(1, len(self.changes) + 1))
        assert [(one.name, one.stored, one.reason) for one in held] == self.changes
        assert entries.changes(self.store, last=2) == held[-2:]

    @invariant()
    def plans_are_the_same(self) -> None:
        held = versions.history(self.store)
        assert [one.number for one in held] == list(range(1, len(self.plans) + 1))
        assert [one.reason for one in held] == [reason for _, reason in self.plans]
        assert versions.current(self.store) == (held[-1] if held else None)
        for one, (plan, _) in zip(held, self.plans, strict=True):
            stamps = {"workflow_id", "plan_version", "created_at", "updated_at"}
            assert one.data["plan_version"] == one.number
            assert {key: value for key, value in one.data.items() if key not in stamps} == {
                key: value for key, value in plan.items() if key not in stamps
            }


Model.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestTheStoreSaysWhatAPlainDictionarySays = Model.TestCase
