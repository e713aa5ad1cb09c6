"""What a forked child repairs so that its tests see what they would see in a process that came here by itself.

A fork shares open file descriptions with its parent and siblings, CPython reseeds `random`, and pytest's temporary and
cache directories were named before there was a child. Threads are lost and connections are shared: those are only
reported. Knows processes and pytest's internals; knows no messages.
"""
import os
import pathlib
import shutil
import stat
import sys
import tempfile

from . import kernel
from .own import own


class Provisions:
    """What a child will need, made before the fork: every page of memory that the child touches has to be copied.

    With `layers` a child has a disk of its own, on which everything may keep its place.
    """

    def __init__(self, config, scratch, open_files, layers):
        self._layers = layers
        self._captures = _captures(config)
        self._open_files = open_files
        self._files = [_nameless_file(scratch) for _ in self._captures]
        self._null = own.open("/dev/null", own.O_RDWR | own.O_CLOEXEC)
        self._factory = self._cache = None
        if layers is None:
            self._factory = getattr(config, "_tmp_path_factory", None)
            self._directory = pathlib.Path(scratch)
            self._cache = getattr(config, "cache", None)
            self._cache_directory = _copy_of_cache(self._cache, scratch)

    def take(self):
        """Run in the child, before anything of the suite's."""
        own.setpgid(0, 0)
        kernel.adopt_orphans()
        if self._layers is not None:
            self._layers.add()
        # pytest prints its progress here; nobody reads it. Standard error still goes to the zygote's log.
        own.dup2(self._null, 1)
        for capture, file in zip(self._captures, self._files):
            own.dup2(file, capture.tmpfile.fileno(), False)
            if capture.targetfd == 1:
                own.dup2(self._null, capture.targetfd_save, False)
            if capture._state == "started":
                own.dup2(file, capture.targetfd)
        for file in self._open_files:
            file.open_anew()
        if self._factory is not None:
            self._factory._basetemp = None
            self._factory._given_basetemp = self._directory
        if self._cache is not None:
            self._cache._cachedir = self._cache_directory
        self.release()

    def release(self):
        """Closes what both sides have; the child has its own duplicates by then."""
        for file in self._files:
            own.close(file)
        own.close(self._null)


def _captures(config):
    """pytest captures into files opened before the fork; children that shared them would read each other's output."""
    manager = config.pluginmanager.getplugin("capturemanager")
    capturing = getattr(manager, "_global_capturing", None)
    captures = [getattr(capturing, "out", None), getattr(capturing, "err", None)]
    return [capture for capture in captures if hasattr(capture, "targetfd_save")]


def descriptors_of_captures(config):
    """Those that pytest captures output with, standard streams included."""
    found = {0, 1, 2}
    for capture in _captures(config):
        found.update((capture.targetfd, capture.targetfd_save))
        try:
            found.add(capture.tmpfile.fileno())
        except ValueError:
            continue  # a test has closed it
    return found


def _generator():
    return getattr(sys.modules.get("random"), "_inst", None)  # a project may have a `random` of its own


def seed_random(number):
    """From now on random numbers are those of another session, but the same each time."""
    random = _generator()
    if random is not None:
        random.seed(number)


def fork(may_warn):
    """`os.fork`, with the state of `random` carried over and no warning about threads (an error in strict suites)."""
    random = _generator()
    state = random.getstate() if random is not None else None
    if may_warn and own.version >= (3, 12):
        with own.catch_warnings():
            own.simplefilter("ignore")
            pid = own.fork()
    else:
        pid = own.fork()
    if pid == 0 and state is not None:
        random.setstate(state)
    return pid


def own_directories(config, scratch, layers):
    """For a process that was not forked: pytest makes the directories when something is written."""
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is not None and layers is None:
        factory._given_basetemp = pathlib.Path(scratch)
    elif factory is not None and factory._given_basetemp is None:
        # pytest would look for a free name among the directories of earlier runs, and remove old ones.
        factory._given_basetemp = pathlib.Path(_temporary_directory(), "pytest-of-anyorder")
    cache = getattr(config, "cache", None)
    if cache is not None and layers is None:
        cache._cachedir = pathlib.Path(scratch + "-cache")  # empty: what earlier runs left is not part of this one


def _temporary_directory():
    """Leaves no trace in `tempfile`, which would remember the answer."""
    remembered = tempfile.tempdir
    try:
        return os.path.realpath(tempfile.gettempdir())
    finally:
        tempfile.tempdir = remembered


def _copy_of_cache(cache, scratch):
    """pytest's cache as it is now, at a path that nobody else writes to."""
    directory = pathlib.Path(scratch + "-cache")
    if cache is not None and cache._cachedir.is_dir():
        try:
            shutil.copytree(str(cache._cachedir), str(directory))
        except (OSError, shutil.Error):
            pass  # better a poorer cache than a test that fails because of it
    return directory


def _nameless_file(scratch):
    if own.memfd is not None:
        return own.memfd("anyorder-capture")
    return own.open(os.path.dirname(scratch), own.O_RDWR | own.O_TMPFILE | own.O_CLOEXEC)


class OpenFile:
    """A regular file that is open: forks would share its position, and the disk that it is on."""

    def __init__(self, descriptor, flags, position, path):
        self._descriptor = descriptor
        self._flags = flags
        self._position = position
        self._path = path

    def open_anew(self):
        for path in (self._path, "/proc/self/fd/%d" % self._descriptor):
            try:
                private = own.open(path, self._flags & ~_CREATING)
                break
            except (OSError, TypeError):
                continue  # it has no name, or may not be opened again
        else:
            return
        own.lseek(private, self._position, os.SEEK_SET)
        own.dup2(private, self._descriptor, not self._flags & own.O_CLOEXEC)
        own.close(private)


def open_files(config, layers):
    """A process that is forked does nothing else any more, so it is enough to look once."""
    replaced = {capture.tmpfile.fileno() for capture in _captures(config)}
    found = []
    for name in own.listdir("/proc/self/fd"):
        try:
            if not stat.S_ISREG(own.fstat(int(name)).st_mode) or int(name) in replaced:
                continue
            file = own.open("/proc/self/fdinfo/" + name, own.O_CLOEXEC)
        except OSError:
            continue  # the descriptor of the listing itself
        position, flags = own.read(file, 200).split()[1:4:2]
        own.close(file)
        path = own.readlink("/proc/self/fd/" + name)
        is_covered = layers is not None and layers.covers(path) and int(flags, 8) & (os.O_WRONLY | os.O_RDWR)
        if is_covered or not int(flags, 8) & os.O_APPEND:  # one that appends is always at the end
            found.append(OpenFile(int(name), int(flags, 8), int(position), path if is_covered else None))
    return found


_CREATING = os.O_CREAT | os.O_EXCL | os.O_TRUNC | getattr(os, "O_TMPFILE", 0)


def is_possible():
    return own.fork is not None and os.path.isdir("/proc/self/fd") and bool(own.memfd or own.O_TMPFILE)


def threads():
    """Names of the threads that a fork would lose."""
    names = [thread.name for thread in own.threads()[1:]]
    if is_possible():
        unknown = len(own.listdir("/proc/self/task")) - 1 - len(names)
        names += ["not of Python"] * unknown
    return names


def gained(config, ignored_descriptor, inherited, layers):
    """What a fork of this process would lose, or share with its siblings."""
    factory = getattr(config, "_tmp_path_factory", None) if layers is None else None
    return {
        "threads": len(own.listdir("/proc/self/task")) - 1,
        "children": len(_children()),
        "connections": len(connections() - inherited - {ignored_descriptor}),
        "directories": int(getattr(factory, "_basetemp", None) is not None),
    }


def connections():
    """Descriptors of sockets, and of epoll objects, whose registrations a fork shares."""
    found = set()
    for name in own.listdir("/proc/self/fd"):
        try:
            target = own.readlink("/proc/self/fd/" + name)
        except OSError:
            continue  # the descriptor of the listing itself
        if target.startswith("socket:") or target == "anon_inode:[eventpoll]":
            found.add(int(name))
    return found


def held_connections(ignored_descriptor):
    """What the suite's modules are connected to after collection; all forks share it. Named by who holds it, if that is seen."""
    descriptors = connections() - {ignored_descriptor}
    if not descriptors:
        return []
    holders = {}
    for name, module in sorted(sys.modules.items()):
        for attribute, value in sorted(getattr(module, "__dict__", {}).items()):
            if type(value).__name__ in ("socket", "Connection", "epoll", "SSLSocket"):
                holders.setdefault(_descriptor_of(value), "%s.%s" % (name, attribute))
    return [holders.get(descriptor, "descriptor %d" % descriptor) for descriptor in sorted(descriptors)]


def _descriptor_of(connection):
    try:
        return connection.fileno()
    except Exception:  # it is closed, or no connection in spite of its name, as that of a database in memory
        return None


def _children():
    pids = []
    for task in own.listdir("/proc/self/task"):
        try:
            file = own.open("/proc/self/task/%s/children" % task, own.O_CLOEXEC)
        except OSError:
            continue  # the thread ended, or a kernel without this file
        pids += own.read(file, 65536).split()
        own.close(file)
    return pids
