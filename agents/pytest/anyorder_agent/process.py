"""State of the process that no Python object holds: directory, locale, signals, random numbers, what was left over.

Knows how to read it, as plain values under readable names. Does not know what it was before.
"""
import array
import sys

from .own import own
from .shapes import ABSENT

_LINK = own.pattern(r"^(socket|pipe|anon_inode):")


def facts(ours):
    """Path, kind and value of each. `ours` are the descriptors of the agent itself."""
    found = {}
    _settings(found)
    _random(found)
    _signals(found)
    _context(found)
    _left_over(found, ours)
    return found


def _settings(found):
    try:
        found["working directory"] = "process", own.getcwd().decode("utf-8", "backslashreplace")
    except OSError:
        found["working directory"] = "process", ABSENT
    mask = own.umask(0o77)
    own.umask(mask)
    found["umask"] = "process", oct(mask)
    found["locale"] = "process", _locale()
    found["recursion limit"] = "process", own.recursion_limit()
    found["switch interval"] = "process", own.switch_interval()
    found["garbage collector"] = "process", (own.gc_enabled(), own.gc_count(), own.gc_debug())
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
            found["handler of %s" % number.name] = "process", handler


def _context(found):
    for variable, value in own.context().items():
        if variable.name == "decimal_context":
            value = repr(value)
        found["context variable %s" % variable.name] = "context", value


def _left_over(found, ours):
    for thread in own.threads():
        path, number = "thread %s" % thread.name, 1
        while path in found:
            number += 1
            path = "thread %s (%d)" % (thread.name, number)
        found[path] = "left-over", type(thread).__name__
    for descriptor in own.listdir("/proc/self/fd") if own.memfd is not None else ():
        try:
            target = own.readlink("/proc/self/fd/" + descriptor)
        except OSError:
            continue  # the one that lists them
        if int(descriptor) not in ours:
            match = _LINK.match(target)
            found["descriptor %s" % descriptor] = "left-over", match.group(1) if match else target
