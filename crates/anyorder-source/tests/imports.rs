//! Where imports are added.

mod common {
    pub(crate) mod edited;
}

use anyorder_source::{CannotEdit, Source};
use common::edited::edited;

fn with_import(text: &str) -> String {
    edited(text, |_, editor| editor.add_import("import new"))
}

#[test]
fn an_import_goes_into_the_last_group_before_the_first_definition() {
    for (before, after) in [
        ("import a\nimport b\n\nx = 1\n", "import a\nimport b\nimport new\n\nx = 1\n"),
        ("import a\nimport z\nx = 1\n", "import a\nimport new\nimport z\nx = 1\n"),
        ("import b\nimport a\nimport z\n", "import b\nimport a\nimport z\nimport new\n"),
        ("import os\nimport sys\n\nx = 1\n", "import os\nimport sys\n\nimport new\n\nx = 1\n"),
        (
            "import os\n\nfrom a import b\nfrom z import b\n",
            "import os\n\nimport new\nfrom a import b\nfrom z import b\n",
        ),
        ("import os\n# about z\nimport z\n", "import os\n# about z\nimport z\nimport new\n"),
        ("import new.a\n\nimport z\n", "import new\nimport new.a\n\nimport z\n"),
        (
            "import a\na.b()\nimport c\ndef f(): import d\n",
            "import a\na.b()\nimport c\nimport new\ndef f(): import d\n",
        ),
        ("import new\n", "import new\n"),
        ("import a; x = 1\n", "import a\nimport new\nx = 1\n"),
        ("import a", "import a\nimport new"),
        ("from __future__ import a\n\nx = 1\n", "from __future__ import a\n\nimport new\n\nx = 1\n"),
        ("", "import new\n"),
        ("x = 1\n", "import new\n\nx = 1\n"),
        ("def f(): pass\n", "import new\n\n\ndef f(): pass\n"),
        ("\"\"\"Doc.\"\"\"\n", "\"\"\"Doc.\"\"\"\n\nimport new\n"),
        ("\"\"\"Doc.\"\"\"\n\n\ndef f(): pass\n", "\"\"\"Doc.\"\"\"\n\nimport new\n\n\ndef f(): pass\n"),
        ("\"\"\"Doc.\"\"\"\nx = 1\n", "\"\"\"Doc.\"\"\"\n\nimport new\n\nx = 1\n"),
        ("#!python\n# about x\nx = 1\n", "#!python\n\nimport new\n\n# about x\nx = 1\n"),
        ("# licence\n# more\n\nx = 1\n", "# licence\n# more\n\nimport new\n\nx = 1\n"),
        ("# only this", "# only this\n\nimport new\n"),
        ("\u{feff}x = 1\n", "\u{feff}import new\n\nx = 1\n"),
        ("\r\nx = 1\r\n", "import new\r\n\r\nx = 1\r\n"),
    ] {
        assert_eq!(with_import(before), after, "of {before:?}");
    }
}

#[test]
fn an_import_of_python_itself_goes_to_those_or_above_all_others() {
    let with_os =
        |text: &str| edited(text, |_, editor| editor.add_import("import os").add_import("import copy"));
    assert_eq!(with_os("import re\n\nimport a\n"), "import copy\nimport os\nimport re\n\nimport a\n");
    assert_eq!(with_os("import pytest\n"), "import copy\nimport os\n\nimport pytest\n");
    assert_eq!(with_os("# why\nimport pytest\n"), "# why\nimport pytest\nimport copy\nimport os\n");
    assert_eq!(
        with_os("import pytest; import os; x = 1\n"),
        "import pytest; import os\nimport copy\nx = 1\n"
    );
    assert_eq!(
        with_os("from __future__ import a\nfrom __future__ import b\n"),
        "from __future__ import a\nfrom __future__ import b\n\nimport copy\nimport os\n"
    );
}

#[test]
fn imports_of_each_origin_stand_in_a_group_of_their_own_unless_the_file_mixes_them() {
    let with_all = |text: &str| {
        edited(text, |_, editor| {
            let editor = editor.know_own(["app".to_owned()]);
            editor.add_import("import pytest").add_import("import json").add_import("from app import new")
        })
    };
    let apart = "import json\n\nimport pytest\n\nfrom app import new\n";
    assert_eq!(with_all(""), apart);
    assert_eq!(with_all("from app import state\n"), format!("{apart}from app import state\n"));
    assert_eq!(
        with_all("import os\n\nfrom . import state\n"),
        "import json\nimport os\n\nimport pytest\n\nfrom . import state\nfrom app import new\n"
    );
    assert_eq!(
        with_all("import os\nfrom app import state\n"),
        "import json\nimport os\nimport pytest\nfrom app import new\nfrom app import state\n"
    );
    assert_eq!(
        with_all("import os, app\n"),
        "import json\nimport os, app\nfrom app import new\n\nimport pytest\n"
    );
}

#[test]
fn an_import_from_the_future_goes_before_all_others() {
    let with_future = |text: &str| edited(text, |_, editor| editor.add_import("from __future__ import b"));
    assert_eq!(with_future("import a\n"), "from __future__ import b\n\nimport a\n");
    assert_eq!(
        with_future("from __future__ import a\nx\n"),
        "from __future__ import a\nfrom __future__ import b\nx\n"
    );
    let both = edited("'Doc.'\n\n\ndef f(): pass\n", |_, editor| {
        editor
            .add_import("import new")
            .add_import("from __future__ import b")
            .add_import("from new import x, y")
    });
    assert_eq!(
        both,
        "'Doc.'\n\nfrom __future__ import b\n\nimport new\nfrom new import x, y\n\n\ndef f(): pass\n"
    );
}

#[test]
fn only_an_import_is_added_as_one() {
    let source = Source::parse("").expect("readable");
    assert!(matches!(source.edit().add_import("x = 1").finish(), Err(CannotEdit::Block { .. })));
}
