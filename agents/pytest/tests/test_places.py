"""Cells of the project that something could change are told, and changed in place."""
from test_watch import HOSTILE

SHOP = """
    import collections
    import enum
    import os
    import types
    from sys import path

    CURRENCY = "USD"
    RATE = 1.5
    CONSTANT = 7
    __version__ = "1"
    NOTHING = None
    FLAGS = {"beta": True}
    ALIAS = FLAGS
    ORDERS = []
    TAGS = {"sale"}
    QUEUE = collections.deque([1, 2], maxlen=2)
    LATEST = collections.OrderedDict(a=1)
    RAW = bytearray(b"x")
    HANDLERS = [len]
    TABLE = {"a": 1}
    ODD = {(1, 2): 3}
    SPACE = types.SimpleNamespace(debug=False)

    class Color(enum.Enum):
        RED = 1
        seen = []

    class Cart:
        limit = 3
        kept = []

        class Line:
            lines = {}

        def __init__(self):
            self.owner = b"a"
            self.items = []

    class Slim:
        __slots__ = ("size",)

    CART = Cart()
    SLIM = Slim()
    SLIM.size = 1

    def switch(currency):
        global CURRENCY
        CURRENCY = currency

    def grow(cart):
        def inner():
            cart.limit = 4
            cart.size = cart.seen = 2
        inner()

    def change(line):
        ALIAS["beta"] = line
        ORDERS.append(HANDLERS[0])
        TAGS.update(line)
        del ODD[1, 2]
        queue = QUEUE
        queue.rotate()
        CART.items.clear()

    def keep(cart, line):
        cart.kept.extend(line)
        cart.Line.lines.setdefault(line, len(TABLE))
    """
TESTS = """
    import shop

    CASES = [1]

    def test_patches(monkeypatch):
        monkeypatch.setattr(shop, "RATE", 2)
        monkeypatch.setattr("shop.SPACE.debug", True)
        monkeypatch.setitem(shop.LATEST, "a", 2)

    def test_looks():
        assert CASES
    """


def places(suite, **files):
    engine, fresh = suite(**files)
    child = engine.fork(fresh)
    told = child.ask("places", "places")[-1]["places"]
    child.close()
    return engine, fresh, {place["path"]: place for place in told}


def test_what_some_code_stores_or_changes_is_a_place(suite):
    _, _, told = places(suite, shop=SHOP, test_it=TESTS)
    assert {path: place["ways"] for path, place in told.items()} == {
        "shop.CURRENCY": ["other"], "shop.RATE": ["other"], "shop.SPACE.debug": ["other"],
        "shop.Cart.limit": ["other"], "shop.CART.owner": ["other"], "shop.SLIM.size": ["other"],
        "shop.FLAGS": ["emptied", "extra"], "shop.ORDERS": ["extra"], "shop.TAGS": ["emptied", "extra"],
        "shop.QUEUE": ["emptied", "extra"], "shop.LATEST": ["emptied", "extra"], "shop.ODD": ["emptied"],
        "shop.Cart.kept": ["extra"], "shop.Cart.Line.lines": ["extra"], "shop.CART.items": ["extra"],
    }
    currency, flags = told["shop.CURRENCY"], told["shop.FLAGS"]
    assert (currency["kind"], currency["before"], currency["names"]) == ("global", "'USD'", ["shop.CURRENCY", ".CURRENCY"])
    assert {"shop.FLAGS", "shop.ALIAS"} <= set(flags["names"])
    assert told["shop.Cart.limit"]["kind"] == "class-attribute"
    assert told["shop.CART.owner"]["kind"] == "attribute"


def test_a_perturbed_cell_is_changed_in_place_and_the_difference_is_just_that(suite):
    engine, fresh, _ = places(suite, shop=SHOP, test_it=TESTS)
    wanted = {
        ("shop.CURRENCY", "other"): ("'USD~'", "shop.CURRENCY"),
        ("shop.SPACE.debug", "other"): ("True", "shop.SPACE.debug"),
        ("shop.Cart.limit", "other"): ("4", "shop.Cart.limit"),
        ("shop.CART.owner", "other"): ("b'a~'", "shop.CART.owner"),
        ("shop.SLIM.size", "other"): ("2", "shop.SLIM.size"),
        ("shop.FLAGS", "emptied"): ("{}", "shop.FLAGS['beta']"),
        ("shop.FLAGS", "extra"): ("{'beta': True, 'beta~': True}", "shop.FLAGS['beta~']"),
        ("shop.ORDERS", "extra"): ("['~']", "shop.ORDERS[0:]"),
        ("shop.TAGS", "extra"): ("{'sale', 'sale~'}", "shop.TAGS{'sale~'}"),
        ("shop.HANDLERS", "extra"): ("[<built-in function len>, <built-in function len>]", "shop.HANDLERS[1:]"),
        ("shop.RAW", "emptied"): ("bytearray(b'')", "shop.RAW[:]"),
    }
    found = {}
    for cell, way in wanted:
        child = engine.fork(fresh)
        after = child.ask("perturb", "perturbed", cell=cell, way=way)[-1]["after"]
        (changed,) = child.diff()
        found[cell, way] = after, changed
        child.close()
    assert found == wanted


def test_what_is_no_place_is_refused_and_the_process_goes_on(suite):
    engine, fresh, _ = places(suite, shop=SHOP, test_it=TESTS)
    child = engine.fork(fresh)
    for cell, way in (("shop.MISSING", "other"), ("shop.FLAGS", "other"), ("shop.Color.RED", "other"), ("sys.path", "extra")):
        child.tell("perturb", cell=cell, way=way)
        assert child.hear() == {"say": "trouble", "text": "there is nothing like that"}
    assert [outcome["outcome"] for outcome in child.run(0)] == ["passed"]
    child.close()


def test_places_and_perturbing_run_no_code_of_the_project(suite):
    more = """
    odd2 = Odd(a=Hostile())
    single = Hostile()

    def change():
        odd2["b"] = held["c"] = 1
    """
    engine, fresh, told = places(suite, hostile=HOSTILE + more, test_it="import hostile\ndef test_nothing(): pass\n")
    for cell, way in (("hostile.odd2", "emptied"), ("hostile.odd2", "extra"), ("hostile.held", "extra")):
        assert way in told[cell]["ways"]
        child = engine.fork(fresh)
        child.ask("places", "places")
        child.ask("perturb", "perturbed", cell=cell, way=way)
        assert [path[:len(cell)] for path in child.diff()] == [cell]
        child.close()
