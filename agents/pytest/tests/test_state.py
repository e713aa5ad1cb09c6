"""What a test leaves changed is seen, named, and has the same key in every process."""
import json
import os
import shutil

import pytest

from engine import FIXTURES, Engine

KINDS = os.path.join(FIXTURES, "kinds")
with open(os.path.join(KINDS, "cells.json"), encoding="utf-8") as table:
    # Files are told where there are layers of disk, which this small engine has not.
    TABLE = [row for row in json.load(table) if row["kind"] != "file"]


class Seen:
    """What every polluter leaves, and what becomes of its victim."""

    def __init__(self, directory, scratch, seed):
        self.engine = Engine(directory, scratch, seed)
        self.fresh = self.engine.fork(self.engine.zygote)
        self.marked = self.fresh.ask("mark", "marked")[-1]
        self.left, self.victims = {}, {}

    def look(self, polluter, victim):
        child = self.engine.fork(self.fresh)
        (outcome,) = child.run(self.engine.tests.index(polluter))
        assert outcome["outcome"] == "passed", outcome
        self.left[polluter] = child.diff()
        if victim is not None:
            self.victims[polluter] = child.run(self.engine.tests.index(victim))[0]["outcome"]
        child.close()


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """In two processes that hash differently."""
    scratch = tmp_path_factory.mktemp("state")
    directory = scratch / "kinds of pollution"
    shutil.copytree(KINDS, str(directory))
    processes = [Seen(directory, scratch, seed) for seed in (1, 2)]
    for row in TABLE:
        processes[0].look(row["polluter"], row["victim"])
        processes[1].look(row["polluter"], None)
    yield processes
    for process in processes:
        process.fresh.close()
        process.engine.close()


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
    assert seen[0].victims[row["polluter"]] == "failed"


def test_nothing_else_is_told_than_what_was_left(seen):
    ours = [path for left in seen[0].left.values() for path in left if path.startswith(("threading", "_pytest", "random."))]
    assert ours == []


def test_a_test_that_leaves_nothing_has_no_cells_but_standing_fixtures(seen):
    child = seen[0].engine.fork(seen[0].fresh)
    child.run(seen[0].engine.tests.index("tests/test_objects.py::test_needs_method"))
    assert {cell["kind"] for cell in child.diff().values()} <= {"fixture"}
    child.ask("finish", "finished")
    assert child.diff() == {}
    child.close()
