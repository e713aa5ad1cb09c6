"""Restoring where that is not plain: objects that resist, imports, contexts, fixtures, files."""
import importlib
import os
import sys
import types

from engine import HOME
from test_watch import HOSTILE


def left_by_first(suite, **files):
    """A process in which the first test has run and the second is next."""
    engine, fresh = suite(**files)
    child = engine.fork(fresh)
    child.parent = fresh  # must not end before
    (outcome,) = child.run(0)
    assert outcome["outcome"] == "passed", outcome
    child.approach(1)
    return engine, child


def passes(child, test=1):
    (outcome,) = child.run(test, finish=True)
    return outcome["outcome"] == "passed"


def test_putting_back_runs_no_code_of_the_project(suite):
    _, child = left_by_first(
        suite,
        hostile=HOSTILE + """
    class Dying:
        def __del__(self):
            calls.append("died")

    dict.__setitem__(odd, "there", 1)
    del calls[:]
    """,
        test_it="""
        import hostile

        def test_changes():
            hostile.held[0] = hostile.Dying()
            hostile.held.append(hostile.Hostile())
            dict.__setitem__(hostile.odd, "key", hostile.Dying())
            dict.__delitem__(hostile.odd, "there")
            hostile.Odd.added = hostile.Hostile()
            del hostile.calls[:]

        def test_was_left_alone():
            assert hostile.calls == []
            assert dict.__len__(hostile.odd) == len(hostile.held) == 1
            assert "added" not in vars(hostile.Odd)
        """,
    )
    assert child.restore("hostile.calls[0:]", others=True)[1] == {}
    assert set(child.diff()) == {"hostile.calls[0:]"}
    assert passes(child)
    child.close()


IMPORTING = """
    import os
    import sys

    def test_imports():
        import parcel.inner
        parcel.inner.touched = True

    def test_needs_a_fresh_one():
        assert "parcel.inner" not in sys.modules
        from parcel import inner
        assert not hasattr(inner, "touched")
    """


def test_a_module_that_was_imported_is_imported_anew(suite, tmp_path):
    (tmp_path / "suite" / "parcel").mkdir(parents=True)
    (tmp_path / "suite" / "parcel" / "__init__.py").touch()
    (tmp_path / "suite" / "parcel" / "inner.py").touch()
    engine, child = left_by_first(suite, conftest="import parcel", test_it=IMPORTING)
    assert {"sys.modules['parcel.inner']", "parcel.inner"} <= set(child.diff())
    other = engine.fork(child)
    assert other.restore("sys.modules['parcel.inner']") == (1, {})
    assert not passes(other)
    other.close()
    assert child.restore("sys.modules['parcel.inner']", "parcel.inner") == (2, {})
    assert passes(child)
    child.close()


def test_environment_goes_back_in_what_the_system_sees_too(suite):
    _, child = left_by_first(
        suite,
        test_it="""
        import os

        os.environ["KEPT"] = "old"

        def test_changes():
            os.environ["KEPT"] = "new"
            os.environ["ADDED"] = "new"

        def test_needs():
            assert os.environ.get("ADDED") is None
            assert os.system('test "$KEPT$ADDED" = old') == 0
        """,
    )
    assert child.restore("os.environ['KEPT']", "os.environ['ADDED']", "os.environ['NOT THERE']") == (2, {})
    assert passes(child)
    child.close()


def test_the_time_zone_goes_back_without_the_variable(suite):
    _, child = left_by_first(
        suite,
        test_it="""
        import os
        import time

        os.environ["TZ"] = "OLD-1"
        time.tzset()

        def test_changes():
            os.environ["TZ"] = "NEW-2"
            time.tzset()

        def test_needs():
            assert time.localtime(0).tm_hour == 1
            assert os.environ["TZ"] == "NEW-2"
            assert time.tzname[0] == "NEW"
        """,
    )
    assert child.restore("time zone") == (1, {})
    assert passes(child)
    child.close()


CONTEXT = """
    import contextvars
    import decimal

    user = contextvars.ContextVar("user")
    depth = contextvars.ContextVar("depth")
    same = contextvars.ContextVar("depth")
    depth.set(0)
    decimal.getcontext().prec = 20

    def test_changes():
        user.set("somebody")
        depth.set(1)
        same.set(2)
        decimal.getcontext().prec = 5
        decimal.getcontext().traps[decimal.Inexact] = True

    def test_needs():
        assert user.get("nobody") == "nobody"
        assert depth.get() == 0
        assert same.get() == 2
        assert decimal.getcontext().prec == 20
        assert not decimal.getcontext().traps[decimal.Inexact]
    """


def test_a_variable_that_had_no_value_has_none_from_then_on(suite):
    engine, child = left_by_first(suite, test_it=CONTEXT)
    cells = ["context variable " + name for name in ("user", "depth", "decimal_context")]
    assert child.restore(*cells) == (3, {})
    assert set(child.diff()) == {"context variable depth (2)"}
    other = engine.fork(child)
    assert passes(other) and passes(child)
    other.close()
    child.close()


def test_any_cell_goes_back_though_what_holds_it_has_changed(suite):
    _, child = left_by_first(
        suite,
        test_it="""
        class Thing:
            pass

        held = {"inner": [{"deep": 1}], "other": 0}
        inner = Thing()
        inner.a, inner.b = 1, [2]
        far = [[[[held["inner"][0]]]]]

        def test_changes():
            held["inner"][0]["deep"] = 2
            held["inner"][:] = [3, 4]
            held["inner"] = None
            held["other"] = 1
            inner.b.append(3)
            inner.__dict__ = {"b": 5}

        def test_needs():
            assert far == [[[[{"deep": 1}]]]]
            assert held == {"inner": None, "other": 1}
            assert vars(inner) == {"b": 5, "a": 1}
        """,
    )
    deep = "test_it.held['inner'][0]['deep']"
    assert {deep, "test_it.held['inner']", "test_it.held['inner'][0:]", "test_it.inner.a"} <= set(child.diff())
    assert child.restore("test_it.inner.a", deep) == (2, {})
    assert passes(child)
    assert child.restore(others=True)[1] == {}
    assert child.diff() == {}
    child.close()


def test_a_key_that_comes_back_stands_where_it_stood(suite):
    _, child = left_by_first(
        suite,
        test_it="""
        from collections import OrderedDict

        plain, ordered = [kind(zip("abcd", range(4))) for kind in (dict, OrderedDict)]

        def test_changes():
            for held in (plain, ordered):
                del held["b"], held["c"]
                held["new"] = 1
                held["d"] = held.pop("d")

        def test_needs():
            assert list(plain) == ["a", "b", "new", "d"]
            assert list(ordered) == list("abcd")
        """,
    )
    cells = [path for path in child.diff() if "ordered" in path]
    assert child.restore("test_it.plain['b']", *cells) == (4, {})
    assert passes(child)
    child.close()


FIXTURES = """
    import pytest

    made, ended = [], []

    @pytest.fixture(scope="module")
    def base():
        made.append("base")
        yield {"rows": []}
        ended.append("base")

    @pytest.fixture(scope="module")
    def other(base):
        made.append("other")
        yield [base]
        ended.append("other")

    def test_changes(base, other):
        base["rows"].append(1)
        other.append(2)

    def test_needs(base, other):
        assert base == {"rows": []}
        assert other == [{"rows": [1]}, 2]
        assert made == ["base", "other", "base"]
        assert ended == []

    def test_last():
        pass
    """


def test_a_fixture_that_did_not_stand_is_set_up_anew(suite):
    _, child = left_by_first(suite, test_it=FIXTURES)
    assert child.restore("fixture base (module) of test_it.py") == (1, {})
    assert passes(child)
    child.close()


def test_approaching_tears_down_what_the_next_test_does_not_share(suite):
    engine, fresh = suite(
        test_it="""
        import pytest

        state = []

        @pytest.fixture(scope="class")
        def held():
            yield
            state.append("ended")
            raise RuntimeError("tear-down is broken")

        class TestOne:
            def test_one(self, held):
                pass

            def test_two(self, held):
                pass

        def test_other():
            assert state == ["ended"]
        """
    )
    child = engine.fork(fresh)
    assert child.ask("approach", "approached", test=0) == [{"say": "approached"}]
    child.run(0)
    assert [said["say"] for said in child.ask("approach", "approached", test=1)] == ["approached"]
    assert "test_it.state[0:]" not in child.diff()
    late, _ = child.ask("approach", "approached", test=2)
    assert (late["say"], late["signature"]["message"]) == ("late", "tear-down is broken")
    assert "test_it.state[0:]" in child.diff()
    assert passes(child, 2)
    child.close()


def test_files_go_back_from_the_layers_below(tmp_path):
    package = sys.modules.setdefault("stub_of_agent", types.ModuleType("stub_of_agent"))
    package.__path__ = [os.path.join(HOME, "anyorder_agent")]
    files, disk = importlib.import_module("stub_of_agent.files"), importlib.import_module("stub_of_agent.disk")
    root = tmp_path / "project"
    write(tmp_path, {"low0/old.txt": "low", "low0/tree/leaf": "leaf", "0/u0/early.txt": "early", "0/u0/tree/new": "new"})
    (tmp_path / "0/u0/early.txt").chmod(0o640)
    write(root, {"early.txt": "longer than it was", "made/deep/file": "x", "tree": "a file by now"})
    orders = {"base": str(tmp_path), "roots": [str(root)], "shown": [], "in_user_namespace": False, "size": 1}
    layers = disk.Layers(orders)
    seen = files.Files(layers, str(root))
    layers._depth = 1
    for path in ("old.txt", "early.txt", "made/deep/file", "tree"):
        seen.put_back("file " + path, path == "early.txt")
    assert {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()} == {
        "old.txt": "low", "early.txt": "early", "tree/leaf": "leaf", "tree/new": "new",
    }
    assert not (root / "made").exists()
    assert (root / "early.txt").stat().st_mode & 0o777 == 0o640


def write(directory, files):
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text)
