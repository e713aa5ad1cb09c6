"""Obeys the engine: the verbs of docs/wire.md over one connection, in the zygote and in every process forked from it.

Knows how to run chosen tests the way pytest would. Decides nothing: no strategy, no limits, no comparison.
"""
from _pytest.runner import CallInfo

from anyorder_order import fresh

from . import forked
from .fixtures import are_standing
from .follow import Follower
from .own import own
from .put import Refused
from .reads import Reads
from .sight import Sight
from .snippet import attempt
from .swap import Invalid, Unswappable, swap
from .trace import Tracer
from .watch import Watch
from .wire import Gone, Link


class Server:
    """One process of the snapshot tree. A fork continues the same loop in the child, on a connection of its own."""

    def __init__(self, session, link, observer, address, scratch, layers, collection=None):
        self._session = session
        self._items = session.items
        self._link = link
        self._observer = observer
        self._address = address
        self._scratch = scratch
        self._layers = layers
        self._collection = collection  # what collecting took, if that was recorded
        self._is_child = False
        self._has_run = False
        self._pid = own.getpid()
        self._parent = None  # of a child
        self._standing = None  # the last test that ran, while fixtures around it still stand
        self._unreaped = []
        self._open_files = None  # looked up at the first fork
        self._watch = None  # from the first mark on
        self._differing = None  # the cells that were told last, while nothing has happened since
        self._reads = None  # from the first mark on, so that forks need not study the same code again
        self._listener = None  # adds to outcomes; there is one trace function, so there is one of these
        self._context = None  # to run everything in, once a restore has asked for that
        self._inherited = forked.connections() if forked.is_possible() else set()

    def obey(self):
        """Returns when the zygote is told to leave; a child never returns."""
        try:
            while self._context.run(self._obey_next) if self._context is not None else self._obey_next():
                pass
        except Gone:
            if self._is_child or self._has_run:
                own.kill(self._pid, own.SIGKILL)  # as the engine does; which of us is first must not show
        except BaseException as error:
            self._link.send({"say": "trouble", "text": _trace(error)})
            raise
        finally:
            if self._is_child:
                own.exit(0)
        self._link.close()

    def _obey_next(self):
        message = self._link.receive()
        verb = message.pop("verb")
        if verb == "exit":
            self._reap(message.get("reap", ()), 0)
            return False
        if verb not in ("diff", "finish"):
            self._differing = None
        getattr(self, "_obey_" + verb)(**message)
        return True

    def _obey_collect(self):
        said = {"say": "collected", "tests": [_describe(item) for item in self._items]}
        self._link.send(said if self._collection is None else dict(said, collection=self._collection))

    def _obey_fork(self, node, reap=()):
        self._reap(reap, own.WNOHANG)
        config = self._session.config
        if self._open_files is None:
            self._open_files = forked.open_files(config, self._layers)
        provisions = forked.Provisions(config, "%s/%d" % (self._scratch, node), self._open_files, self._layers)
        link = Link(self._address)
        link.send({"say": "hello", "node": node})
        pid = forked.fork(may_warn=len(own.threads()) > 1)
        if pid:
            link.close()
            provisions.release()
            self._link.send({"say": "forked", "pid": pid})
            return
        self._is_child = True
        self._parent, self._pid = self._pid, own.getpid()
        self._unreaped = []
        self._open_files = None
        self._link.close()
        self._link = link
        provisions.take()

    def _obey_wait(self, pid):
        self._link.send({"say": "waited", "status": own.waitpid(pid, 0)[1]})

    def _obey_run(self, tests, finish, output=False):
        """Runs `tests`; unless `finish`, what stands above the last one stays set up for the tests to come."""
        self._has_run = True
        last_place = {test: at for at, test in enumerate(tests)} if finish else {}
        following = self._item(tests[0], last_place.get(tests[0]) == 0)
        if self._standing is not None:
            self._tear_down_towards(following)
        for at, test in enumerate(tests):
            item, following = following, None
            if at + 1 < len(tests):
                following = self._item(tests[at + 1], last_place.get(tests[at + 1]) == at + 1)
            elif not finish:
                following = fresh(self._items[test])
            if not self._run_one(at, item, following, output):
                break
            self._standing = item
        if finish:
            self._standing = None
            self._link.send({"say": "ran"})
        else:
            gained = forked.gained(
                self._session.config, self._link.descriptor, self._inherited, self._layers
            )
            self._link.send({"say": "ran", "gained": gained})

    def _obey_approach(self, test):
        """Tears down what would be torn down if that test ran next."""
        if self._standing is not None:
            self._tear_down_towards(fresh(self._items[test]))
        self._link.send({"say": "approached"})

    def _item(self, test, is_last_time):
        """A test that will not run again here needs no stand-in."""
        return self._items[test] if is_last_time else fresh(self._items[test])

    def _obey_mark(self):
        begun = own.cpu()
        self._watch = Watch(self._session, self._own_descriptors, self._layers)
        if self._reads is None:
            self._reads = Reads(str(self._session.config.rootpath))
            self._reads.warm()
        if not self._has_run:
            own.collect_garbage()  # what is remembered becomes old, too
        self._link.send({"say": "marked", "objects": self._watch.objects, "seconds": own.cpu() - begun})

    def _obey_diff(self, advance=False):
        begun = own.cpu()
        if self._differing is None or advance:
            self._differing = self._watch.diff(advance)
        self._link.send({"say": "differs", "cells": self._differing, "seconds": own.cpu() - begun})
        if advance:
            self._differing = None

    def _obey_restore(self, cells, others=False):
        begun = own.cpu()
        restored, failed, context = self._watch.restore(set(cells), others)
        if context is not None:
            self._context = context
        failed = [{"path": path, "why": why} for path, why in sorted(failed.items())]
        self._link.send({"say": "restored", "restored": restored, "failed": failed, "seconds": own.cpu() - begun})

    def _obey_places(self):
        begun = own.cpu()
        told = self._watch.told_places()
        self._link.send({"say": "places", "places": told, "seconds": own.cpu() - begun})

    def _obey_perturb(self, cell, way):
        try:
            after = self._watch.perturb(cell, way)
        except Refused as refusal:
            self._link.send({"say": "trouble", "text": str(refusal)})
        else:
            self._link.send({"say": "perturbed", "after": after})

    def _obey_about(self, cells):
        begun = own.cpu()
        told = self._watch.about(cells)
        self._link.send({"say": "about", "cells": told, "seconds": own.cpu() - begun})

    def _obey_try(self, text, beside):
        self._has_run = True
        failed = self._quietly(attempt, text, getattr(self._items[beside], "module", None))
        if own.getpid() != self._pid:
            own.exit(1)  # a fork that the statements made has come out of them
        self._link.send({"say": "tried", "failed": failed})

    def _obey_swap(self, file, names, text, draw=None):
        invalid = refused = None
        if draw is not None:
            forked.seed_random(draw)
        try:
            swap(self._session, file, names, text)
        except Invalid as why:
            invalid = str(why)
        except Unswappable as why:
            refused = str(why)
        except Exception as error:  # of a wrapper that does not like to be looked into
            refused = "%s: %s" % (type(error).__name__, error)
        self._link.send({"say": "swapped", "invalid": invalid, "refused": refused})

    def _quietly(self, function, *arguments):
        """Calls a function whose output is nobody's."""
        manager = self._session.config.pluginmanager.getplugin("capturemanager")
        if manager is None:
            return function(*arguments)
        manager.resume_global_capture()
        try:
            return function(*arguments)
        finally:
            manager.suspend_global_capture(in_=False)
            manager.read_global_capture()

    def _own_descriptors(self):
        return forked.descriptors_of_captures(self._session.config) | {self._link.descriptor}

    def _obey_trace(self):
        self._listener = Tracer(self._known_reads(), str(self._session.config.rootpath))

    def _obey_study(self, code):
        self._link.send({"say": "studied", "code": self._reads.studied(code)})

    def _obey_follow(self, cells):
        self._listener = Follower(self._watch, cells, str(self._session.config.rootpath))

    def _obey_sight(self, names):
        self._listener = Sight(self._known_reads(), names, str(self._session.config.rootpath))

    def _known_reads(self):
        return self._reads or Reads(str(self._session.config.rootpath))

    def _obey_finish(self):
        is_bare = not are_standing(self._session)
        if self._standing is not None:
            if not is_bare:
                self._differing = None
            self._tear_down_towards(None)
            self._standing = None
        self._listener = None
        self._link.send({"say": "finished", "bare": is_bare})

    def _run_one(self, at, item, following, output):
        """Whether an ordinary run would have gone on with the next test."""
        self._observer.begin(output)
        begun = own.clock()
        if self._listener is not None:
            self._listener.begin()
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            seen = self._observer.outcome()
            goes_on = not (self._session.shouldstop or self._session.shouldfail)
        except BaseException as error:  # KeyboardInterrupt, pytest.exit, a plugin's mistake: pytest would stop here
            kind = type(error).__name__
            seen = {"outcome": "crashed", "signature": {"kind": kind, "message": str(error)[:300]}}
            goes_on = False
        if own.getpid() != self._pid:
            own.exit(1)  # a fork that the test made has come out of the test; it has nothing to say here
        if self._listener is not None:
            seen.update(self._listener.end(item))
        if self._parent is not None and own.getppid() != self._parent:
            seen["orphaned"] = True
        self._link.send(dict(seen, say="outcome", at=at, seconds=own.clock() - begun))
        return goes_on

    def _tear_down_towards(self, following):
        """The part of the last test's tear-down that waited for its successor to be known."""
        item = self._standing
        state = self._session._setupstate
        if state.teardown_exact.__code__.co_argcount == 2:
            call = CallInfo.from_call(lambda: self._captured(item, state.teardown_exact, following), "teardown")
        else:  # pytest < 7
            call = CallInfo.from_call(lambda: self._captured(item, state.teardown_exact, item, following), "teardown")
        if call.excinfo is not None:
            self._link.send({"say": "late", "signature": self._observer.signature(call.excinfo)})

    def _captured(self, item, function, *arguments):
        manager = item.config.pluginmanager.getplugin("capturemanager")
        if manager is None:
            return function(*arguments)
        with manager.item_capture("teardown", item):
            return function(*arguments)

    def _reap(self, pids, options):
        self._unreaped = [pid for pid in self._unreaped + list(pids) if not _is_reaped(pid, options)]


def _is_reaped(pid, options):
    try:
        return own.waitpid(pid, options)[0] != 0
    except ChildProcessError:
        return True


def _describe(item):
    path, line, _ = item.location
    return {
        "id": item.nodeid,
        "group": item.nodeid.rpartition("::")[0] if item.parent is None else _group_of(item),
        "file": path,
        "line": (line or 0) + 1,
        "markers": sorted({mark.name for mark in item.iter_markers()}),
    }


def _group_of(item):
    """The class if there is one, else the file."""
    parent = item.parent
    while type(parent).__name__ == "Instance":  # pytest < 7 has these between class and method
        parent = parent.parent
    return parent.nodeid


def _trace(error):
    import traceback

    return "".join(traceback.format_exception(type(error), error, error.__traceback__))[-4000:]
