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
const RULES: [(&str, &str); 25] = [
    ("*__warningregistry__*", "which warnings were shown already"),
    ("sys.last_*", "the last exception, kept for a debugger"),
    ("sys.path_importer_cache*", "where modules were looked for"),
    ("linecache.*", "lines of source files, kept for tracebacks"),
    ("re.*", "compiled patterns"),
    ("tokenize.*", "compiled patterns"),
    ("fnmatch.*", "compiled patterns"),
    ("typing.*", "types that were put together"),
    ("functools.*", "how calls are dispatched"),
    ("importlib.*", "where modules were looked for"),
    ("inspect.*", "which file is which module"),
    ("traceback.*", "lines of source files"),
    ("enum.*", "members that were looked up"),
    ("encodings.*", "codecs that were looked up"),
    ("*_abc_impl*", "what was found out about subclasses"),
    ("*__slotnames__*", "how instances are copied"),
    ("logging.*._cache[*", "which levels are enabled"),
    ("*log._cache[*", "which levels are enabled"),
    ("*logger._cache[*", "which levels are enabled"),
    ("*LOGGER._cache[*", "which levels are enabled"),
    ("*loggerDict[*._cache[*", "which levels are enabled"),
    ("os.environ['PYTEST_*", "what pytest tells of itself"),
    ("_pytest.*", "pytest's own"),
    ("pytest.*", "pytest's own"),
    ("pluggy.*", "pytest's own"),
];

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
            || RULES.iter().any(|(pattern, _)| is_match(pattern, &cell.path))
            || self.own.iter().any(|pattern| pattern.matches(&cell.path))
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
    }
}
