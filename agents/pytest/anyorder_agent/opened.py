"""Which files of the project are opened, and which of its directories are listed: what Python's audit events tell.

There are such events from Python 3.8 on; below nothing is told. A hook cannot be taken out again, so there is one for all, and it
is put in when somebody first listens. Modules that are imported, and Python files, are not told: code is told by other means.
"""
from .own import own
from .reads import LIBRARY, PACKAGES

_EVENTS = frozenset(["open", "os.listdir", "os.scandir", "exec"])
_IMPORTING = "<frozen importlib"


class _Ear:
    """The one hook; whoever listens is told of events."""

    listener = None
    is_in = False

    def listen(self, listener):
        """Whether there is something to be heard."""
        if own.add_audit_hook is None:
            return False
        self.listener = listener
        if not self.is_in:
            self.is_in = True
            own.add_audit_hook(self._hear)
        return True

    def rest(self):
        self.listener = None

    def _hear(self, event, arguments):
        listener = self.listener
        if listener is None or event not in _EVENTS:
            return
        try:
            listener(event, arguments, own.frame(1))
        except Exception:  # a test must not fail because we could not tell what it opens
            pass


ear = _Ear()


class Opened:
    """What a test opens and lists, between `begin` and `end`."""

    def __init__(self, root):
        self._project = Project(root)
        self._found = set()

    def begin(self):
        self._found.clear()
        return ear.listen(self._note)

    def end(self):
        ear.rest()
        found = sorted(self._found)
        self._found.clear()
        return found

    def _note(self, event, arguments, frame):
        path = self._project.opened(event, arguments, frame)
        if path is not None:
            self._found.add(path)


class Project:
    """The files that count: those below the root and those of the repository around it, without installed packages."""

    def __init__(self, root):
        self._root = root.rstrip("/") + "/"
        self._top = _top(self._root)

    def relative(self, path):
        """As the engine has it: relative to the root, where it is below that; nothing if it is not the project's."""
        if not is_own(path) or not path.startswith(self._top):
            return None
        return path[len(self._root):] if path.startswith(self._root) else path

    def opened(self, event, arguments, frame):
        """The file, or the directory with a slash behind it, that an event is about."""
        path = opened(event, arguments, frame)
        relative = self.relative(path) if path is not None else None
        if relative is None or "/.git/" in path or "/__pycache__/" in path:
            return None
        return relative


def opened(event, arguments, frame):
    """The absolute path of what an event opens or lists; nothing if that is code, or if the interpreter wants it."""
    path = arguments[0] if arguments else None
    if path is None and event != "open":
        path = "."
    if type(path) is bytes:
        path = own.fsdecode(path)
    if event == "exec" or type(path) is not str or path.endswith((".py", ".pyc", ".so")):
        return None
    if frame.f_code.co_filename.startswith(_IMPORTING):
        return None
    if not path.startswith("/"):
        path = own.fsdecode(own.getcwd()) + "/" + path
    path = own.normal_path(path)
    return path if event == "open" else path.rstrip("/") + "/"


def is_own(path):
    """Whether code of this file may be the project's."""
    return path.startswith("/") and PACKAGES not in path and not path.startswith(LIBRARY)


def _top(root):
    """The directory of the repository around a directory; else that itself. Both end with a slash."""
    top = root
    while top != "/":
        try:
            own.lstat(top + ".git")
            return top
        except OSError:
            top = top.rstrip("/").rpartition("/")[0] + "/"
    return root
