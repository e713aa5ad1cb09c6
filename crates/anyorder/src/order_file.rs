//! Order files that were typed, as orders of the suite that was collected.

use std::io::Read;
use std::path::Path;

use anyorder_model::{Order, Suite, TestId, parse_order_file};
use anyorder_store::History;

use crate::failure::Failure;
use crate::known::evidence;

/// The ids in a file, or those of the failing order of a finding.
pub(crate) fn read_order_or_finding(directory: &Path, named: &Path) -> Result<Vec<TestId>, Failure> {
    let name = named.to_str().filter(|name| is_finding_id(name) && !named.exists());
    let Some(id) = name else { return read_order(directory, named) };
    let finding = History::open(directory)?.map(|history| history.finding(id)).transpose()?.flatten();
    finding.and_then(|finding| evidence(&finding, "failing")).ok_or_else(|| Failure::unknown_finding(id))
}

/// A letter, and six hexadecimal digits.
pub(crate) fn is_finding_id(name: &str) -> bool {
    name.split_once('-').is_some_and(|(letter, digits)| {
        letter.len() == 1 && digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// The ids in a file; `-` is standard input.
pub(crate) fn read_order(directory: &Path, file: &Path) -> Result<Vec<TestId>, Failure> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text)
    } else {
        let place = if file.exists() { file.to_owned() } else { directory.join(file) };
        std::fs::File::open(place).and_then(|mut open| open.read_to_string(&mut text))
    };
    read.map_err(|error| Failure::unreadable(file, &error))?;
    parse_order_file(&text).map_err(|error| Failure::order_file(file, &error))
}

/// The order that these ids mean.
pub(crate) fn order_of(suite: &Suite, file: &Path, ids: &[TestId]) -> Result<Order, Failure> {
    let unknown: Vec<TestId> = ids.iter().filter(|id| suite.index_of(id).is_none()).cloned().collect();
    if let Some(first) = unknown.first() {
        return Err(Failure::unknown_tests(file, &unknown, nearest(suite, first)));
    }
    Ok(ids.iter().filter_map(|id| suite.index_of(id)).collect())
}

/// The test whose id is most like `id`, if any is.
fn nearest<'suite>(suite: &'suite Suite, id: &TestId) -> Option<&'suite TestId> {
    let likeness = |other: &TestId| strsim::normalized_levenshtein(&other.0, &id.0);
    let best =
        suite.tests().iter().map(|test| &test.id).max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.7).then_some(best)
}
