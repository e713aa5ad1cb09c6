"""Switches off, for this process alone, the plugins that reorder, repeat, retry or distribute tests.

`-p no:NAME` would be a usage error as soon as the project's own options mention the plugin, and options in the
environment lose to typed ones. So every option is parsed as usual, and then set to what leaves the order to us.
Time limits, markers and everything else stay as the project has them.
"""

# What each option has to be, by the plugin that owns it: a project may have an option of the same name.
OPTIONS = {
    "xdist": {"numprocesses": None, "dist": "no", "distload": False, "tx": [], "looponfail": False},
    "randomly": {"randomly_reorganize": False, "randomly_seed": 1},  # no shuffling; reseeding stays, from a fixed seed
    "random_order": {"random_order_enabled": False, "random_order_bucket": "none"},
    "reverse": {"reverse": False},
    "repeat": {"count": 1},
    "rerunfailures": {"reruns": 0},
    "pytest-retry": {"retries": 0},
    "flakefinder": {"flake_finder_enable": False},
    "cacheprovider": {"lf": False, "failedfirst": False, "newfirst": False},
    "stepwise": {"stepwise": False, "stepwise_skip": False},
    # these stop early, wait for somebody at a terminal, or run nothing
    "main": {"maxfail": 0, "collectonly": False},
    "debugging": {"usepdb": False, "trace": False},
    "setuponly": {"setuponly": False},
    "setupplan": {"setupplan": False},
    # files of the user's that only an ordinary run should write
    "junitxml": {"xmlpath": None},
    "reportlog": {"report_log": None},
    "html": {"htmlpath": None},
}

# These obey markers and decorators as well as options, so they have to go. Their marker stays known.
UNPLUGGED = ("rerunfailures", "pytest-retry", "flaky", "pytest_forked")


def before_conftests(early_config):
    """pytest-cov starts measuring before the options are final; tell it not to."""
    options = early_config.known_args_namespace
    if getattr(options, "cov_source", None):
        options.no_cov = True


def after_parsing(config):
    """Returns the names of the options that would have mattered."""
    config.option.continue_on_collection_errors = True  # one bad file must not cost the rest of the suite
    overridden = ["no_cov"] if getattr(config.option, "cov_source", None) else []
    for plugin, options in OPTIONS.items():
        if config.pluginmanager.hasplugin(plugin):
            overridden += [name for name, value in options.items() if _override(config.option, name, value)]
    for name in UNPLUGGED:
        if config.pluginmanager.hasplugin(name):
            config.pluginmanager.unregister(name=name)
            for marker in ("flaky", "forked"):
                config.addinivalue_line("markers", marker + ": of no effect while anyorder runs the tests")
    return overridden


def _override(option, name, value):
    """Whether that made a difference."""
    before = getattr(option, name, value)
    if hasattr(option, name):
        setattr(option, name, value)
    return before != value and bool(before or value)


def silence(config):
    """Takes the hooks that print each test's progress; nobody reads it, and in a fork it costs more than it looks."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    for name in ("pytest_runtest_logstart", "pytest_runtest_logreport", "pytest_runtest_logfinish"):
        hook = getattr(config.hook, name)
        if any(implementation.plugin is reporter for implementation in hook.get_hookimpls()):
            hook._remove_plugin(reporter)
