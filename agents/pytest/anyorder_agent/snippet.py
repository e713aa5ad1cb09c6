"""The verb `try`: runs statements right before a test.

They see the names of some test's module, as statements of that module would, and what they assign stays with them. Whatever
they raise is an answer. Knows code and names; does not know what the statements are for.
"""
from .own import own
from .shapes import is_a, namespace_of_module, of_class

FILE = "<anyorder snippet>"
_LONGEST = 300


def attempt(text, module):
    """Runs statements among a copy of a module's names; why they failed, or nothing."""
    names = dict(namespace_of_module(module)) if module is not None else {"__name__": FILE}
    try:
        own.execute(own.compile(text, FILE, "exec", 0, True), names)
    except BaseException as error:  # SystemExit and KeyboardInterrupt, too: a test that does this would fail
        return _told(error)
    return None


def _told(error):
    kind = of_class(type(error), "__name__")
    try:
        message = str(error)
    except Exception:  # its class has an idea of its own
        message = ""
    message = message if is_a(message, str) else ""
    return ("%s: %s" % (kind, message) if message else kind)[:_LONGEST]
