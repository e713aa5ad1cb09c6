"""Runs a suite in the order that a file names: the whole of what a `plain-ordered` run adds to pytest.

`ANYORDER_ORDER` names a JSON file with a list of test ids; repeats are allowed. pytest collects everything as usual,
then this plugin puts the collected items into that order. It knows nothing of strategies, sockets or forks.
"""
import copy
import json
import os

import pytest


def fresh(item):
    """A stand-in for one execution of `item`: new as after collection, under the same parents.

    pytest keeps what it set up on the item itself, so an item that ran cannot run again: its second execution would
    skip set-up. The parents stay shared, so class, module and session fixtures live as in an ordinary run.
    """
    again = copy.copy(item)
    again._report_sections = []
    again.user_properties = list(item.user_properties)
    again.own_markers = list(item.own_markers)
    again.extra_keyword_matches = set(item.extra_keyword_matches)
    again.keywords = copy.copy(item.keywords)
    again.keywords._markers = dict(item.keywords._markers)
    again.keywords.node = again
    _copy_stash(item, again)
    if hasattr(item, "dtest"):  # running a doctest empties its globals
        again.dtest = copy.copy(item.dtest)
        again.dtest.globs = dict(item.dtest.globs)
    if hasattr(item, "_request"):
        _forget_instance(again)
        again._initrequest()
    elif "fixture_request" in item.__dict__:
        again.fixture_request = None
    return again


def _copy_stash(item, again):
    """Plugins remember things about one execution in the item's stash (`_store` before pytest 7)."""
    stash = getattr(item, "_store", None)
    if stash is None:
        stash = item.stash
    copied = copy.copy(stash)
    storage = "_storage" if hasattr(stash, "_storage") else "_store"
    setattr(copied, storage, dict(getattr(stash, storage)))
    again._store = copied
    if hasattr(item, "stash"):
        again.stash = copied


def _forget_instance(item):
    """Each execution of a method gets a new `self`; pytest < 8.2 remembers it only inside the bound method."""
    item.__dict__.pop("_instance", None)
    bound_to = getattr(item.__dict__.get("_obj"), "__self__", None)
    if bound_to is not None and not isinstance(bound_to, type) and isinstance(item.parent, _INSTANCE_MAKERS):
        del item._obj


_INSTANCE_MAKERS = (pytest.Class,) + tuple(
    # An attribute look-up on `pytest.Instance` warns since pytest 7, where the class has gone.
    value for name, value in vars(pytest).items() if name == "Instance"
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    path = os.environ.get("ANYORDER_ORDER")
    if path is None:
        return
    with open(path, encoding="utf-8") as file:
        wanted = json.load(file)
    by_id = {}
    for item in items:
        by_id.setdefault(item.nodeid, item)
    missing = [name for name in wanted if name not in by_id]
    if missing:
        raise pytest.UsageError("not collected: " + ", ".join(missing[:5]))
    seen = set()
    items[:] = [fresh(by_id[name]) if name in seen or seen.add(name) else by_id[name] for name in wanted]
