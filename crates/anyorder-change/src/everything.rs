//! Files that concern every test: what is installed, how tests are run, and code that nobody here can read.

use anyorder_source::Parts;

/// Settings of builds and runners, and what is to be installed.
const NAMES: [&str; 24] = [
    ".coveragerc",
    ".pytest.ini",
    ".python-version",
    "Pipfile",
    "anyorder.toml",
    "build.gradle",
    "build.gradle.kts",
    "build.rs",
    "CMakeLists.txt",
    "environment.yaml",
    "environment.yml",
    "gradle.properties",
    "libs.versions.toml",
    "meson.build",
    "pom.xml",
    "pyproject.toml",
    "pytest.ini",
    "pytest.toml",
    "settings.gradle",
    "settings.gradle.kts",
    "setup.cfg",
    "sitecustomize.py",
    "tox.ini",
    "usercustomize.py",
];
/// Lock files, and code that is compiled before Python can use it.
const ENDINGS: [&str; 14] =
    ["lock", "lockfile", "pth", "c", "cc", "cpp", "h", "hpp", "pyd", "pyx", "pxd", "so", "rs", "f90"];
/// Lists of packages begin so and end with `.txt` or `.in`; a directory of such lists has one of these names.
const LISTS: [&str; 3] = ["requirements", "constraints", "reqs"];

/// What `setup.py` mentions where it has something built, besides `Extension` of any sort and `build.py:ffi`. Else it only says what is
/// to be installed, and what is installed is looked at by itself.
const BUILDS: [&str; 7] =
    ["build", "build_clib", "build_ext", "build_py", "cythonize", "develop", "mypycify"];

/// Whether a change to this file concerns every test.
pub(crate) fn concerns_all(path: &str, parts: Option<&Parts>) -> bool {
    let mut names = path.rsplit('/');
    let name = names.next().unwrap_or(path);
    if name == "setup.py" {
        let builds =
            |word: &String| BUILDS.contains(&&**word) || word.ends_with("Extension") || word.contains(".py:");
        return parts.is_none_or(|parts| parts.names.iter().chain(&parts.strings).any(builds));
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_list = matches!(ending, "txt" | "in")
        && (LISTS.iter().any(|list| name.starts_with(list))
            || names.next().is_some_and(|directory| LISTS.contains(&directory)));
    NAMES.contains(&name) || ENDINGS.contains(&ending) || is_list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_and_how_tests_run_concerns_all() {
        for path in [
            "pyproject.toml",
            "uv.lock",
            "Pipfile.lock",
            "requirements.txt",
            "requirements-dev.txt",
            "requirements/tests.in",
            "../setup.cfg",
            "shop/fast.pyx",
        ] {
            assert!(concerns_all(path, None), "{path}");
        }
    }

    #[test]
    fn what_builds_something_concerns_all_and_what_lists_packages_does_not() {
        let concerns = |text: &str| concerns_all("setup.py", Some(&Parts::read(text.as_bytes()).unwrap()));
        for text in [
            "setup(ext_modules=cythonize('fast.pyx'))\n",
            "setup(ext_modules=[Pybind11Extension('fast', ['fast.cpp'])])\n",
            "setup(cmdclass={'build_ext': Own})\n",
            "setup(cffi_modules=['fast/build.py:ffi'])\n",
        ] {
            assert!(concerns(text), "{text}");
        }
        assert!(!concerns("setup(extras_require={'docs': ['sphinx==8']})\n"));
        assert!(concerns_all("setup.py", None));
    }

    #[test]
    fn what_people_read_and_tests_open_does_not() {
        for path in
            ["README.md", "tests/data/prices.txt", "shop/cart.py", "docs/lock", "tests/requirements.py"]
        {
            assert!(!concerns_all(path, None), "{path}");
        }
    }
}
