"""Folds what pytest reports of one test into one outcome with a failure signature.

Knows pytest's reports; does not know which test comes next, nor where outcomes are sent.
"""
import pytest

MESSAGE_LIMIT = 300
OUTPUT_LIMIT = 64 * 1024

# Plugins invent others.
_PHASES = ("setup", "call", "teardown")

# A later report may only make an outcome more telling, never less.
_RANK = {"passed": 0, "skipped": 1, "xfailed": 2, "xpassed": 3, "error": 4, "failed": 5}


class Observer:
    """A pytest plugin object; `begin` and `outcome` frame the execution of one test."""

    def __init__(self, root):
        self._root = root
        self.begin(False)

    def begin(self, with_output):
        self._with_output = with_output
        self._outcome = "passed"
        self._deciding = None  # the report that the outcome comes from
        self._signature = None
        self._output = []

    def outcome(self):
        """What the reports since `begin` add up to, as the fields of an `outcome` message."""
        seen = {"outcome": self._outcome}
        if self._deciding is not None:
            seen["phase"] = self._deciding.when if self._deciding.when in _PHASES else "call"
            seen["signature"] = self._signature or {"kind": "", "message": _head(_reason(self._deciding))}
        if self._with_output:
            seen["output"] = "".join(self._output)[-OUTPUT_LIMIT:]
        self.begin(False)  # keeps nothing of the test alive
        return seen

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item):
        """The usual account of a failure looks at the files of all modules, and parses those that it went through.

        Who does not want the output has no use for more than the signature.
        """
        if self._with_output:
            yield
            return
        option = item.config.option
        style = option.tbstyle
        option.tbstyle = "line"
        try:
            yield
        finally:
            option.tbstyle = style

    def pytest_runtest_logreport(self, report):
        outcome = _outcome_of(report)
        if outcome is not None and _RANK[outcome] > _RANK[self._outcome]:
            self._outcome, self._deciding, self._signature = outcome, report, None
        if self._with_output:
            self._keep_output(report)

    def pytest_exception_interact(self, call, report):
        """pytest calls this right after it has logged the report of an exception that counts."""
        if report is self._deciding:
            self._signature = self.signature(call.excinfo, report.longrepr)

    def _keep_output(self, report):
        if report.outcome == "failed":
            self._output.append(str(report.longrepr) + "\n")
        if report.when == "teardown" or report.outcome == "failed":
            self._output.extend("---- %s ----\n%s\n" % section for section in report.sections)

    def signature(self, excinfo, longrepr=None):
        """Exception type, head of its message, and the place in the suite's code where it came up."""
        crash = getattr(longrepr, "reprcrash", None)
        if crash is None:
            try:
                crash = excinfo._getreprcrash()
            except Exception:  # a traceback without entries, or a hostile __repr__
                crash = None
        kind = excinfo.typename
        if crash is None:
            return {"kind": kind, "message": ""}
        message = crash.message
        if message.startswith(kind + ": "):
            message = message[len(kind) + 2:]
        path = str(crash.path)
        if path.startswith(self._root):
            path = path[len(self._root):]
        return {"kind": kind, "message": _head(message), "at": "%s:%d" % (path, crash.lineno)}


def _outcome_of(report):
    if hasattr(report, "context") and report.outcome != "failed":
        return None  # one subtest of several; the test itself is reported too
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.outcome == "skipped" else "xpassed"
    return report.outcome if report.outcome in _RANK else None


def _reason(report):
    if hasattr(report, "wasxfail"):
        return report.wasxfail
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2]
    return str(report.longrepr)


def _head(text):
    return text.strip().partition("\n")[0][:MESSAGE_LIMIT]
