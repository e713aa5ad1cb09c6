"""State of the process that no Python object holds: directory, locale, signals, random numbers, what was left over.

Knows how to read it, as plain values under readable names. Does not know what it was before.
"""
import array
import sys

from .own import own
from .shapes import ABSENT

DECIMAL = "decimal_context"
_HANDLER = "handler of %s"
_MOMENTS = (0, 15552000)  # in a winter and in a summer
_NAMELESS = own.pattern(r"(socket|pipe):\[")


def facts(ours, is_collecting):
    """Path, kind and value of each. `ours` are the descriptors of the agent itself; `is_collecting` is whether garbage is
    collected, but for this moment."""
    found = {}
    _settings(found, is_collecting)
    _random(found)
    _signals(found)
    _context(found)
    _threads(found)
    found.update((path, ("left-over", "open")) for path in descriptors(ours))
    return found


def reader(path, ours):
    """Reads one of these facts, with few others; nothing if there is none of that name."""
    settings = {}
    _settings(settings, True)
    if path in settings:
        return _only(path, lambda found: _settings(found, own.gc_enabled()))
    for number in own.signals:
        if path == _HANDLER % number.name:
            return lambda: own.getsignal(number)
    for start, read in (("random numbers", _random), ("context variable ", _context), ("thread ", _threads)):
        if path.startswith(start):
            return _only(path, read)
    if path.startswith("descriptor of "):
        return _unless_same(lambda: own.listdir("/proc/self/fd"), lambda: descriptors(ours).get(path, ABSENT))
    return None


def _only(path, read):
    def value():
        found = {}
        read(found)
        return found.get(path, (None, ABSENT))[1]

    return value


def _unless_same(look, read):
    """Reads again if a look has shown something else than the last time."""
    last = [None, None]

    def value():
        seen = look()
        if seen != last[0]:
            last[:] = seen, read()
        return last[1]

    return value


def _settings(found, is_collecting):
    try:
        found["working directory"] = "process", own.getcwd().decode("utf-8", "backslashreplace")
    except OSError:
        found["working directory"] = "process", ABSENT
    mask = own.umask(0o77)
    own.umask(mask)
    found["umask"] = "process", oct(mask)
    found["locale"] = "process", _locale()
    times = [own.local_time(moment) for moment in _MOMENTS]
    found["time zone"] = "process", tuple([(time.tm_zone, time.tm_gmtoff) for time in times])
    found["recursion limit"] = "process", own.recursion_limit()
    found["switch interval"] = "process", own.switch_interval()
    found["garbage collector"] = "process", (is_collecting, own.gc_count(), own.gc_debug())
    found["default timeout of sockets"] = "process", own.default_timeout()
    found["tracer"] = "process", own.tracer()
    found["profiler"] = "process", own.profiler()
    found["functions to call at exit"] = "process", own.atexit_count()
    found["timer"] = "process", bool(own.timer(0)[0])


def _locale():
    try:
        return own.locale(own.LC_ALL, None)
    except Exception:
        return ABSENT


def _random(found):
    generator = getattr(sys.modules.get("random"), "_inst", None)
    if generator is not None:
        version, numbers, gauss = generator.getstate()
        found["random numbers"] = "process", (_digest(array.array("I", numbers)), gauss)
    numpy = getattr(sys.modules.get("numpy.random"), "get_state", None)
    if numpy is not None:
        state = numpy()
        found["random numbers of numpy"] = "process", (_digest(state[1]),) + tuple(map(str, state[2:]))


def _digest(buffer):
    return own.digest(memoryview(buffer)).hexdigest()[:16]


def _signals(found):
    for number in own.signals:
        handler = own.getsignal(number)
        if handler is not None:
            found[_HANDLER % number.name] = "process", handler


def _context(found):
    for variable, value in own.context().items():
        if variable.name == DECIMAL:
            value = repr(value)
        found[_path_of_variable(variable)] = "context", value


def context_variables():
    """Variables that have a value here, by path."""
    return {_path_of_variable(variable): variable for variable in own.context()}


_paths_of_variables = {}


def _path_of_variable(variable):
    """The first of several that have one name has it for itself."""
    if variable not in _paths_of_variables:
        path = "context variable %s" % variable.name
        _paths_of_variables[variable] = _numbered(_paths_of_variables.values(), path)
    return _paths_of_variables[variable]


def _threads(found):
    for thread in own.threads():
        found[_numbered(found, "thread %s" % thread.name)] = "left-over", type(thread).__name__


def descriptors(ours):
    """Those that are open, by path."""
    found = {}
    for descriptor in sorted(own.listdir("/proc/self/fd"), key=int) if own.memfd is not None else ():
        try:
            target = own.readlink("/proc/self/fd/" + descriptor)
        except OSError:
            continue  # the one that lists them
        if int(descriptor) not in ours:
            match = _NAMELESS.match(target)
            found[_numbered(found, "descriptor of %s" % (match.group(1) if match else target))] = int(descriptor)
    return found


def _numbered(found, path):
    """Several of one name are told apart by numbers."""
    number, numbered = 1, path
    while numbered in found:
        number += 1
        numbered = "%s (%d)" % (path, number)
    return numbered
