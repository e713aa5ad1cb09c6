"""What a forked child repairs so that it is indistinguishable from a process that came here by itself.

A fork shares open file descriptions with its parent and siblings, CPython reseeds `random`, and pytest's temporary and
cache directories were named before there was a child. Knows processes and pytest's internals; knows no messages.
"""
import pathlib
import sys

from .own import own


class Provisions:
    """What a child will need, made before the fork: every page of memory that the child touches has to be copied."""

    def __init__(self, config, scratch):
        self._captures = [capture for capture in _captures(config) if hasattr(capture, "targetfd_save")]
        self._files = [own.memfd("anyorder-capture") for _ in self._captures]
        self._null = own.open("/dev/null", own.O_RDWR | own.O_CLOEXEC)
        self._factory = getattr(config, "_tmp_path_factory", None)
        self._directory = pathlib.Path(scratch)
        self._cache = getattr(config, "cache", None)
        self._cache_directory = pathlib.Path(scratch + "-cache")

    def take(self):
        """Run in the child, before anything of the suite's: from now on it shares nothing that it writes to."""
        own.setpgid(0, 0)
        # pytest prints its progress here; nobody reads it. Standard error still goes to the zygote's log.
        own.dup2(self._null, 1)
        for capture, file in zip(self._captures, self._files):
            own.dup2(file, capture.tmpfile.fileno(), False)
            if capture.targetfd == 1:
                own.dup2(self._null, capture.targetfd_save, False)
            if capture._state == "started":
                own.dup2(file, capture.targetfd)
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
    return [getattr(capturing, "out", None), getattr(capturing, "err", None)]


def fork(may_warn):
    """`os.fork`, with the state of `random` carried over and no warning about threads (an error in strict suites)."""
    random = sys.modules.get("random")
    state = random._inst.getstate() if random is not None else None
    if may_warn and own.version >= (3, 12):
        with own.catch_warnings():
            own.simplefilter("ignore")
            pid = own.fork()
    else:
        pid = own.fork()
    if pid == 0 and state is not None:
        random._inst.setstate(state)
    return pid


def own_directories(config, scratch):
    """For a process that was not forked: pytest makes the directories when something is written."""
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is not None and factory._given_basetemp is None:
        factory._given_basetemp = pathlib.Path(scratch)
    cache = getattr(config, "cache", None)
    if cache is not None:
        cache._cachedir = pathlib.Path(scratch + "-cache")


def gained(ignored_descriptor, inherited):
    """Threads, child processes and connections that a fork of this process would lose or share."""
    return {
        "threads": len(own.listdir("/proc/self/task")) - 1,
        "children": len(_children()),
        "connections": len(connections() - inherited - {ignored_descriptor}),
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
