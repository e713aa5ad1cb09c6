"""What is told about cells is what somebody needs who writes code about them: the code works, and restores what was there."""
import pytest

from test_watch import HOSTILE

RATES = """
    import collections
    import contextvars
    import functools
    import logging
    import os
    import threading

    CURRENCY = "USD"
    FLAGS = {"beta": False, 7: [1, (2,)], "deep": {"a": {"x"}}}
    ORDERS = [1, 2, 3]
    TAGS = {"sale"}
    QUEUE = collections.deque([1])
    RAW = bytearray(b"ab")
    LATEST = collections.OrderedDict(a=1)
    MANY = {number: number for number in range(120)}
    LOCAL = threading.local()
    LOCAL.name = "main"
    MOOD = contextvars.ContextVar("mood")
    MOOD.set("calm")
    LOGGER = logging.getLogger("shop.log")
    NOTHING = object()
    LONG = "x" * 400
    INFINITE = [float("inf")]

    class Cart:
        limit = 3
        kept = []

        def __init__(self):
            self.items = ["apple"]

        @property
        def total(self):
            raise AssertionError("it was looked at")

    class Slim:
        __slots__ = ("size",)

    CART = Cart()
    SLIM = Slim()
    SLIM.size = 1

    @functools.lru_cache(None)
    def rate(day):
        return day

    def remembers():
        seen, calls = {}, 0
        def look(key):
            nonlocal calls
            calls += 1
            return seen.setdefault(key, calls)
        return look

    look = remembers()

    def grow(into=[]):
        into.append(1)
    """
TESTS = """
    import logging, os, sys
    import rates
    from rates import FLAGS as OURS

    HERE = 1

    def test_changes():
        global HERE
        HERE = 2
        rates.CURRENCY = "EUR"
        rates.FLAGS = dict(rates.FLAGS, beta=True)
        OURS[7].append(3)
        OURS["new"] = 1
        rates.ORDERS.append(4)
        rates.TAGS.add("new")
        rates.QUEUE.append(2)
        rates.RAW[0] = 0
        rates.LATEST["b"] = 2
        rates.MANY[60] = 0
        rates.LOCAL.name = "other"
        rates.MOOD.set("wild")
        rates.LOGGER.setLevel(10)
        logging.root.setLevel(10)
        rates.NOTHING = rates.LONG = rates.INFINITE = None
        rates.Cart.limit = 4
        rates.Cart.kept.append(1)
        rates.CART.items.append("pear")
        rates.CART.owner = "me"
        rates.SLIM.size = 2
        rates.rate(5)
        rates.look("a")
        rates.grow()
        os.environ["SHOP"] = "open"
        sys.modules["odd"] = rates

    def test_nothing():
        pass
    """


@pytest.fixture
def changed(suite):
    """A process in which everything has changed, with a fork of the marked state that nothing has changed in."""
    engine, fresh = suite(rates=RATES, test_rates=TESTS)
    still = engine.fork(fresh)
    fresh.run(0)
    return fresh, still


ALL = {
    "rates.CURRENCY": ("global", "rates", "CURRENCY", "builtins.str", "'USD'"),
    "rates.ORDERS[3:]": ("item", "rates.ORDERS", "3:", "builtins.list", "[]"),
    "rates.TAGS{'new'}": ("item", "rates.TAGS", "'new'", None, None),
    "rates.QUEUE[1:]": ("item", "rates.QUEUE", "1:", "builtins.list", "[]"),
    "rates.LATEST['b']": ("item", "rates.LATEST", "'b'", None, None),
    "rates.MANY[60]": ("item", "rates.MANY", "60", "builtins.int", "60"),
    "rates.LOCAL.name": ("context", "rates.LOCAL", "name", "builtins.str", "'main'"),
    "context variable mood": ("context", "rates.MOOD", None, "builtins.str", "'calm'"),
    "logging.getLogger('shop.log').level": (
        "attribute", "logging.getLogger('shop.log')", "level", "builtins.int", "0",
    ),
    "logging.root.level": ("attribute", "logging.root", "level", "builtins.int", "30"),
    "rates.NOTHING": ("global", "rates", "NOTHING", "builtins.object", None),
    "rates.LONG": ("global", "rates", "LONG", "builtins.str", None),
    "rates.INFINITE": ("global", "rates", "INFINITE", "builtins.list", None),
    "rates.Cart.limit": ("class-attribute", "rates.Cart", "limit", "builtins.int", "3"),
    "rates.Cart.kept[0:]": ("item", "rates.Cart.kept", "0:", "builtins.list", "[]"),
    "rates.CART.items[1:]": ("item", "rates.CART.items", "1:", "builtins.list", "[]"),
    "rates.CART.owner": ("attribute", "rates.CART", "owner", None, None),
    "rates.SLIM.size": ("attribute", "rates.SLIM", "size", "builtins.int", "1"),
    "rates.rate.<cache>[5]": ("cache", "rates.rate", None, None, None),
    "rates.look.<closure seen>['a']": ("item", "rates.look.__closure__[1].cell_contents", "'a'", None, None),
    "rates.look.<closure calls>": ("closure", "rates.look", "calls", "builtins.int", "0"),
    "rates.grow.__defaults__[0][0:]": ("item", "rates.grow.__defaults__[0]", "0:", "builtins.list", "[]"),
    "os.environ['SHOP']": ("environment", "os.environ", "'SHOP'", None, None),
    "sys.modules['odd']": ("module", "sys.modules", "'odd'", None, None),
    "test_rates.HERE": ("global", "test_rates", "HERE", "builtins.int", "1"),
}


def told(about):
    return tuple(about.get(name) for name in ("kind", "expression", "key", "class", "literal"))


def test_a_changed_cell_is_told_as_python_would_say_it(changed):
    node, _ = changed
    differing = node.diff()
    assert not set(ALL) - set(differing)
    about = node.about(*ALL)
    assert {path: told(about[path]) for path in ALL} == ALL
    assert about["rates.CURRENCY"]["file"] == "rates.py"
    assert about["rates.CURRENCY"]["holder"] == "builtins.module"
    assert about["rates.MANY[60]"]["holder"] == "builtins.dict"
    assert about["rates.CART.items[1:]"]["module"] == "rates"
    assert about["os.environ['SHOP']"]["module"] == "os"
    assert about["test_rates.HERE"]["file"] == "test_rates.py"


def test_a_value_is_told_as_it_was_at_the_mark_whatever_it_holds_now(changed):
    node, _ = changed
    about = node.about("rates.FLAGS")["rates.FLAGS"]
    assert about["literal"] == "{'beta': False, 7: [1, (2,)], 'deep': {'a': {'x'}}}"
    assert about["class"] == "builtins.dict"


def test_what_has_another_name_by_now_goes_by_that(changed):
    node, _ = changed
    (path,) = [path for path in node.diff() if path.endswith("['new']")]
    about = node.about(path)[path]
    assert (about["expression"], about["module"], about["key"]) == ("test_rates.OURS", "test_rates", "'new'")


def test_cells_that_have_not_changed_are_told_alike(changed):
    _, still = changed
    absent = {path for path, (_, _, _, kind, _) in ALL.items() if kind is None} | {"context variable mood"}
    asked = [path for path in ALL if path not in absent and not path.endswith(":]")]
    about = still.about(*asked)
    assert {path: told(about[path]) for path in asked} == {path: ALL[path] for path in asked}
    assert still.about("rates.FLAGS")["rates.FLAGS"]["expression"] == "rates"


def test_code_that_was_written_by_what_is_told_puts_the_cells_back(changed):
    node, _ = changed
    before = set(node.diff())
    about = node.about("rates.CURRENCY", "rates.ORDERS[3:]", "rates.MANY[60]", "rates.SLIM.size")
    for cell in about.values():
        place = "%s[%s]" if cell["kind"] == "item" else "%s.%s"
        statement = "%s = %s" % (place % (cell["expression"], cell["key"]), cell["literal"])
        assert node.attempt("import %s\n%s" % (cell["module"], statement)) is None
    assert before - set(node.diff()) == set(about)


def test_what_nobody_can_write_code_about_has_a_kind_and_no_expression(suite):
    _, fresh = suite(test_a="""
        import os
        def test_directory():
            os.chdir("/")
        """)
    fresh.run(0)
    assert fresh.about("working directory", "there.is.nothing") == {
        "working directory": {"path": "working directory", "kind": "process"},
        "there.is.nothing": {"path": "there.is.nothing"},
    }


def test_what_is_no_cell_has_the_module_that_its_path_begins_with(changed):
    node, _ = changed
    assert node.about("rates", "rates.nothing") == {
        path: {"path": path, "module": "rates", "file": "rates.py"} for path in ("rates", "rates.nothing")
    }


def test_a_name_of_the_package_that_hides_its_module_is_no_way_to_it(suite):
    _, fresh = suite(shop="def rates(): pass\n__path__ = ['.']\n", test_a="""
        import sys, types
        module = sys.modules["shop.rates"] = types.ModuleType("shop.rates")
        module.BASE = 1
        import shop
        def test_changes():
            module.BASE = 2
        """)
    fresh.run(0)
    (path,) = [path for path in fresh.diff() if path.endswith(".BASE")]
    about = fresh.about(path)[path]
    assert about["expression"] == "test_a.module"


def test_hostile_objects_are_told_about_without_being_asked(suite):
    _, fresh = suite(odd=HOSTILE, test_a="import odd\ndef test_nothing(): pass\n")
    fresh.run(0)
    fresh.about(*fresh.diff())
