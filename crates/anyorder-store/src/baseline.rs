//! The baseline file: findings that somebody has accepted, why, and until when.
//!
//! Knows how it is written down. Does not know which findings there are, nor what day it is.

use std::fmt;
use std::str::FromStr;

use anyorder_model::{FindingId, Kind, TestId};
use serde::{Deserialize, Serialize};

/// Findings that are accepted, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: Vec<AcceptedFinding>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedFinding {
    /// Its id, which its kind and its test decide.
    pub id: FindingId,
    /// What kind of verdict.
    pub kind: Kind,
    /// The test that it speaks of.
    pub test: TestId,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it is; for good if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Day>,
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: u32,
    findings: Vec<AcceptedFinding>,
}

/// The only form that there is so far.
const SCHEMA: u32 = 1;

/// A day of the calendar, as in `2026-12-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day {
    year: u16,
    month: u8,
    /// From 1.
    of_month: u8,
}

/// Why a file is no baseline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// It is not JSON, or has other fields.
    #[error("{0}")]
    Form(String),
    /// It is of a form that we do not know.
    #[error("it has schema {0}, and this version of anyorder reads schema {SCHEMA}")]
    Schema(u32),
    /// An id is not that of its test.
    #[error("`{given}` is not the id of a {kind} `{test}`")]
    Id {
        /// What is written there.
        given: FindingId,
        /// What should be.
        right: FindingId,
        /// The kind that is written there.
        kind: &'static str,
        /// The test that is written there.
        test: TestId,
    },
    /// An id comes twice.
    #[error("`{0}` is there twice")]
    Twice(FindingId),
    /// A reason is missing.
    #[error("`{0}` has an empty reason")]
    NoReason(FindingId),
}

impl BaselineError {
    /// One thing to try.
    pub fn hint(&self) -> String {
        match self {
            BaselineError::Form(_) => {
                "each finding has `id`, `kind`, `test`, `reason` and perhaps `expires`, a day such as `2026-12-31`".to_owned()
            }
            BaselineError::Schema(_) => "use the version of anyorder that wrote it".to_owned(),
            BaselineError::Id { right, .. } => {
                format!("if kind and test are right, write `{right}`")
            }
            BaselineError::Twice(_) => "keep one of the two".to_owned(),
            BaselineError::NoReason(_) => "say why it is accepted".to_owned(),
        }
    }
}

impl Baseline {
    /// The name of the file, unless somebody says otherwise.
    pub const NAME: &str = "anyorder-baseline.json";

    /// Reads the text of a baseline file.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let file: File =
            serde_json::from_str(text).map_err(|error| BaselineError::Form(error.to_string()))?;
        if file.schema != SCHEMA {
            return Err(BaselineError::Schema(file.schema));
        }
        file.findings.iter().try_for_each(AcceptedFinding::checked)?;
        let mut baseline = Baseline { entries: file.findings };
        baseline.entries.sort_by(|one, other| one.id.cmp(&other.id));
        let twice = baseline.entries.windows(2).find(|pair| pair[0].id == pair[1].id);
        twice.map_or(Ok(()), |pair| Err(BaselineError::Twice(pair[0].id.clone())))?;
        Ok(baseline)
    }

    /// The text of the file, the same for the same findings.
    pub fn text(&self) -> String {
        let file = File { schema: SCHEMA, findings: self.entries.clone() };
        serde_json::to_string_pretty(&file).expect("it has a JSON form") + "\n"
    }

    /// What is accepted under this id.
    pub fn get(&self, id: &FindingId) -> Option<&AcceptedFinding> {
        self.entries.binary_search_by(|entry| entry.id.cmp(id)).ok().map(|at| &self.entries[at])
    }

    /// Accepts one more; one that is accepted already keeps its reason and its day.
    pub fn accept(&mut self, finding: AcceptedFinding) {
        if let Err(at) = self.entries.binary_search_by(|entry| entry.id.cmp(&finding.id)) {
            self.entries.insert(at, finding);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is accepted.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl AcceptedFinding {
    fn checked(&self) -> Result<(), BaselineError> {
        let right = FindingId::new(self.kind, &self.test);
        if self.id != right {
            let (given, kind, test) = (self.id.clone(), self.kind.name(), self.test.clone());
            return Err(BaselineError::Id { given, right, kind, test });
        }
        if self.reason.trim().is_empty() {
            return Err(BaselineError::NoReason(self.id.clone()));
        }
        Ok(())
    }

    /// Whether it is no longer accepted on this day.
    pub fn is_expired(&self, today: Day) -> bool {
        self.expires.is_some_and(|last| last < today)
    }
}

impl Day {
    /// The day, in universal time, that many seconds after the beginning of 1970.
    pub fn at(seconds: i64) -> Self {
        let mut days = seconds.div_euclid(86_400);
        let mut year = 1970;
        while days >= days_of_year(year) {
            days -= days_of_year(year);
            year += 1;
        }
        let mut month = 1;
        while days >= days_of_month(year, month) {
            days -= days_of_month(year, month);
            month += 1;
        }
        Day { year, month, of_month: u8::try_from(days + 1).expect("months are short") }
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_year(year: u16) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_of_month(year: u16, month: u8) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not a day; write it as `2026-12-31`");
        let parts: Vec<&str> = text.split('-').collect();
        let is_written = |part: &str, length: usize| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let [year, month, day] = parts[..] else { return Err(bad()) };
        if !(is_written(year, 4) && is_written(month, 2) && is_written(day, 2)) {
            return Err(bad());
        }
        let (year, month, of_month): (u16, u8, u8) = (
            year.parse().map_err(|_| bad())?,
            month.parse().map_err(|_| bad())?,
            day.parse().map_err(|_| bad())?,
        );
        let is_there =
            (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&i64::from(of_month));
        if is_there { Ok(Day { year, month, of_month }) } else { Err(bad()) }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.of_month)
    }
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn accepted(name: &str, expires: Option<&str>) -> AcceptedFinding {
        let test = TestId(name.to_owned());
        AcceptedFinding {
            id: FindingId::new(Kind::Victim, &test),
            kind: Kind::Victim,
            test,
            reason: "issue 12".to_owned(),
            expires: expires.map(|day| day.parse().unwrap()),
        }
    }

    fn with(change: impl Fn(&mut serde_json::Value)) -> Result<Baseline, BaselineError> {
        let mut baseline = Baseline::default();
        baseline.accept(accepted("t.py::a", Some("2026-12-31")));
        let mut value = serde_json::from_str(&baseline.text()).unwrap();
        change(&mut value);
        Baseline::parse(&value.to_string())
    }

    #[test]
    fn what_is_written_is_read_and_one_that_is_there_keeps_its_reason() {
        let mut baseline = Baseline::default();
        baseline.accept(accepted("t.py::b", None));
        baseline.accept(accepted("t.py::a", Some("2026-02-28")));
        let other = AcceptedFinding { reason: "another".to_owned(), ..accepted("t.py::a", None) };
        baseline.accept(other.clone());
        assert_eq!(Baseline::parse(&baseline.text()).unwrap(), baseline);
        assert_eq!((baseline.len(), baseline.get(&other.id).unwrap().reason.as_str()), (2, "issue 12"));
    }

    #[test]
    fn a_file_that_is_wrong_says_where_and_what_to_write() {
        assert!(with(|_| ()).is_ok());
        let error = |change: fn(&mut serde_json::Value)| with(change).unwrap_err();
        let unknown = error(|file| file["findings"][0]["expire"] = "2026-12-31".into());
        assert!(unknown.to_string().contains("unknown field `expire`"), "{unknown}");
        assert!(unknown.to_string().contains("line 1 column"), "{unknown}");
        let unknown = error(|file| file["finding"] = 1.into());
        assert!(unknown.to_string().contains("unknown field `finding`"), "{unknown}");
        let day = error(|file| file["findings"][0]["expires"] = "31.12.2026".into());
        assert!(day.to_string().contains("`31.12.2026` is not a day; write it as `2026-12-31`"), "{day}");
        let id = error(|file| file["findings"][0]["test"] = "t.py::b".into());
        let right = FindingId::new(Kind::Victim, &TestId("t.py::b".to_owned()));
        assert_eq!(id.hint(), format!("if kind and test are right, write `{right}`"));
        assert_eq!(error(|file| file["schema"] = 2.into()), BaselineError::Schema(2));
        let reason = error(|file| file["findings"][0]["reason"] = " ".into());
        assert!(matches!(reason, BaselineError::NoReason(_)));
        let twice = error(|file| {
            let one = file["findings"][0].clone();
            file["findings"].as_array_mut().unwrap().push(one);
        });
        assert!(matches!(twice, BaselineError::Twice(_)));
    }

    #[test]
    fn the_last_day_still_counts() {
        let finding = accepted("t.py::a", Some("2024-02-29"));
        let on = |day: &str| finding.is_expired(day.parse().unwrap());
        assert_eq!([on("2024-02-28"), on("2024-02-29"), on("2024-03-01")], [false, false, true]);
        assert!(!accepted("t.py::a", None).is_expired("9999-12-31".parse().unwrap()));
    }

    #[test]
    fn only_days_that_exist_are_days() {
        for text in
            ["2026-02-29", "2026-00-01", "2026-13-01", "2026-04-31", "2026-1-1", "+026-01-01", "2026-01", "x"]
        {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
        assert_eq!(Day::at(0).to_string(), "1970-01-01");
        assert_eq!(Day::at(1_709_164_800).to_string(), "2024-02-29");
        assert_eq!(Day::at(1_709_251_199).to_string(), "2024-02-29");
        assert_eq!(Day::at(1_709_251_200).to_string(), "2024-03-01");
    }

    proptest! {
        #[test]
        fn every_day_is_read_as_it_is_written(seconds in 0..200_000_000_000_i64, later in any::<u32>()) {
            let day = Day::at(seconds);
            prop_assert_eq!(day.to_string().parse::<Day>(), Ok(day));
            prop_assert_eq!(Day::at(seconds + i64::from(later)) >= day, true);
        }
    }
}
