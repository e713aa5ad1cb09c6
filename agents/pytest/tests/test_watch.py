"""Marks on suites that resist being looked at, marks that move, and files in layers."""
import importlib
import os
import stat
import sys
import types

import pytest
from engine import HOME


HOSTILE = """
    calls = []

    class Hostile:
        def _refuse(self, *arguments):
            calls.append(arguments)
            raise RuntimeError("do not touch")

        __eq__ = __hash__ = __repr__ = __str__ = __len__ = __iter__ = __bool__ = __contains__ = _refuse
        __dict__ = property(_refuse)
        __class__ = property(_refuse)

    class Meta(type):
        def __getattribute__(cls, name):
            calls.append(name)
            return super().__getattribute__(name)

        def __instancecheck__(cls, thing):
            calls.append("instance")
            return True

    class Odd(dict, metaclass=Meta):
        def __getitem__(self, key):
            calls.append(key)
            raise RuntimeError

        __iter__ = keys = items = values = get = __getitem__

    held = [Hostile()]
    odd = Odd()
    del calls[:]

    def __getattr__(name):
        calls.append(name)
        raise AttributeError(name)
    """


def test_looking_runs_no_code_of_the_project(suite):
    engine, fresh = suite(
        hostile=HOSTILE,
        test_it="""
        import hostile

        def test_changes():
            hostile.held.append(hostile.Hostile())
            dict.__setitem__(hostile.odd, "key", hostile.Hostile())
            del hostile.calls[:]

        def test_was_left_alone():
            assert hostile.calls == []
        """,
    )
    child = engine.fork(fresh)
    child.run(0)
    cells = child.diff(advance=True)
    assert cells["hostile.held[1:]"]["after"] == "[<hostile.Hostile object>]"
    assert cells["hostile.odd['key']"]["after"] == "<hostile.Hostile object>"
    child.ask("mark", "marked")
    (outcome,) = child.run(1)
    assert outcome["outcome"] == "passed", outcome
    child.close()


MOVING = """
    import pytest

    state = {"steps": []}

    @pytest.fixture(scope="module")
    def shared():
        return {"rows": []}

    def test_one(shared):
        state["steps"].append(1)
        state["new"] = {"inner": []}

    def test_two(shared):
        state["new"]["inner"].append(2)
        shared["rows"].append("two")

    def test_three(shared):
        state.clear()
    """


def test_a_mark_that_moves_tells_what_each_test_did_by_itself(suite):
    engine, fresh = suite(test_it=MOVING)
    child = engine.fork(fresh)
    seen = []
    for test in range(3):
        child.run(test)
        seen.append(set(child.diff(advance=True)))
    fixture = "fixture shared (module) of test_it.py"
    assert seen == [
        {"test_it.state['new']", "test_it.state['steps'][0:]", fixture},
        {"test_it.state['new']['inner'][0:]", fixture + "['rows'][0:]"},
        {"test_it.state['new']", "test_it.state['steps']"},
    ]
    child.ask("finish", "finished")
    assert set(child.diff()) == {fixture}
    child.close()


def test_a_mark_that_stays_tells_what_all_tests_did_together(suite):
    engine, fresh = suite(test_it=MOVING)
    child = engine.fork(fresh)
    child.run(0, 1)
    assert child.diff()["test_it.state['new']"]["after"] == "{'inner': [2]}"
    child.ask("finish", "finished")
    assert set(child.diff()) == {"test_it.state['new']", "test_it.state['steps'][0:]"}
    child.close()


def test_an_item_goes_by_all_names_that_its_container_has(suite):
    files = {"part_%d" % at: "from state import rows as rows_of_%d" % at for at in range(300)}
    engine, fresh = suite(
        state="rows = []",
        test_it="""
        import state
        import {}

        def test_adds():
            state.rows.append(1)
        """.format(", ".join(files)),
        **files
    )
    child = engine.fork(fresh)
    child.run(0)
    assert {"part_%d.rows_of_%d" % (at, at) for at in range(300)} < set(child.diff()["state.rows[0:]"]["names"])
    child.close()


def test_a_package_that_sets_up_is_torn_down(suite):
    engine, fresh = suite(
        **{
            "plain/__init__": "",
            "plain/test_a": "def test_a():\n    pass\n",
            "careful/__init__": "def setup_module():\n    pass\n",
            "careful/test_b": "def test_b():\n    pass\n",
        }
    )
    told = []
    for test in range(2):
        child = engine.fork(fresh)
        child.run(test)
        told.append(child.ask("finish", "finished")[-1]["bare"])
        child.close()
    assert told == [False, int(pytest.__version__.partition(".")[0]) >= 7]


BARE = """
    import unittest
    import pytest

    @pytest.fixture(scope="module")
    def shared():
        return []

    class Plain(unittest.TestCase):
        def test_it(self):
            pass

    class Derived(Plain):
        pass

    class Careful(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.rows = []

        def test_it(self):
            pass

    class Late(unittest.TestCase):
        def test_it(self):
            self.addClassCleanup(list)

    def test_nothing():
        pass

    def test_path(tmp_path):
        pass

    def test_shared(shared):
        pass

    class TestSetUp:
        def setup_class(cls):
            cls.rows = []

        def test_it(self):
            pass
    """


def test_only_what_a_test_could_miss_counts_as_torn_down(suite):
    engine, fresh = suite(test_it=BARE)
    told = {}
    for test, name in enumerate(["Plain", "Derived", "Careful", "Late", "nothing", "path", "shared", "SetUp"]):
        child = engine.fork(fresh)
        child.run(test)
        told[name] = child.ask("finish", "finished")[-1]["bare"]
        child.close()
    can_tell = int(pytest.__version__.partition(".")[0]) >= 8
    assert {name for name, is_bare in told.items() if is_bare} == ({"Plain", "Derived", "nothing", "path"} if can_tell else set())


def test_a_mark_can_be_made_behind_tests(suite):
    engine, fresh = suite(test_it=MOVING)
    child = engine.fork(engine.zygote)
    child.run(0)
    child.ask("mark", "marked")
    other = engine.fork(child)
    other.run(1)
    assert set(other.diff()) == {
        "test_it.state['new']['inner'][0:]", "fixture shared (module) of test_it.py['rows'][0:]",
    }
    other.close()
    child.close()


def test_equal_contents_have_equal_keys_and_others_have_others(suite):
    engine, fresh = suite(
        test_it="""
        state = {}

        class Item:
            def __init__(self, name, other=None):
                self.name, self.other = name, other

        def test_left():
            state["it"] = [Item("a"), {"x", "y", "z"}]

        def test_right():
            state["it"] = [Item("a"), {"z", "y", "x"}]

        def test_other():
            state["it"] = [Item("b"), {"z", "y", "x"}]

        def test_aliased():
            item = Item("a")
            state["it"] = [item, item]

        def test_apart():
            state["it"] = [Item("a"), Item("a")]

        def test_circular():
            item = Item("a")
            item.other = state["it"] = [item]

        def test_opaque():
            state["it"] = iter([1])
        """
    )
    keys = []
    for test in range(len(engine.tests)):
        child = engine.fork(fresh)
        child.run(test)
        keys.append(child.diff()["test_it.state['it']"]["key"])
        child.close()
    assert keys[0] == keys[1]
    assert len(set(keys)) == len(keys) - 1
    assert keys[-1] == ""


def test_long_keys_that_begin_alike_are_told_apart(suite):
    engine, fresh = suite(
        test_it="""
        state = {}

        def test_long():
            for end in "ab":
                state["x" * 200 + end] = state[("y" * 70, end)] = 1
        """
    )
    child = engine.fork(fresh)
    child.run(0)
    cells = child.diff().values()
    assert len({cell["path"] for cell in cells}) == len({cell["place"] for cell in cells}) == 4
    assert max(len(cell["path"]) for cell in cells) < 100
    child.close()


def test_files_of_layers_are_told_with_what_was_there_before(tmp_path):
    package = sys.modules.setdefault("stub_of_agent", types.ModuleType("stub_of_agent"))
    package.__path__ = [os.path.join(HOME, "anyorder_agent")]
    files, disk = importlib.import_module("stub_of_agent.files"), importlib.import_module("stub_of_agent.disk")
    layers = disk.Layers(
        {"base": str(tmp_path), "roots": ["/project", "/elsewhere"], "shown": [], "in_user_namespace": False, "size": 1}
    )
    for place, text in (("low0/old.txt", "before"), ("0/u0/early.txt", "early"), ("0/u0/gone.txt", "gone")):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    seen = files.Files(layers, "/project")
    assert set(seen.facts()) == {"file early.txt", "file gone.txt"}
    layers._depth = 1
    (tmp_path / "1" / "u1").mkdir(parents=True)
    (tmp_path / "1" / "u1" / "settings").write_text("after")
    upper = tmp_path / "1" / "u0"
    (upper / "deep").mkdir(parents=True)
    (upper / "pytest-of-anyorder").mkdir()
    for place in ("old.txt", "deep/new.txt", "pytest-of-anyorder/own.txt"):
        (upper / place).write_text("after")
    found = seen.facts()
    assert set(found) - {"file early.txt", "file gone.txt"} == {
        "file old.txt", "file deep/new.txt", "file /elsewhere/settings",
    }
    assert seen.before("file old.txt").startswith("<6 bytes")
    assert type(seen.before("file deep/new.txt")).__name__ == "_Absent"
    layers._depth = 2
    (tmp_path / "2" / "u0").mkdir(parents=True)
    os.mknod(str(tmp_path / "2" / "u0" / "deep"), stat.S_IFCHR, os.makedev(0, 0))  # how a layer says that a directory is gone
    assert "file deep/new.txt" not in seen.facts()
