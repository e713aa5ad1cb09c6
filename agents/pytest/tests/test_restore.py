"""What a test of each kind has left changed goes back, and nothing else does."""
import json
import os
import shutil

import pytest

from engine import FIXTURES, Engine

KINDS = os.path.join(FIXTURES, "kinds")
with open(os.path.join(KINDS, "cells.json"), encoding="utf-8") as table:
    # Files are told where there are layers of disk, which this small engine has not.
    TABLE = [row for row in json.load(table) if row["kind"] != "file"]
STAY = {"thread shop-worker": "a thread can be neither ended nor begun from outside"}


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """An engine, and a process of its that has marked the fresh state."""
    scratch = tmp_path_factory.mktemp("restore")
    directory = scratch / "kinds of pollution"
    shutil.copytree(KINDS, str(directory))
    engine = Engine(directory, scratch)
    fresh = engine.fork(engine.zygote)
    fresh.ask("mark", "marked")
    yield engine, fresh
    fresh.close()
    engine.close()


def outcome_after(marked, row, *cells, others=False):
    """Of the victim right after the polluter, with cells put back in between; and what would not go."""
    engine, fresh = marked
    child = engine.fork(fresh)
    victim = engine.tests.index(row["victim"])
    child.run(engine.tests.index(row["polluter"]))
    child.approach(victim)
    failed = child.restore(*cells, others=others)[1]
    (outcome,) = child.run(victim, finish=True)
    child.close()
    return outcome["outcome"], failed


@pytest.mark.parametrize("row", TABLE, ids=[row["polluter"].rpartition("test_pollutes_")[2] for row in TABLE])
def test_restoring_the_cell_cures_and_restoring_all_others_does_not(row, marked):
    refused = {row["path"]: STAY[row["path"]]} if row["path"] in STAY else {}
    assert outcome_after(marked, row, row["path"]) == ("failed" if refused else "passed", refused)
    assert outcome_after(marked, row, row["path"], others=True) == ("failed", {})


def test_restoring_everything_leaves_nothing_but_what_would_not_go(marked):
    engine, fresh = marked
    child = engine.fork(fresh)
    child.run(*[engine.tests.index(row["polluter"]) for row in TABLE])
    child.approach(0)
    assert len(child.diff()) >= 88
    restored, failed = child.restore(others=True)
    assert restored >= 85
    assert failed == STAY
    assert set(child.diff()) == set(STAY)
    child.close()
