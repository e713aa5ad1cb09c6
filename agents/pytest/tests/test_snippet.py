"""Statements that are tried before a test: what they see, what stays, and what they may do."""

SHOP = """
    CURRENCY = "USD"
    def reset():
        global CURRENCY
        CURRENCY = "USD"
    """
TESTS = """
    import shop as store
    COUNT = 1
    def test_currency(capsys):
        assert store.CURRENCY == "USD"
        assert capsys.readouterr().out == ""
        assert COUNT == 1
    def test_switch():
        store.CURRENCY = "EUR"
    """


def test_statements_see_the_names_of_a_module_and_leave_none_there(suite):
    engine, fresh = suite(shop=SHOP, test_shop=TESTS)
    fresh.run(1)
    assert engine.fork(fresh).run(0)[0]["outcome"] == "failed"
    text = "import sys\nCOUNT = 2\nprint('much' * 1000)\nsys.stderr.write('more')\ndef call(): store.reset()\ncall()"
    assert fresh.attempt(text) is None
    assert fresh.run(0)[0]["outcome"] == "passed"
    assert "test_shop.COUNT" not in fresh.diff()


def test_whatever_statements_raise_is_told_and_the_process_goes_on(suite):
    _, fresh = suite(shop=SHOP, test_shop=TESTS)
    told = {
        "nobody": "NameError: name 'nobody' is not defined",
        "raise SystemExit": "SystemExit",
        "raise KeyboardInterrupt('now')": "KeyboardInterrupt: now",
        "import pytest; pytest.exit('enough')": "Exit: enough",
        "raise ValueError('x' * 1000)": ("ValueError: " + "x" * 1000)[:300],
        "raise ValueError('\\udc80')": "ValueError: \\udc80",
        "class Odd(Exception):\n    def __str__(self): return 1\nraise Odd": "Odd",
    }
    assert {text: fresh.attempt(text) for text in told} == told
    assert fresh.attempt("if").startswith("SyntaxError: ")
    assert fresh.run(0)[0]["outcome"] == "passed"


def test_a_fork_that_statements_make_ends_with_them(suite):
    _, fresh = suite(shop=SHOP, test_shop=TESTS)
    assert fresh.attempt("import os\npid = os.fork()\npid and os.waitpid(pid, 0)") is None
    assert fresh.run(0)[0]["outcome"] == "passed"
