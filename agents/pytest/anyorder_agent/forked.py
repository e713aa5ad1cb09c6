"""What a forked child repairs so that it is indistinguishable from a process that came here by itself.

A fork shares open file descriptions with its parent and siblings, CPython reseeds `random`, and pytest's temporary and
cache directories were named before there was a child. Knows processes and pytest's internals; knows no messages.
"""
import pathlib
import sys

from .own import own


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


def repair(config, scratch):
    """Run in the child, before anything else of the suite's does. `scratch` is a path of the child's own."""
    own.setpgid(0, 0)
    _own_capture_files(config)
    _own_directories(config, scratch)


def _own_capture_files(config):
    """pytest captures into files opened before the fork; siblings would read each other's output."""
    manager = config.pluginmanager.getplugin("capturemanager")
    capturing = getattr(manager, "_global_capturing", None)
    for capture in (getattr(capturing, "out", None), getattr(capturing, "err", None)):
        if not hasattr(capture, "targetfd_save"):
            continue  # captured in memory, or not at all
        private = own.memfd("anyorder-capture")
        own.dup2(private, capture.tmpfile.fileno(), False)
        if capture._state == "started":
            own.dup2(private, capture.targetfd)
        own.close(private)
    _silence_terminal(getattr(capturing, "out", None))


def _silence_terminal(capture):
    """The progress that pytest prints would go to a log which nobody reads; standard error still goes there."""
    null = own.open("/dev/null", own.O_RDWR | own.O_CLOEXEC)
    own.dup2(null, 1)
    if hasattr(capture, "targetfd_save"):
        own.dup2(null, capture.targetfd_save, False)
    own.close(null)


def _own_directories(config, scratch):
    factory = getattr(config, "_tmp_path_factory", None)
    if factory is not None:
        factory._basetemp = None
        factory._given_basetemp = pathlib.Path(scratch)
    own_cache(config, scratch)


def own_cache(config, scratch):
    """The directory is made by pytest when something is written."""
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
