"""The line that changes a cell is found, whoever does the writing."""
import pytest

from engine import marked_suite

WRITING = """
    import functools
    import sys
    import threading

    import pytest

    state = {"count": 0, "list": [], "undone": 0}

    @pytest.fixture
    def writing():
        state["set up"] = 1
        yield
        state["torn down"] = 1

    @pytest.fixture(scope="module")
    def lasting():
        yield
        state["lasting"] = 1

    def test_fixtures(writing, lasting):
        state["undone"] = 1
        state["undone"] = 0

    def deep(level):
        if level:
            return deep(level - 1)
        functools.reduce(lambda _, item: state["list"].append(item), [1], None)

    def test_deep():
        deep(20)
        state["late"] = sum(
            number
            for number in range(3)
        )

    def test_thread():
        def work():
            state["threaded"] = 1

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    def test_import():
        import late_module

    def test_failing():
        for _ in range(3):
            state["count"] += 1
        raise RuntimeError
    """
LINES = [line.strip() for line in WRITING.splitlines()]


def line_of(text):
    return LINES.index(text) + 1


@pytest.fixture(scope="module")
def writes(tmp_path_factory):
    """The places where a test wrote to cells, by the last part of their paths."""
    late = "import test_it\n\ntest_it.state['imported'] = 1\n"
    engine, fresh = marked_suite(tmp_path_factory.mktemp("follow"), {"test_it": WRITING, "late_module": late})

    def run(name, *keys):
        child = engine.fork(fresh)
        cells = [key if key.startswith("sys.") else "test_it.state" + key for key in keys]
        found = child.written(engine.tests.index("test_it.py::" + name), *cells, finish=True)
        child.close()
        return {path.replace("test_it.state", ""): write for path, write in found.items()}

    yield run
    fresh.close()
    engine.close()


def places(found):
    return {key: (write["file"], write["line"]) for key, write in found.items()}


def test_what_fixtures_write_counts_and_what_is_undone_does_not(writes):
    found = writes("test_fixtures", "['set up']", "['torn down']", "['lasting']", "['undone']")
    assert places(found) == {
        "['set up']": ("test_it.py", line_of('state["set up"] = 1')),
        "['torn down']": ("test_it.py", line_of('state["torn down"] = 1')),
        "['lasting']": ("test_it.py", line_of('state["lasting"] = 1')),
    }


def test_what_c_code_does_counts_for_the_line_that_called_it(writes):
    found = writes("test_deep", "['list'][0:]", "['late']")
    reducing = line_of('functools.reduce(lambda _, item: state["list"].append(item), [1], None)')
    assert places(found)["['list'][0:]"] == ("test_it.py", reducing)
    assert line_of('state["late"] = sum(') <= found["['late']"]["line"] <= line_of('state["late"] = sum(') + 3
    assert len(found["['list'][0:]"]["stack"]) == 10
    assert [frame["function"] for frame in found["['late']"]["stack"]] == ["test_deep"]


def test_what_an_import_does_is_found_in_the_module_and_what_it_is_in_the_line(writes):
    found = writes("test_import", "['imported']", "sys.modules['late_module']")
    assert places(found) == {
        "['imported']": ("late_module.py", 3),
        "sys.modules['late_module']": ("test_it.py", line_of("import late_module")),
    }
    assert found["['imported']"]["stack"][1]["line"] == line_of("import late_module")


def test_other_threads_are_followed(writes):
    assert places(writes("test_thread", "['threaded']")) == {
        "['threaded']": ("test_it.py", line_of('state["threaded"] = 1')),
    }


def test_the_last_of_several_writes_is_told_from_the_mark_on(writes):
    found = writes("test_failing", "['count']", "['list'][0:]")
    assert places(found) == {"['count']": ("test_it.py", line_of('state["count"] += 1'))}
    assert (found["['count']"]["before"], found["['count']"]["after"]) == ("0", "3")
