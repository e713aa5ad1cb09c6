//! Noise: cells that code keeps for itself, so that no test can observe them.
//!
//! Knows which cells those are, by rules that `docs/profile.md` lists, and by those of the user. Reports leave such cells
//! out; nothing else does: what is left out here still counts for effects, pairs and causes.

use std::str::FromStr;

use anyorder_model::{Cell, CellKind, Profile, Profiles};

/// A path in which `*` stands for anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellPattern(String);

impl FromStr for CellPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.chars().all(|c| c == '*') {
            return Err("it would hide every cell".to_owned());
        }
        Ok(CellPattern(text.to_owned()))
    }
}

impl CellPattern {
    /// Whether it stands for this path.
    pub fn matches(&self, path: &str) -> bool {
        is_match(&self.0, path)
    }
}

/// Each part between the stars is looked for behind the one before; the first is at the start, the last at the end.
fn is_match(pattern: &str, path: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == path };
    let Some(mut left) = path.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(end)
}

/// Cells that nobody can observe, and why.
const RULES: [(&str, &str); 49] = [
    ("*__warningregistry__*", "which warnings were shown already"),
    ("*.tearDown_exceptions*", "what `unittest` noted while it cleaned up a class"),
    ("*_abc_impl*", "what was found out about subclasses"),
    ("*__slotnames__*", "how instances are copied"),
    ("sys.last_*", "the last exception, kept for a debugger"),
    ("sys.path_importer_cache*", "where modules were looked for"),
    ("importlib.*", "where modules were looked for"),
    ("_frozen_importlib*", "where modules were looked for"),
    ("zipimport.*", "where modules were looked for"),
    ("linecache.*", "lines of source files, kept for tracebacks"),
    ("traceback.*", "lines of source files, kept for tracebacks"),
    ("inspect.*", "which file is which module"),
    ("re.*", "compiled patterns"),
    ("fnmatch.*", "compiled patterns"),
    ("tokenize.*", "compiled patterns"),
    ("struct.*", "compiled formats"),
    ("_struct.*", "compiled formats"),
    ("pkgutil._NAME_PATTERN*", "compiled patterns"),
    ("posixpath._varprog*", "compiled patterns"),
    ("*._cached_cparts", "a path that was taken apart"),
    ("urllib.parse.*", "addresses that were taken apart"),
    ("encodings.*", "codecs that were looked up"),
    ("enum.*", "members that were looked up"),
    ("functools.*", "how calls are dispatched"),
    ("typing.*", "types that were put together"),
    ("asyncio.coroutines.*", "which types are coroutines"),
    ("tempfile._name_sequence*", "names for temporary files, which are random anyway"),
    ("logging.*._cache*", "which levels are enabled"),
    ("*__annotations_cache__*", "types that were put together"),
    ("logging._handlerList*", "which handlers are to be closed at the end"),
    ("mimetypes.inited*", "whether the table of types was read"),
    ("os.environ['PYTEST_*", "what pytest tells of itself"),
    ("_pytest.*", "pytest's own"),
    ("pytest.*", "pytest's own"),
    ("pluggy.*", "pytest's own"),
    ("hypothesis.*", "hypothesis's own"),
    ("file .hypothesis/*", "hypothesis's own"),
    ("*_hypothesis_internal*", "hypothesis's own"),
    ("*.hypothesis._given_kwargs*", "hypothesis's own"),
    ("*._ThreadLocal__threadlocal.*", "hypothesis's own"),
    ("*.limited_base._threadlocal.*", "what strategies of hypothesis have worked out"),
    ("*Strategy__*", "what strategies of hypothesis have worked out"),
    ("*.validate_called*", "what strategies of hypothesis have worked out"),
    ("*.cached_is_empty", "what strategies of hypothesis have worked out"),
    ("*.cached_has_reusable_values", "what strategies of hypothesis have worked out"),
    ("cloudpickle.cloudpickle._extract_code_globals_cache*", "which globals code mentions"),
    ("trio._core._ki.*", "which code of trio may be interrupted"),
    ("*.sniffio_library.name", "which loop runs at the moment"),
    ("fixture * of pytest_asyncio.*", "which loop a plugin keeps for tests"),
];

/// Cells that are filled when they are first needed: their paths, and how what then stands there begins.
const FIRST_USES: [(&str, &str); 2] =
    [("asyncio.events._event_loop_policy", "<asyncio."), ("mimetypes._db", "<mimetypes.")];

/// What is left out of reports.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    own: Vec<CellPattern>,
}

impl Noise {
    /// The rules above, and those of the user.
    pub fn with(own: Vec<CellPattern>) -> Self {
        Noise { own }
    }

    /// Whether nobody can observe this cell.
    pub fn has(&self, cell: &Cell) -> bool {
        is_lazy_import(cell)
            || is_first_use(cell)
            || is_empty_for_empty(cell)
            || is_hypothesis(&cell.after)
            || self.has_path(&cell.path)
    }

    /// Whether nobody can observe the cell with this path, whatever is in it.
    pub(crate) fn has_path(&self, path: &str) -> bool {
        RULES.iter().any(|(pattern, _)| is_match(pattern, path))
            || self.own.iter().any(|pattern| pattern.matches(path))
    }

    /// The profiles without what nobody can observe.
    pub fn without(&self, mut profiles: Vec<Profile>) -> Profiles {
        let mut hidden = 0;
        for profile in &mut profiles {
            let before = profile.writes.len();
            profile.writes.retain(|write| !self.has(&write.cell));
            hidden += before - profile.writes.len();
        }
        Profiles { profiles, hidden }
    }
}

/// A module that is loaded when it is first needed, or the name of one.
fn is_lazy_import(cell: &Cell) -> bool {
    let is_new = cell.before == "<absent>";
    is_new && (cell.kind == CellKind::Module || cell.after.starts_with("<module "))
}

/// Whether something of hypothesis was put there: it hooks into what it drives.
fn is_hypothesis(after: &str) -> bool {
    let after = after.trim_start_matches('[');
    after.starts_with("<hypothesis.") || after.starts_with("<function hypothesis.")
}

fn is_first_use(cell: &Cell) -> bool {
    let is_filled = |(path, start): &(&str, &str)| cell.path == *path && cell.after.starts_with(start);
    cell.before == "None" && FIRST_USES.iter().any(is_filled)
}

/// An empty container in the place of another empty one, or one that a thread has made for itself.
fn is_empty_for_empty(cell: &Cell) -> bool {
    let was_empty = cell.before == cell.after || cell.before == "<absent>" && cell.kind == CellKind::Context;
    was_empty && ["{}", "[]", "set()"].contains(&cell.after.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(path: &str, kind: CellKind, before: &str, after: &str) -> Cell {
        Cell {
            path: path.to_owned(),
            kind,
            before: before.to_owned(),
            after: after.to_owned(),
            names: vec![],
            key: String::new(),
            place: String::new(),
        }
    }

    #[test]
    fn a_star_stands_for_anything_and_everything_else_for_itself() {
        for (pattern, path, expected) in [
            ("a.b", "a.b", true),
            ("a.b", "a.bc", false),
            ("a.*", "a.b['c']", true),
            ("a.*", "ba.c", false),
            ("*_abc_impl*", "shop.Cart._abc_impl", true),
            ("a*b*c", "a.b.b.c", true),
            ("a*b*c", "a.c", false),
            ("a*a", "a", false),
            ("*b*b", "ab", false),
            ("x['*']", "x['k']", true),
        ] {
            assert_eq!(CellPattern(pattern.to_owned()).matches(path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_that_would_hide_everything_is_refused() {
        assert!("**".parse::<CellPattern>().is_err() && "".parse::<CellPattern>().is_err());
    }

    #[test]
    fn a_module_that_appears_is_noise_and_one_that_goes_is_not() {
        let noise = Noise::default();
        let module = "<module 'json'>";
        assert!(noise.has(&cell("sys.modules['json']", CellKind::Module, "<absent>", module)));
        assert!(noise.has(&cell("shop.json", CellKind::Global, "<absent>", module)));
        assert!(!noise.has(&cell("sys.modules['json']", CellKind::Module, module, "<absent>")));
        assert!(!noise.has(&cell("shop.json", CellKind::Global, "None", module)));
    }

    #[test]
    fn a_default_that_is_made_when_first_needed_is_noise_and_another_one_is_not() {
        let policy = |after: &str| cell("asyncio.events._event_loop_policy", CellKind::Global, "None", after);
        let noise = Noise::default();
        assert!(noise.has(&policy("<asyncio.unix_events._UnixDefaultEventLoopPolicy object>")));
        assert!(!noise.has(&policy("<shop.loops.Policy object>")));
    }

    #[test]
    fn an_empty_container_for_an_empty_one_is_noise_and_one_that_was_emptied_is_not() {
        let noise = Noise::default();
        assert!(noise.has(&cell("shop.sizes._seen", CellKind::Attribute, "{}", "{}")));
        assert!(noise.has(&cell("shop.local.open", CellKind::Context, "<absent>", "set()")));
        assert!(!noise.has(&cell("shop.local.open", CellKind::Context, "{1}", "set()")));
        assert!(!noise.has(&cell("shop.FLAGS", CellKind::Global, "<absent>", "{}")));
    }

    #[test]
    fn what_hypothesis_puts_somewhere_is_noise_and_what_a_project_puts_there_is_not() {
        let noise = Noise::default();
        let callbacks = |after: &str| cell("gc.callbacks[0:]", CellKind::Item, "[]", after);
        assert!(noise.has(&callbacks("[<function hypothesis.internal.conjecture.junkdrawer.gc_cumulat...")));
        assert!(!noise.has(&callbacks("[<function shop.memory.hypothesis>]")));
    }

    #[test]
    fn the_rules_of_the_user_are_added_to_ours() {
        let noise = Noise::with(vec!["shop.*._cache*".parse().unwrap()]);
        let has = |path: &str| noise.has(&cell(path, CellKind::Item, "0", "1"));
        assert!(has("shop.cart._cache[3]") && has("re._cache[1]"));
        assert!(!has("shop.cart.total") && !has("report._cache"));
    }

    #[test]
    fn every_rule_is_documented() {
        let page = include_str!("../../../docs/profile.md");
        for (pattern, why) in RULES {
            assert!(page.contains(&format!("| `{pattern}` | {why} |")), "{pattern}");
        }
        for (path, _) in FIRST_USES {
            assert!(page.contains(&format!("`{path}`")), "{path}");
        }
    }
}
