//! What `open` does with a directory or a file that is not what it should be.

mod common;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyorder_store::{History, Store, StoreError};
use common::{database, fingerprint, open, recall, record, tamper};

fn refusal(project: &Path) -> StoreError {
    Store::open(project, &fingerprint("as they are")).unwrap_err()
}

#[test]
fn a_second_writer_is_told_who_is_writing() {
    let project = tempfile::tempdir().unwrap();
    let first = open(project.path());
    let error = refusal(project.path());
    let pid = std::process::id();
    let directory = project.path().join(".anyorder");
    assert_eq!(error.to_string(), format!("process {pid} is already recording in `{}`", directory.display()));
    assert_eq!(error.hint(), format!("wait until it ends, or end it: `kill {pid}`"));
    drop(first);
    open(project.path());
}

#[test]
fn a_reader_sees_what_the_writer_has_recorded_so_far() {
    let project = tempfile::tempdir().unwrap();
    let mut writer = open(project.path());
    record(&mut writer, 0, b"answer");
    let reader = History::open(project.path()).unwrap().unwrap();
    assert_eq!(reader.runs().unwrap().len(), 1);
    record(&mut writer, 1, b"answer");
    assert_eq!(reader.runs().unwrap().len(), 2);
}

#[test]
fn reading_where_nothing_was_recorded_makes_nothing() {
    let project = tempfile::tempdir().unwrap();
    assert!(History::open(project.path()).unwrap().is_none());
    assert_eq!(fs::read_dir(project.path()).unwrap().count(), 0);
}

#[test]
fn a_newer_schema_is_refused_and_stays_as_it_is() {
    let project = tempfile::tempdir().unwrap();
    open(project.path());
    tamper(project.path(), "PRAGMA user_version = 7");
    let path = database(project.path());
    let before = fs::read(&path).unwrap();
    for error in [refusal(project.path()), History::open(project.path()).unwrap_err()] {
        let message =
            format!("`{}` has schema 7; this version of anyorder reads schemas up to 3", path.display());
        assert_eq!(error.to_string(), message);
        let hint = format!("use the later version, or begin a new history: `rm {}`", path.display());
        assert_eq!(error.hint(), hint);
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

type Intruder = (&'static str, fn(&Path));

/// Each of these replaces a history in which something was recorded.
const INTRUDERS: [Intruder; 5] = [
    ("text", |path| fs::write(path, "not a database, but long enough for a header").unwrap()),
    ("database of somebody else", |path| {
        fs::remove_file(path).unwrap();
        rusqlite::Connection::open(path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    }),
    ("cut off", |path| fs::File::options().write(true).open(path).unwrap().set_len(9000).unwrap()),
    ("overwritten in the middle", |path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[4096..].fill(0x5a);
        fs::write(path, bytes).unwrap();
    }),
    ("directory", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
];

#[test]
fn a_file_that_is_not_ours_or_is_broken_is_set_aside_not_lost() {
    for (what, intrude) in INTRUDERS {
        let project = tempfile::tempdir().unwrap();
        record(&mut open(project.path()), 0, b"answer");
        let path = database(project.path());
        intrude(&path);
        let before = fs::read(&path).ok();

        let mut store = open(project.path());
        let aside = store.set_aside().expect(what).to_owned();
        assert_eq!(fs::read(&aside).ok(), before, "{what}");
        assert_eq!(recall(&store, 0), None, "{what}");
        record(&mut store, 0, b"new");
        drop(store);
        let store = open(project.path());
        assert_eq!(store.set_aside(), None, "{what}");
        assert_eq!(recall(&store, 0).unwrap(), b"new", "{what}");
    }
}

#[test]
fn what_is_set_aside_twice_has_two_names_and_takes_its_log_along() {
    let project = tempfile::tempdir().unwrap();
    let directory = project.path().join(".anyorder");
    fs::create_dir(&directory).unwrap();
    let mut aside = Vec::new();
    for _ in 0..2 {
        fs::write(database(project.path()), "not a database").unwrap();
        fs::write(directory.join("history.sqlite-wal"), "not a log").unwrap();
        aside.push(open(project.path()).set_aside().unwrap().file_name().unwrap().to_owned());
    }
    assert_eq!(aside, ["history.sqlite.set-aside-1", "history.sqlite.set-aside-2"]);
    assert_eq!(fs::read(directory.join("history.sqlite.set-aside-2-wal")).unwrap(), b"not a log");
}

#[test]
fn a_reader_refuses_a_foreign_file_and_leaves_it_where_it_is() {
    let project = tempfile::tempdir().unwrap();
    drop(open(project.path()));
    fs::write(database(project.path()), "not a database, but long enough for a header").unwrap();
    let error = History::open(project.path()).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    assert!(database(project.path()).exists());
}

#[test]
fn an_empty_file_is_as_good_as_none() {
    let project = tempfile::tempdir().unwrap();
    fs::create_dir(project.path().join(".anyorder")).unwrap();
    fs::write(database(project.path()), "").unwrap();
    assert!(History::open(project.path()).unwrap().is_none());
    assert_eq!(open(project.path()).set_aside(), None);
}

const READ_ONLY: &str = "ANYORDER_TEST_READ_ONLY_PROJECT";

#[test]
fn a_read_only_project_can_be_read_and_refuses_to_record() {
    if let Some(project) = std::env::var_os(READ_ONLY) {
        return check_read_only(Path::new(&project));
    }
    let home = tempfile::tempdir().unwrap();
    let [new, old] = ["new", "old ?#%41"].map(|name| home.path().join(name));
    fs::create_dir_all(&new).unwrap();
    fs::create_dir_all(&old).unwrap();
    record(&mut open(&old), 0, b"answer");
    let program = home.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    for path in [home.path(), &new, &old, &old.join(".anyorder")] {
        fs::set_permissions(path, Permissions::from_mode(0o555)).unwrap();
    }
    for project in [&new, &old] {
        let mut again = Command::new(&program);
        again
            .args(["--exact", "a_read_only_project_can_be_read_and_refuses_to_record"])
            .env(READ_ONLY, project);
        // Permissions do not bind root.
        if fs::metadata(home.path()).unwrap().uid() == 0 {
            again.uid(65534);
        }
        let output = again.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    fs::set_permissions(old.join(".anyorder"), Permissions::from_mode(0o755)).unwrap();
    for path in [&new, &old, home.path()] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
}

fn check_read_only(project: &Path) {
    let is_new = project.ends_with("new");
    let error = refusal(project);
    let path = project.join(if is_new { ".anyorder" } else { ".anyorder/lock" });
    assert_eq!(
        error.to_string(),
        format!("cannot write `{}`: Permission denied (os error 13)", path.display())
    );
    assert_eq!(error.hint(), "make the project's directory writable, or copy the project");
    let runs = History::open(project).unwrap().map(|history| history.runs().unwrap().len());
    assert_eq!(runs, if is_new { None } else { Some(1) });
}
