//! Which lines of which files a finding is about, as a repository names them.

use anyorder_model::{Finding, Group, Spot, State, Suite, TestIndex};

/// Groups of tests that change how the test ends.
pub(crate) fn partners(finding: &Finding) -> &[Group] {
    finding.polluters.as_ref().or(finding.setters.as_ref()).map_or(&[], Vec::as_slice)
}

/// Where a test stands.
pub(crate) fn own(suite: &Suite, test: TestIndex) -> Spot {
    let test = suite.test(test);
    Spot { file: test.file.clone(), line: test.line.max(1) }
}

/// Cells that carry a finding; proved ones first.
pub(crate) fn cells(finding: &Finding) -> Vec<&State> {
    let of_causes = finding.causes.iter().flatten().flat_map(|cause| &cause.state);
    let mut cells: Vec<&State> = of_causes.chain(finding.state.iter().flatten()).collect();
    cells.sort_by_key(|state| state.proved != Some(true));
    cells
}

/// Where a finding comes from: the line that leaves the state changed, else the test that does, else the test itself.
pub(crate) fn origin(suite: &Suite, finding: &Finding) -> Spot {
    let written = cells(finding).into_iter().filter_map(|state| parsed(state.written.as_deref()?));
    let partner = partners(finding).first().and_then(|group| group.last()).map(|&test| own(suite, test));
    let mut spots = written.chain(partner).filter(|spot| is_inside(&spot.file));
    spots.next().unwrap_or_else(|| own(suite, finding.test))
}

/// A line as in `shop/cart.py:41`.
pub(crate) fn parsed(text: &str) -> Option<Spot> {
    let (file, line) = text.rsplit_once(':')?;
    Some(Spot { file: file.to_owned(), line: line.parse().ok().filter(|&line| line > 0)? })
}

/// Whether a path can be one of the project's.
pub(crate) fn is_inside(file: &str) -> bool {
    !file.is_empty() && !file.starts_with(['/', '<'])
}

/// `a/b/` and `../c.py` are `a/c.py`.
pub(crate) fn joined(prefix: &str, file: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in prefix.split('/').chain(file.split('/')).filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn paths_out_of_the_suite_s_root_are_those_of_the_repository() {
        assert_eq!(joined("sub/dir/", "../shop/cart.py"), "sub/shop/cart.py");
        assert_eq!(joined("", "./shop/cart.py"), "shop/cart.py");
    }

    #[test]
    fn a_finding_comes_from_the_line_that_writes_else_from_the_polluter() {
        let suite = example::suite(&["p", "a", "b"]);
        let mut finding = example::victims().remove(0);
        assert_eq!(origin(&suite, &finding), Spot { file: "t.py".to_owned(), line: 2 });
        for written in ["/usr/lib/python3/os.py:7", "<string>:1", "nowhere"] {
            finding.causes.as_mut().unwrap()[0].state[0].written = Some(written.to_owned());
            assert_eq!(origin(&suite, &finding), own(&suite, TestIndex(0)), "{written}");
        }
    }
}
