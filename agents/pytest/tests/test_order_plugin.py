"""`anyorder_order` runs the tests that a file names, in that order, as often as it names them."""
import json
import os
import re
import subprocess
import sys

import pytest

PLUGIN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

CONFTEST = '''
import os
import pytest

LOG = os.environ["EVENTS"]


def log(event):
    with open(LOG, "a", encoding="utf-8") as file:
        file.write(event + "\\n")


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        log("%s %s %s" % (report.outcome, report.when, report.nodeid.split("::", 1)[-1]))


def fixture(scope, autouse=False):
    @pytest.fixture(scope=scope, autouse=autouse)
    def value(request):
        log("+" + scope)
        yield [scope]
        log("-" + scope)

    return value


session_fixture = fixture("session")
module_fixture = fixture("module")
class_fixture = fixture("class")
function_fixture = fixture("function")


@pytest.fixture(params=["red", "blue"])
def colour(request):
    log("+" + request.param)
    yield request.param
    log("-" + request.param)
'''

SUITE = '''
"""A doctest of the module.

>>> 1 + 1
2
"""
import unittest

import pytest

from conftest import log

SEEN = []


def test_function(function_fixture):
    function_fixture.append("used")
    assert function_fixture == ["function", "used"]


@pytest.mark.parametrize("number", [1, 2])
def test_numbers(number):
    assert number in (1, 2)


def test_coloured(colour, module_fixture):
    assert module_fixture == ["module"]


def test_once():
    SEEN.append("here")
    assert len(SEEN) == 1


def test_dynamic(request):
    assert request.getfixturevalue("function_fixture") == ["function"]


@pytest.mark.skip(reason="never")
def test_skipped():
    raise AssertionError


@pytest.mark.xfail(strict=True)
def test_expected_failure(function_fixture):
    assert not function_fixture


def test_properties(record_property, request, caplog):
    assert request.node.user_properties == []
    record_property("key", "value")
    request.node.add_marker("slow")
    assert [mark.name for mark in request.node.own_markers] == ["slow"]
    request.node.keywords["added"] = True
    request.node.extra_keyword_matches.add("extra")


def test_temporary(tmp_path, monkeypatch):
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("text")


class TestMethods:
    instances = []

    def setup_method(self):
        log("+setup_method")

    def teardown_method(self):
        log("-setup_method")

    def test_method(self, class_fixture, session_fixture):
        assert not hasattr(self, "mark")
        self.mark = True
        assert all(self is not other for other in self.instances)
        self.instances.append(self)

    def test_keeps_its_fixtures(self, function_fixture):
        assert function_fixture == ["function"]


class TestUnit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        log("+setUpClass")

    @classmethod
    def tearDownClass(cls):
        log("-setUpClass")

    def setUp(self):
        log("+setUp")
        assert not hasattr(self, "mark")
        self.mark = True

    def tearDown(self):
        log("-setUp")

    def test_case(self):
        self.addCleanup(log, "clean-up")

    def test_sub_tests(self):
        for number in range(2):
            with self.subTest(number=number):
                self.assertLess(number, 2)
'''

EXAMPLES = '''
A doctest in a text file.

>>> word = "tea"
>>> word.upper()
'TEA'
'''

# Of each test, what one execution logs besides its report.
EXPECTED = {
    "test_function": ["+function", "passed", "-function"],
    "test_numbers[1]": ["passed"],
    "test_coloured[red]": ["+red", "passed", "-red"],
    "test_coloured[blue]": ["+blue", "passed", "-blue"],
    "test_dynamic": ["+function", "passed", "-function"],
    "test_skipped": ["skipped"],
    "test_expected_failure": ["+function", "skipped", "-function"],
    "test_properties": ["passed"],
    "test_temporary": ["passed"],
    "TestMethods::test_method": ["+setup_method", "passed", "-setup_method"],
    "TestMethods::test_keeps_its_fixtures": ["+setup_method", "+function", "passed", "-function", "-setup_method"],
    "TestUnit::test_case": ["+setUp", "-setUp", "clean-up", "passed"],
    "test_suite": ["passed"],
}
# Of each test, what stands around all three executions.
AROUND = {
    "test_coloured[red]": ["module"],
    "test_coloured[blue]": ["module"],
    "TestMethods::test_method": ["session", "class"],
    "TestUnit::test_case": ["setUpClass"],
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    directory = tmp_path_factory.mktemp("suite")
    (directory / "pytest.ini").write_text("[pytest]\naddopts = --doctest-modules --doctest-glob=*.rst\nmarkers = slow: x\n")
    (directory / "conftest.py").write_text(CONFTEST)
    (directory / "test_suite.py").write_text(SUITE)
    (directory / "examples.rst").write_text(EXAMPLES)
    return directory


def run(suite, ids, *arguments):
    """Runs `ids` through the plugin; gives the process's results and the events that were logged."""
    order, events = suite / "order.json", suite / "events"
    order.write_text(json.dumps(ids))
    events.write_text("")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "ANYORDER_"))}
    environment = dict(clean, PYTHONPATH=PLUGIN, ANYORDER_ORDER=str(order), EVENTS=str(events))
    command = [sys.executable, "-m", "pytest", "-p", "anyorder_order", "-p", "no:cacheprovider"]
    result = subprocess.run(
        command + list(arguments),
        cwd=str(suite),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        timeout=60,
    )
    return result, events.read_text().splitlines()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_each_kind_of_item_can_be_repeated(suite, name):
    node = "test_suite.py::" + name
    result, events = run(suite, [node] * 3)
    assert result.returncode == 0, result.stdout
    assert "error" not in result.stdout.lower(), result.stdout
    around = AROUND.get(name, [])
    once = EXPECTED[name]
    inner = [re.sub(r" .*", "", event) for event in events if event[1:] not in around]
    assert inner == once * 3, events
    for scope in around:
        assert [event for event in events if event[1:] == scope] == ["+" + scope, "-" + scope], events


def test_a_test_with_sub_tests_can_be_repeated(suite):
    """pytest 9 reports each subtest too, so only set-up and tear-down are compared."""
    result, events = run(suite, ["test_suite.py::TestUnit::test_sub_tests"] * 3)
    assert result.returncode == 0, result.stdout
    assert [event for event in events if event[1:] == "setUp"] == ["+setUp", "-setUp"] * 3


def test_a_doctest_in_a_text_file_can_be_repeated(suite):
    result, events = run(suite, ["examples.rst::examples.rst"] * 3)
    assert "3 passed" in result.stdout, result.stdout


def test_a_test_that_passes_only_once_shows_it(suite):
    result, events = run(suite, ["test_suite.py::test_once"] * 3)
    assert [event.split()[0] for event in events] == ["passed", "failed", "failed"]
    assert "2 failed, 1 passed" in result.stdout, result.stdout


def test_the_order_is_the_one_of_the_file(suite):
    names = ["TestUnit::test_case", "test_function", "test_numbers[2]", "test_function", "TestMethods::test_method"]
    result, events = run(suite, ["test_suite.py::" + name for name in names])
    assert [event.split()[-1] for event in events if event.startswith("passed")] == names, result.stdout


def test_repeats_apart_from_each_other_set_their_class_up_again(suite):
    names = ["TestUnit::test_case", "test_function", "TestUnit::test_case"]
    _, events = run(suite, ["test_suite.py::" + name for name in names])
    assert [event for event in events if "setUpClass" in event] == ["+setUpClass", "-setUpClass"] * 2


def test_unknown_ids_are_a_usage_error_that_names_them(suite):
    result, events = run(suite, ["test_suite.py::test_function", "test_suite.py::test_missing"])
    assert result.returncode == 4, result.stdout
    assert "not collected: test_suite.py::test_missing" in result.stdout
    assert events == []


def test_no_more_than_five_unknown_ids_are_named(suite):
    result, _ = run(suite, ["test_suite.py::missing_%d" % number for number in range(9)])
    assert result.returncode == 4, result.stdout
    assert "missing_4" in result.stdout
    assert "missing_5" not in result.stdout


def test_without_an_order_file_nothing_changes(suite):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "ANYORDER_"))}
    outputs = []
    for plugin in ([], ["-p", "anyorder_order"]):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"] + plugin
        environment = dict(clean, PYTHONPATH=PLUGIN, EVENTS=os.devnull)
        result = subprocess.run(command, cwd=str(suite), env=environment, stdout=subprocess.PIPE, universal_newlines=True)
        outputs.append([line for line in result.stdout.splitlines() if "::" in line])
    assert outputs[0] == outputs[1] != []


def test_an_order_file_that_does_not_exist_stops_the_run(suite):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "ANYORDER_"))}
    environment = dict(clean, PYTHONPATH=PLUGIN, ANYORDER_ORDER=str(suite / "missing.json"), EVENTS=os.devnull)
    command = [sys.executable, "-m", "pytest", "-p", "anyorder_order", "-p", "no:cacheprovider"]
    result = subprocess.run(
        command, cwd=str(suite), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    assert result.returncode not in (0, 1), result.stdout
    assert "missing.json" in result.stdout
