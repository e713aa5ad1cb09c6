"""Functions that get other code: whoever holds them, and compiled as pytest would have done it."""
import textwrap

import pytest

TESTS = """
    import functools
    import unittest
    from unittest import mock
    import pytest

    class Base:
        def ready(self): return True

    @pytest.fixture
    def cart():
        cart = [1]
        yield cart
        cart.clear()

    def test_plain(cart):
        total = sum(cart)
        assert total == 1

    @pytest.mark.parametrize("n", [1, 2])
    @mock.patch("os.sep", "x")
    def test_decorated(n):
        n = n + 0
        assert n < 3

    def unnamed(function):
        def call():
            return function()
        return call

    @unnamed
    def test_wrapped():
        n = 1
        assert n == 1

    class CartTest(unittest.TestCase, Base):
        def test_method(self):
            __n = 1
            assert __n == 1 and super().ready()
            self._CartTest__m = 2
            assert self.__m == 2

        def test_super(self):
            n = super().ready()
            assert n
    """
LINES = textwrap.dedent(TESTS)
PLAIN, ONE, TWO, WRAPPED, METHOD, SUPER = range(6)


def alone(first, last, *headers, **replaced):
    """The lines from one to another of the tests' file, with these classes around, and some words replaced."""
    lines = LINES.splitlines()
    start = next(at for at, line in enumerate(lines) if line.strip().startswith(first))
    end = next(at for at, line in enumerate(lines) if at >= start and line.strip().startswith(last))
    kept = [""] * start + lines[start : end + 1]
    for line, text in headers:
        kept[line] = text
    text = "\n".join(kept) + "\n"
    for old, new in replaced.get("words", {}).items():
        assert old in text
        text = text.replace(old, new)
    return text


def swap(node, names, text):
    said = node.ask("swap", "swapped", file="test_cart.py", names=names, text=text)[-1]
    return said["invalid"], said["refused"]


def outcome(engine, node, test):
    return engine.fork(node).run(test)[0]


def in_class():
    return next(at for at, line in enumerate(LINES.splitlines()) if line.startswith("class CartTest")), "class CartTest:"


def test_a_plain_test_fails_as_pytest_would_tell_it(suite):
    engine, fresh = suite(test_cart=TESTS)
    text = alone("def test_plain", "assert total", words={"total = sum(cart)": "total = 2"})
    assert swap(fresh, ["test_plain"], text) == (None, None)
    failed = outcome(engine, fresh, PLAIN)
    assert failed["outcome"] == "failed"
    assert failed["signature"]["message"] == "assert 2 == 1"


def test_the_account_of_a_failure_is_made_only_if_it_is_wanted(suite):
    engine, fresh = suite(test_cart=TESTS)
    text = alone("def test_method", "assert self", in_class(), words={"Test__m = 2": "Test__m = 3"})
    fresh.ask("swap", "swapped", file="test_cart.py", names=["CartTest", "test_method"], text=text)
    run = dict(tests=[METHOD], finish=True)
    brief, full = (engine.fork(fresh).ask("run", "ran", output=wanted, **run)[0] for wanted in (False, True))
    assert brief["signature"] == full["signature"]
    assert brief["signature"]["at"].startswith("test_cart.py:")
    assert "super().ready()" in full["output"]


def test_a_fixture_is_changed_for_all_who_ask_for_it(suite):
    engine, fresh = suite(test_cart=TESTS)
    text = alone("@pytest.fixture", "cart.clear", words={"cart = [1]": "cart = [5]"})
    assert swap(fresh, ["cart"], text) == (None, None)
    assert outcome(engine, fresh, PLAIN)["outcome"] == "failed"


@pytest.mark.parametrize(
    "names, first, tests",
    [(["test_decorated"], "@pytest.mark.parametrize", [ONE, TWO]), (["test_wrapped"], "@unnamed", [WRAPPED])],
    ids=["with a name", "without one"],
)
def test_what_decorators_hold_is_found(suite, names, first, tests):
    engine, fresh = suite(test_cart=TESTS)
    words = {"n = n + 0": "n = 5"} if len(tests) == 2 else {"n = 1\n": "n = 5\n"}
    text = alone(first, "assert n", words=words)
    assert swap(fresh, names, text) == (None, None)
    assert [outcome(engine, fresh, test)["outcome"] for test in tests] == ["failed"] * len(tests)


def test_a_method_keeps_its_class(suite):
    engine, fresh = suite(test_cart=TESTS)
    text = alone("def test_method", "assert self", in_class(), words={"Test__m = 2": "Test__m = 3"})
    assert outcome(engine, fresh, METHOD)["outcome"] == "passed"
    assert swap(fresh, ["CartTest", "test_method"], text) == (None, None)
    assert outcome(engine, fresh, METHOD)["outcome"] == "failed"


def test_what_cannot_be_swapped_is_refused_and_nothing_is_changed(suite):
    engine, fresh = suite(test_cart=TESTS)
    text = alone("def test_super", "assert n", in_class(), words={"super().ready()": "False"})
    assert swap(fresh, ["CartTest", "test_super"], text) == (None, "it closes over other names")
    assert outcome(engine, fresh, SUPER)["outcome"] == "passed"
    text = alone("@pytest.fixture", "cart.clear", words={"yield cart": "return cart"})
    assert swap(fresh, ["cart"], text) == (None, "it becomes a function of another kind")
    assert swap(fresh, ["nobody"], "def nobody(): pass\n") == (None, "nobody holds it any more")
    assert fresh.ask("swap", "swapped", file="no.py", names=["a"], text="def a(): pass\n")[-1]["refused"]
    assert outcome(engine, fresh, PLAIN)["outcome"] == "passed"


def test_what_does_not_compile_is_invalid(suite):
    _, fresh = suite(test_cart=TESTS)
    text = alone("def test_plain", "assert total", words={"total = sum(cart)": "nonlocal cart"})
    invalid, refused = swap(fresh, ["test_plain"], text)
    assert invalid.startswith("SyntaxError") and refused is None
