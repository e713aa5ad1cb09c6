//! What is known of the order-dependent tests of public suites.
//!
//! Every line was found without this tool (ordered pairs of tests in children of one pytest process; for knack, other
//! orders and detect-test-pollution), and was then seen in new pytest processes: the pair, and the test alone. A suite may
//! have more than stands here.

/// What a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Passes alone, fails after its partner.
    Victim,
    /// Fails alone, passes after its partner.
    Brittle,
}

impl Kind {
    /// Its name in a report.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Victim => "victim",
            Kind::Brittle => "brittle",
        }
    }

    /// Where a report lists the partners of such a test.
    pub fn partners(self) -> &'static str {
        match self {
            Kind::Victim => "polluters",
            Kind::Brittle => "setters",
        }
    }
}

/// An order-dependent test, and one test that it depends on.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// What it is.
    pub kind: Kind,
    /// Which.
    pub test: &'static str,
    /// One partner that is right; there may be others.
    pub partner: &'static str,
}

/// What is known of the suite of this name; nothing of most.
pub fn known(suite: &str) -> Vec<Known> {
    let lines = ANSWERS.iter().filter(|(name, ..)| *name == suite);
    lines
        .flat_map(|(_, kind, partner, tests)| tests.iter().map(|test| Known { kind: *kind, test, partner }))
        .collect()
}

type Answer = (&'static str, Kind, &'static str, &'static [&'static str]);

/// Suite, kind, partner, and the tests that depend on it.
const ANSWERS: &[Answer] = &[
    (
        "accessify",
        Kind::Victim,
        "tests/disabling/test_disable.py::test_disabling_accessify",
        &[
            "tests/interfaces/test_implements.py::test_not_implements_private_access",
            "tests/interfaces/test_implements.py::test_not_implements_protected_access",
            "tests/interfaces/test_implements.py::test_implements_no_implementation_getter",
            "tests/interfaces/test_implements.py::test_implements_no_implementation_setter",
            "tests/interfaces/test_implements.py::test_implements_no_implementation_deleter",
            "tests/interfaces/test_implements.py::test_implements_no_implementation_static_method",
            "tests/interfaces/test_implements.py::test_implements_no_implementation_instance_method",
            "tests/interfaces/test_implements.py::test_implements_not_cls_convention",
            "tests/interfaces/test_implements.py::test_implements_not_self_convention",
            "tests/interfaces/test_implements.py::test_implements_not_self_convention_in_getter",
            "tests/interfaces/test_implements.py::test_implements_not_self_convention_in_deleter",
            "tests/interfaces/test_implements.py::test_implements_not_self_convention_in_setter",
        ],
    ),
    (
        "base10",
        Kind::Victim,
        "base10/test/test_helpers.py::TestMetricHelper::test_metric_helper_kwargs",
        &[
            "base10/test/test_helpers.py::TestMetricHelper::test_metric_helper_name_exception",
            "base10/test/test_helpers.py::TestMetricHelper::test_metric_helper_fields_exception",
            "base10/test/test_helpers.py::TestMetricHelper::test_metric_helper_metadata_exception",
            "base10/test/test_helpers.py::TestMetricHelper::test_metric_helper_handles_time_field",
        ],
    ),
    (
        "dynamic-conf",
        Kind::Victim,
        "tests/test_conf.py::test_singleton",
        &[
            "tests/test_conf.py::test_config_reading[env.py]",
            "tests/test_conf.py::test_config_reading[.env]",
            "tests/test_conf.py::test_cofig_writing[env.py-ARG1 = 'VAL1'\\nARG2 = 'VAL2']",
            "tests/test_conf.py::test_cofig_writing[.env-ARG1=VAL1\\nARG2=VAL2]",
            "tests/test_conf.py::test_cofig_writing_with_filter_prefix[env.py-ARG1 = 'VAL1'\\nARG2 = 'VAL2']",
            "tests/test_conf.py::test_cofig_writing_with_filter_prefix[.env-ARG1=VAL1\\nARG2=VAL2]",
            "tests/test_conf.py::test_cofig_writing_with_dump[env.py-ARG1 = 'VAL1'\\nARG3 = 3\\nARG2 = 'VAL2']",
            "tests/test_conf.py::test_cofig_writing_with_dump[.env-ARG1=VAL1\\nARG3=3\\nARG2=VAL2]",
        ],
    ),
    (
        "zanna",
        Kind::Victim,
        "tests/test_decorators.py::TestDecorators::test_provider_decorated_needs_type_or_name",
        &[
            "tests/test_decorators.py::TestDecorators::test_class_decorated",
            "tests/test_decorators.py::TestDecorators::test_provider_decorated",
        ],
    ),
    (
        "alphanum_code",
        Kind::Victim,
        "tests/test_alphanum_code.py::test_next_code",
        &["tests/test_alphanum_code.py::test_init_code"],
    ),
    (
        "alphanum_code",
        Kind::Brittle,
        "tests/test_alphanum_code.py::test_init_code",
        &["tests/test_alphanum_code.py::test_next_code"],
    ),
    ("six", Kind::Victim, "test_six.py::test_move_items[html_parser]", &["test_six.py::test_lazy"]),
    (
        "structlog",
        Kind::Victim,
        "tests/test_stdlib.py::test_recreate_defaults[45]",
        &["tests/test_stdlib.py::TestLoggerFactory::test_find_caller"],
    ),
    (
        "knack",
        Kind::Victim,
        "tests/test_parser.py::TestParser::test_nargs_parameter",
        &[
            "tests/test_cli_scenarios.py::TestCLIScenarios::test_case_insensitive_command_path",
            "tests/test_command_with_configured_defaults.py::TestCommandWithConfiguredDefaults::test_no_configured_default_on_required_arg",
            "tests/test_deprecation.py::TestArgumentDeprecation::test_deprecate_arguments_execute_expired",
            "tests/test_deprecation.py::TestArgumentDeprecation::test_deprecate_options_execute_expired",
            "tests/test_help.py::TestHelp::test_help_extra_params",
            "tests/test_help.py::TestHelp::test_help_missing_params",
        ],
    ),
];
