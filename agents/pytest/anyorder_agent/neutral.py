"""Switches off, for this process alone, the plugins that reorder, repeat, retry or distribute tests.

`-p no:NAME` would be a usage error as soon as the project's own options mention the plugin, and options in the
environment lose to typed ones. So every option is parsed as usual, and then set to what leaves the order to us.
Time limits, markers and everything else stay as the project has them.
"""

# What each option has to be, if the plugin that owns it is there.
OPTIONS = {
    "numprocesses": None,  # xdist
    "dist": "no",
    "distload": False,
    "tx": [],
    "looponfail": False,
    "randomly_reorganize": False,  # randomly: no shuffling; its reseeding stays, from a fixed seed
    "randomly_seed": 1,
    "random_order_enabled": False,  # random-order
    "random_order_bucket": "none",
    "reverse": False,
    "forked": False,
    "count": 1,  # repeat
    "flake_finder_enable": False,
    "reruns": 0,
    "retries": 0,
    # pytest's own: these look at the last run, or stop before the end of this one
    "maxfail": 0,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "stepwise": False,
    "stepwise_skip": False,
    # these wait for somebody at a terminal, or run nothing
    "usepdb": False,
    "trace": False,
    "collectonly": False,
    # files of the user's that only an ordinary run should write
    "xmlpath": None,
    "report_log": None,
    "htmlpath": None,
}

# These obey markers and decorators as well as options, so they have to go. Their marker stays known.
UNPLUGGED = ("rerunfailures", "pytest-retry", "flaky")


def before_conftests(early_config):
    """pytest-cov starts measuring before the options are final; tell it not to."""
    options = early_config.known_args_namespace
    if getattr(options, "cov_source", None):
        options.no_cov = True


def after_parsing(config):
    """Returns the names of the options that would have mattered."""
    config.option.continue_on_collection_errors = True  # one bad file must not cost the rest of the suite
    overridden = ["no_cov"] if getattr(config.option, "cov_source", None) else []
    for name, value in OPTIONS.items():
        before = getattr(config.option, name, value)
        if before != value and (before or value):
            overridden.append(name)
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    for name in UNPLUGGED:
        if config.pluginmanager.hasplugin(name):
            config.pluginmanager.unregister(name=name)
            config.addinivalue_line("markers", "flaky: retried on failure, but not while anyorder runs the tests")
    return overridden


def silence(config):
    """Takes the hooks that print each test's progress; nobody reads it, and in a fork it costs more than it looks."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    for name in ("pytest_runtest_logstart", "pytest_runtest_logreport", "pytest_runtest_logfinish"):
        hook = getattr(config.hook, name)
        if any(implementation.plugin is reporter for implementation in hook.get_hookimpls()):
            hook._remove_plugin(reporter)
