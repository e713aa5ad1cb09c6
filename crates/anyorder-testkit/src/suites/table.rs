//! Which public suites there are.

use super::Suite;

/// The suites, each with what it takes to make it green on a machine without network, run by any user.
pub const SUITES: &[Suite] = &[
    Suite { name: "six", version: "1.17.0", requirements: &["pytest==9.0.3"], arguments: &["test_six.py"] },
    Suite {
        name: "knack",
        version: "0.8.1",
        requirements: &["pytest==9.0.3", "mock==5.2.0"],
        arguments: &["tests"],
    },
    Suite {
        name: "click",
        version: "8.5.1",
        requirements: &["pytest==9.0.3"],
        // One file has 30,000 parametrised stress tests, which the project deselects.
        arguments: &["tests", "--ignore=tests/test_stream_lifecycle.py"],
    },
    Suite {
        name: "jinja2",
        version: "3.1.6",
        requirements: &["pytest==9.0.3", "trio==0.35.0"],
        arguments: &["tests"],
    },
    Suite {
        name: "marshmallow",
        version: "4.4.0",
        requirements: &["pytest==9.0.3", "simplejson==4.3.0"],
        arguments: &["tests"],
    },
    Suite { name: "freezegun", version: "1.5.5", requirements: &["pytest==9.0.3"], arguments: &["tests"] },
    Suite {
        name: "requests-mock",
        version: "1.12.1",
        requirements: &[
            "pytest==9.0.3",
            "fixtures==4.3.2",
            "purl==1.6",
            "testtools==2.9.1",
            "requests-futures==1.1.0",
        ],
        arguments: &["tests"],
    },
    Suite {
        name: "werkzeug",
        version: "3.1.9",
        requirements: &[
            "pytest==9.0.3",
            "pytest-timeout==2.4.0",
            "ephemeral-port-reserve==1.1.4",
            "cryptography==50.0.2",
        ],
        arguments: &["tests"],
    },
    Suite {
        name: "flask",
        version: "3.1.3",
        requirements: &[
            "pytest==9.0.3",
            "Werkzeug==3.1.6",
            "asgiref==3.13.0",
            "greenlet==3.5.6",
            "python-dotenv==1.2.4",
        ],
        arguments: &["tests"],
    },
    Suite {
        name: "attrs",
        version: "26.1.0",
        requirements: &["pytest==9.0.3", "hypothesis==6.170.15", "Pympler==1.1", "cloudpickle==3.1.2"],
        arguments: &["tests"],
    },
    Suite {
        name: "asgiref",
        version: "3.13.0",
        requirements: &["pytest==9.0.3", "pytest-asyncio==1.4.1.post1"],
        arguments: &["tests"],
    },
    Suite {
        name: "async-lru",
        version: "2.4.0",
        requirements: &["pytest==9.0.3", "pytest-asyncio==1.4.1.post1", "pytest-timeout==2.4.0"],
        arguments: &["tests", "-oaddopts=", "-oasyncio_default_fixture_loop_scope=function"],
    },
    Suite {
        name: "httpcore",
        version: "1.0.9",
        requirements: &[
            "pytest==9.0.3",
            "anyio==4.16.0",
            "trio==0.35.0",
            "h2==4.4.1",
            "socksio==1.0.0",
            "pytest-httpbin==2.1.0",
            "pytest-trio==0.8.0",
            "trustme==1.2.1",
        ],
        arguments: &["tests"],
    },
    Suite {
        name: "packaging",
        version: "24.0",
        requirements: &["pytest==9.0.3", "pretend==1.0.9"],
        arguments: &["tests"],
    },
    Suite { name: "accessify", version: "0.3.1", requirements: &["pytest==9.0.3"], arguments: &["tests"] },
    Suite {
        name: "base10",
        version: "0.6.3",
        requirements: &["pytest==9.0.3", "six==1.17.0"],
        arguments: &["base10/test"],
    },
    Suite {
        name: "dynamic-conf",
        version: "1.1.0",
        requirements: &["pytest==9.0.3", "arger==1.4.8"],
        arguments: &["tests"],
    },
    // Its tests call `assertEquals`, which Python 3.12 does not have.
    Suite { name: "zanna", version: "0.3.1", requirements: &["pytest==9.0.3"], arguments: &["tests"] },
    Suite {
        name: "alphanum_code",
        version: "0.1.1",
        requirements: &["pytest==9.0.3", "SQLAlchemy==2.1.8"],
        arguments: &["tests"],
    },
    Suite {
        name: "humanize",
        version: "4.9.0",
        requirements: &["pytest==9.0.3", "freezegun==1.5.5"],
        arguments: &["tests", "-oaddopts="],
    },
    Suite { name: "logzero", version: "1.5.0", requirements: &["pytest==9.0.3"], arguments: &["tests"] },
    // Its other tests know older versions of what they need.
    Suite {
        name: "python-dotenv",
        version: "0.10.3",
        requirements: &["pytest==9.0.3", "click==8.5.1", "ipython==9.18.1", "mock==5.2.0", "sh==2.4.0"],
        arguments: &["tests/test_core.py", "tests/test_parser.py", "-k", "not ipython"],
    },
    Suite {
        name: "structlog",
        version: "24.1.0",
        requirements: &[
            "pytest==9.0.3",
            "pytest-asyncio==1.4.1.post1",
            "freezegun==1.5.5",
            "pretend==1.0.9",
            "simplejson==4.3.0",
            "twisted==26.10.0",
            "rich==15.0.0",
            "greenlet==3.5.6",
            "better-exceptions==0.3.3",
        ],
        arguments: &["tests"],
    },
];
