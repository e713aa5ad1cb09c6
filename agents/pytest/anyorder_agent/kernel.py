"""System calls that Python has no words for, made through `_ctypes`, the bare half of `ctypes` that imports nothing else.

Knows libc's names and the kernel's numbers. Everything here may be missing: then `is_there` is false.
"""
from .own import own

try:
    import _ctypes

    _libc = _ctypes.dlopen(None, 0)
    _unshare, _mount, _prctl, _capset, _tzset = [
        _ctypes.dlsym(_libc, name) for name in ("unshare", "mount", "prctl", "capset", "tzset")
    ]
    _call = _ctypes.call_function
    is_there = True
except (ImportError, OSError, AttributeError):
    is_there = False

_NEW_MOUNTS = 0x20000
_BIND_ALL = 0x1000 | 0x4000
_ADOPT_ORPHANS = 36
_AMBIENT_RIGHTS, _CLEAR_ALL = 47, 4
_RIGHTS_HEADER = (0x20080522).to_bytes(4, "little") + bytes(4)
_TO_MOUNT = 1 << 21 | 1 << 1


def lay_rights_aside():
    """What the keeper lets an ordinary user do in a namespace of his own must not show in tests, nor in what they start."""
    if is_there:
        _call(_prctl, (_AMBIENT_RIGHTS, _CLEAR_ALL, 0, 0, 0))
        _use_rights(0)


def take_rights_up():
    _use_rights(_TO_MOUNT)


def _use_rights(rights):
    sets = [part.to_bytes(4, "little") for part in (rights, _TO_MOUNT, 0)]
    _call(_capset, (_RIGHTS_HEADER, b"".join(sets) + bytes(12)))


def adopt_orphans():
    """From now on processes below this one whose parent ends become children of this one."""
    if is_there:
        _call(_prctl, (_ADOPT_ORPHANS, 1, 0, 0, 0))


def read_time_zone():
    """Takes the time zone from the environment. `time.tzset` would change what the module `time` says, too."""
    _call(_tzset, ())


def own_mounts():
    """From now on what this process mounts is seen by itself and its children only."""
    _check(_call(_unshare, (_NEW_MOUNTS,)), "unshare")


def mount(kind, at, options):
    _check(_call(_mount, (kind, at, kind, 0, options)), "mount %s" % kind)


def show(what, at):
    """Makes what a descriptor stands for appear at a path."""
    return _call(_mount, (b"/proc/self/fd/%d" % what, at, None, _BIND_ALL, None)) == 0


def _check(result, what):
    if result != 0:
        raise OSError("%s was refused" % what)


def can(function):
    """Whether `function` works, tried in a child."""
    if not is_there:
        return False
    pid = own.fork()
    if pid == 0:
        try:
            function()
            own.exit(0)
        except BaseException:
            own.exit(1)
    return own.waitpid(pid, 0)[1] == 0
