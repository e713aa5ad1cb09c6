"""What a test leaves changed is seen, named, and has the same key in every process."""
import json
import os
import shutil
import sys

import pytest

from engine import FIXTURES, Engine

OURS = ("threading", "_pytest", "random.", "<")  # the last is an object that could not be looked at
FUNCTION = "%s" if sys.version_info >= (3, 11) else "counter%.0s"  # code has known its qualified name since then
KINDS = os.path.join(FIXTURES, "kinds")
with open(os.path.join(KINDS, "cells.json"), encoding="utf-8") as table:
    # Files are told where there are layers of disk, which this small engine has not.
    TABLE = [row for row in json.load(table) if row["kind"] != "file"]


class Seen:
    """What every polluter leaves."""

    def __init__(self, directory, scratch, seed):
        self.engine = Engine(directory, scratch, seed)
        self.fresh = self.engine.fork(self.engine.zygote)
        self.marked = self.fresh.ask("mark", "marked")[-1]
        self.left = {}

    def look(self, polluter):
        child = self.engine.fork(self.fresh)
        (outcome,) = child.run(self.engine.tests.index(polluter))
        assert outcome["outcome"] == "passed", outcome
        self.left[polluter] = child.diff()
        child.close()


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """In two processes that hash differently."""
    scratch = tmp_path_factory.mktemp("state")
    directory = scratch / "kinds of pollution"
    shutil.copytree(KINDS, str(directory))
    processes = [Seen(directory, scratch, seed) for seed in (1, 2)]
    for row in TABLE:
        for process in processes:
            process.look(row["polluter"])
    yield processes
    for process in processes:
        process.fresh.close()
        process.engine.close()


@pytest.fixture(scope="module")
def traced(seen):
    """The outcomes of all victims, with what they read."""
    child = seen[0].engine.fork(seen[0].fresh)
    child.tell("trace")
    victims = [row["victim"] for row in TABLE]
    outcomes = [child.understood(outcome) for outcome in child.run(*[seen[0].engine.tests.index(victim) for victim in victims])]
    child.close()
    return dict(zip(victims, outcomes))


def test_there_are_many_kinds():
    assert len({row["path"] for row in TABLE}) >= 80


@pytest.mark.parametrize("row", TABLE, ids=[row["polluter"].rpartition("test_pollutes_")[2] for row in TABLE])
def test_pollution_is_named_with_a_key_that_other_processes_agree_on(row, seen):
    cells = [process.left[row["polluter"]] for process in seen]
    assert row["path"] in cells[0]
    cell = cells[0][row["path"]]
    assert cell["kind"] == row["kind"]
    assert cell["before"] != cell["after"] or cell["after"].endswith("...")  # cut short
    assert cell["key"]
    assert cell["key"] == cells[1][row["path"]]["key"]


@pytest.mark.parametrize("row", TABLE, ids=[row["victim"].rpartition("test_needs_")[2] for row in TABLE])
def test_victim_reads_what_the_polluter_wrote(row, seen, traced):
    victim, names = traced[row["victim"]], seen[0].left[row["polluter"]][row["path"]]["names"]
    assert victim["outcome"] == "passed"
    assert not names or set(names) & set(victim["reads"])


def test_few_victims_read_what_they_do_not_need(seen, traced):
    """Names rank pairs, so most of them must be told apart."""
    meetings = [
        bool(names & set(traced[other["victim"]]["reads"]))
        for row in TABLE
        for names in [set(seen[0].left[row["polluter"]][row["path"]]["names"])]
        for other in TABLE
        if names and other is not row
    ]
    assert sum(meetings) / len(meetings) < 0.15


def test_what_pytest_has_around_every_test_is_not_read_by_all_of_them(traced):
    assert ".handlers" not in traced["tests/test_objects.py::test_needs_closure"]["reads"]


def test_code_is_told_relative_to_the_root_and_without_the_library(traced):
    code = traced["tests/test_objects.py::test_needs_closure"]["code"]
    assert {"file": "shop/rates.py", "function": FUNCTION % "make_counter.<locals>.counter", "line": 16} in code
    assert {"shop", "tests"} <= {function["file"].partition("/")[0] for function in code}
    library = os.path.dirname(os.__file__)
    assert not [function for function in code if os.path.dirname(function["file"]) == library]


def test_nothing_else_is_told_than_what_was_left(seen):
    ours = [path for left in seen[0].left.values() for path in left if path.startswith(OURS)]
    assert ours == []


def test_a_test_that_leaves_nothing_has_no_cells_but_standing_fixtures(seen):
    child = seen[0].engine.fork(seen[0].fresh)
    child.run(seen[0].engine.tests.index("tests/test_objects.py::test_needs_method"))
    assert {cell["kind"] for cell in child.diff().values()} <= {"fixture"}
    child.ask("finish", "finished")
    assert child.diff() == {}
    child.close()
