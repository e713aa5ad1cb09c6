"""Puts state of the process back that no Python object holds: what `process.py` reads.

Knows how each fact is set, and why some cannot be. Does not know which of them have changed.
"""
import _io
import _random
import array
import sys

from . import kernel
from .own import own
from .process import DECIMAL, context_variables, descriptors
from .put import Refused
from .shapes import ABSENT, is_a

_TIME_ZONE = b"TZ"
_DECIMAL_SETTINGS = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")


class Keepsakes:
    """What it takes to put facts back, where the facts themselves say too little."""

    def __init__(self):
        try:
            self.directory = own.getcwd()
        except OSError:
            self.directory = None
        self.time_zone = _variable(_TIME_ZONE)
        self.random = _random_state()
        numpy = sys.modules.get("numpy.random")
        self.random_of_numpy = numpy.get_state() if hasattr(numpy, "get_state") else None
        contexts = [value for variable, value in own.context().items() if variable.name == DECIMAL]
        self.decimal = (contexts[0], contexts[0].copy()) if contexts else None


class Process:
    """Puts facts back, one by one. What cannot be done on the spot is noted: whether garbage is `is_collecting`, and variables
    that shall have no value (`unset`), for which the process has to go on in another context."""

    def __init__(self, keepsakes, ours, is_collecting):
        self._keepsakes = keepsakes
        self._ours = ours
        self._unset = set()
        self.is_collecting = is_collecting

    def put(self, path, kind, old):
        if kind == "context":
            self._put_variable(path, old)
        elif kind == "left-over":
            self._put_left_over(path, old)
        elif path.startswith("handler of "):
            self._put_handler(path, old)
        elif old is ABSENT:
            raise Refused("there was none that could be set")
        else:
            _SETTERS[path](self, old)

    def context(self):
        """Where to go on, or nothing if that is here."""
        if not self._unset:
            return None
        context = own.new_context()
        for variable, value in own.context().items():
            if variable not in self._unset:
                context.run(variable.set, value)
        return context

    def _put_variable(self, path, old):
        variable = context_variables().get(path)
        if old is ABSENT:
            self._unset.add(variable)
        elif variable is None:
            raise Refused("it has no value here any more")
        elif variable.name == DECIMAL:
            context, copy = self._keepsakes.decimal
            _make_alike(context, copy)
            variable.set(context)
        else:
            variable.set(old)

    def _put_left_over(self, path, old):
        if path.startswith("thread "):
            raise Refused("a thread can be neither ended nor begun from outside")
        if old is not ABSENT:
            raise Refused("what was closed cannot be opened again as it was")
        _close(descriptors(self._ours)[path])

    def _put_handler(self, path, old):
        number = next(number for number in own.signals if path == "handler of %s" % number.name)
        if old is ABSENT:
            raise Refused("it was not a handler of Python's")
        own.set_signal(number, old)

    def _put_directory(self, _):
        own.chdir(self._keepsakes.directory)

    def _put_time_zone(self, _):
        """What libc knows; it takes that from a variable, which is a cell of its own."""
        if not kernel.is_there:
            raise Refused("there is no way to libc")
        variable = _variable(_TIME_ZONE)
        _set_variable(_TIME_ZONE, self._keepsakes.time_zone)
        kernel.read_time_zone()
        _set_variable(_TIME_ZONE, variable)

    def _put_collector(self, old):
        self.is_collecting, thresholds, debug = old
        own.set_gc_threshold(*thresholds)
        own.set_gc_debug(debug)

    def _put_random(self, _):
        state, gauss = self._keepsakes.random
        generator = sys.modules["random"]._inst
        _random.Random.setstate(generator, tuple(state))
        object.__setattr__(generator, "gauss_next", gauss)

    def _put_random_of_numpy(self, _):
        sys.modules["numpy.random"].set_state(self._keepsakes.random_of_numpy)

    def _put_timer(self, old):
        if old:
            raise Refused("how much time was left is not known")
        own.set_timer(0, 0)

    def _put_functions_at_exit(self, _):
        raise Refused("which functions they are is known to the interpreter only")


_SETTERS = {
    "working directory": Process._put_directory,
    "umask": lambda _, old: own.umask(int(old, 8)),
    "locale": lambda _, old: own.locale(own.LC_ALL, old),
    "time zone": Process._put_time_zone,
    "recursion limit": lambda _, old: own.set_recursion_limit(old),
    "switch interval": lambda _, old: own.set_switch_interval(old),
    "garbage collector": Process._put_collector,
    "default timeout of sockets": lambda _, old: own.set_default_timeout(old),
    "tracer": lambda _, old: own.set_tracer(old),
    "profiler": lambda _, old: own.set_profiler(old),
    "functions to call at exit": Process._put_functions_at_exit,
    "timer": Process._put_timer,
    "random numbers": Process._put_random,
    "random numbers of numpy": Process._put_random_of_numpy,
}


def _variable(name):
    return getattr(own.environ, "_data", {}).get(name)


def _set_variable(name, value):
    """For libc only."""
    if value is None:
        own.unsetenv(name)
    else:
        own.putenv(name, value)


def _random_state():
    generator = getattr(sys.modules.get("random"), "_inst", None)
    if generator is None:
        return None
    return array.array("L", _random.Random.getstate(generator)), generator.gauss_next


def _make_alike(context, other):
    for name in _DECIMAL_SETTINGS:
        setattr(context, name, getattr(other, name))
    for signal in other.flags:
        context.flags[signal] = other.flags[signal]
        context.traps[signal] = other.traps[signal]


def _close(descriptor):
    """Through the object that would close it some day: by then the number may be another's."""
    for thing in own.gc_objects():
        for kind in (_io.FileIO, own.socket):
            if is_a(thing, kind) and _number_of(thing, kind) == descriptor:
                kind.close(thing)
                return
    own.close(descriptor)


def _number_of(file, kind):
    try:
        return kind.fileno(file)
    except ValueError:
        return None  # it is closed
