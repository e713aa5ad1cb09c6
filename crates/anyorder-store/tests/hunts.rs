//! Hunts and findings are remembered for good.

mod common;

use anyorder_store::{
    FoundFinding, History, HuntEnd, HuntNumber, HuntStart, HuntTime, KEPT_FINGERPRINTS, Store,
};
use common::{fingerprint, open, test};

fn start(began: i64) -> HuntStart {
    HuntStart {
        began,
        argv: vec!["anyorder".to_owned(), "a \"b\"".to_owned()],
        seed: u64::MAX,
        budget: "5m".to_owned(),
    }
}

fn save(store: &mut Store, hunt: HuntNumber, id: &str, json: &str) {
    let finding = FoundFinding { id, kind: "victim", test: &test("test_total"), json };
    store.save_finding(hunt, &finding).unwrap();
}

#[test]
fn a_hunt_that_was_killed_has_no_end() {
    let project = tempfile::tempdir().unwrap();
    let mut store = open(project.path());
    let killed = store.begin_hunt(&start(100)).unwrap();
    let ended = store.begin_hunt(&start(200)).unwrap();
    store.end_hunt(ended, HuntEnd { ended: 260, exit: 1 }).unwrap();
    let hunts = store.history().hunts().unwrap();
    assert_eq!(hunts.iter().map(|hunt| hunt.number).collect::<Vec<_>>(), [killed, ended]);
    assert_eq!(
        hunts.iter().map(|hunt| hunt.end).collect::<Vec<_>>(),
        [None, Some(HuntEnd { ended: 260, exit: 1 })]
    );
    assert_eq!(hunts[0].start, start(100));
    assert_eq!(hunts[0].fingerprint, fingerprint("as they are").digest());
}

#[test]
fn a_finding_is_known_in_its_latest_state() {
    let project = tempfile::tempdir().unwrap();
    let mut store = open(project.path());
    let hunts = [100, 200, 300].map(|began| store.begin_hunt(&start(began)).unwrap());
    let time = |place: usize, began| HuntTime { hunt: hunts[place], began };
    save(&mut store, hunts[0], "v-2", "first");
    save(&mut store, hunts[0], "v-1", "other");
    save(&mut store, hunts[1], "v-2", "found again");
    save(&mut store, hunts[1], "v-2", "with its cleaners");
    store.not_reproduced(hunts[2], "v-2").unwrap();

    let known = store.history().known_findings().unwrap();
    assert_eq!(known.iter().map(|finding| finding.id.as_str()).collect::<Vec<_>>(), ["v-1", "v-2"]);
    assert!(known[0].stands);
    assert_eq!(known[0].last_not_reproduced, None);
    let gone = store.history().finding("v-2").unwrap().unwrap();
    assert_eq!(gone, known[1]);
    assert_eq!((gone.kind.as_str(), &gone.test), ("victim", &test("test_total")));
    assert_eq!(gone.json, "with its cleaners");
    assert_eq!((gone.first_seen, gone.last_seen), (time(0, 100), time(1, 200)));
    assert_eq!(gone.last_not_reproduced, Some(time(2, 300)));
    assert!(!gone.stands);

    save(&mut store, hunts[2], "v-2", "after all");
    assert!(store.history().finding("v-2").unwrap().unwrap().stands);
    assert_eq!(store.history().finding("v-3").unwrap(), None);
}

#[test]
fn hunts_and_findings_outlive_their_fingerprint() {
    let project = tempfile::tempdir().unwrap();
    let mut store = open(project.path());
    let hunt = store.begin_hunt(&start(100)).unwrap();
    save(&mut store, hunt, "v-1", "{}");
    drop(store);
    for number in 0..2 * KEPT_FINGERPRINTS {
        Store::open(project.path(), &fingerprint(&number.to_string())).unwrap();
    }
    let history = History::open(project.path()).unwrap().unwrap();
    assert_eq!(history.hunts().unwrap().len(), 1);
    assert_eq!(history.known_findings().unwrap().len(), 1);
}
