"""The verb `trace`: which code runs during a test, and from it the names that the test may look at.

From Python 3.12 on `sys.monitoring` tells each function once per test; below, a profiler counts calls. Where another tool has
the profiler, or all numbers for tools are taken, no code is told: the suite's own tools come first. Knows when code starts;
what it mentions is known to `Reads`.
"""
import threading
import types

from .opened import Opened
from .own import own

_TOOL_IDS = (4, 3)  # the others are set apart for debuggers, coverage, profilers and optimisers


class Tracer:
    """Listens between `begin` and `end`."""

    def __init__(self, reads, root):
        self._reads = reads
        self._opened = Opened(root)
        self._ran = {}
        self._listener = Monitoring(self._ran) if own.monitoring is not None else _Counting(self._ran)

    def begin(self):
        self._ran.clear()
        self._hears = self._opened.begin()
        self._listener.start()

    def end(self, item):
        """What goes into the outcome: `ran`, `reads` and `code`, and `opened` where that can be heard."""
        self._listener.stop()
        opened = self._opened.end()
        ran, reads, code = self._reads.of(self._ran.values())
        reads.update("fixture " + name for name in getattr(item, "fixturenames", ()))
        reads.update("parameter " + name for name in getattr(getattr(item, "callspec", None), "params", ()))
        self._ran.clear()
        told = {"ran": ran, "reads": sorted(reads), "code": code}
        return dict(told, opened=opened) if self._hears else told


class Monitoring:
    """`sys.monitoring`: an event for the first start of each function."""

    def __init__(self, ran):
        self._ran = ran
        self._tool = None

    def start(self):
        monitoring = own.monitoring
        self._tool = next((tool for tool in _TOOL_IDS if monitoring.get_tool(tool) is None), None)
        if self._tool is None:
            return
        ran, frame, disable = self._ran, own.frame, monitoring.DISABLE

        def started(code, _):
            ran[id(code)] = code, frame(1).f_globals
            return disable

        monitoring.use_tool_id(self._tool, "anyorder")
        monitoring.register_callback(self._tool, monitoring.events.PY_START, started)
        monitoring.restart_events()
        monitoring.set_events(self._tool, monitoring.events.PY_START)

    def stop(self):
        if self._tool is not None and own.monitoring.get_tool(self._tool) == "anyorder":
            own.monitoring.set_events(self._tool, 0)
            own.monitoring.register_callback(self._tool, own.monitoring.events.PY_START, None)
            own.monitoring.free_tool_id(self._tool)
        self._tool = None


class _Counting:
    """The interpreter's own profiler counts calls in C, and no Python code has to run for each. It does not tell in which
    namespace code ran."""

    def __init__(self, ran):
        self._ran = ran
        self._counters = []

    def start(self):
        if own.profiler() is None:
            self._count()
            if threading._profile_hook is None:
                own.set_profiler_of_threads(self._count)

    def _count(self, *_):
        """Each thread for itself."""
        self._counters.append(own.call_counter(subcalls=False, builtins=False))
        self._counters[-1].enable()

    def stop(self):
        if self._counters and own.profiler() is self._counters[0]:
            self._counters[0].disable()
        if threading._profile_hook == self._count:
            own.set_profiler_of_threads(None)
        for code in [entry.code for counter in self._counters for entry in counter.getstats()]:
            if type(code) is types.CodeType:
                self._ran[id(code)] = code, None
        self._counters = []


class Hook:
    """A trace function for all threads, where there is no other."""

    def __init__(self, function):
        self._function = function

    def start(self):
        if own.tracer() is None:
            own.set_tracer(self._function)
            if threading._trace_hook is None:
                own.set_tracer_of_threads(self._function)

    def stop(self):
        if own.tracer() is self._function:
            own.set_tracer(None)
        if threading._trace_hook is self._function:
            own.set_tracer_of_threads(None)
