-- What each test did when it was last watched, and the state that this holds in.
CREATE TABLE profile (
    session     INTEGER NOT NULL,
    test        TEXT NOT NULL,
    fingerprint INTEGER NOT NULL REFERENCES fingerprint,
    profile     BLOB NOT NULL,
    PRIMARY KEY (session, test)
) STRICT;

-- The commit that was checked out when profiles were made in a state, with or without further edits.
CREATE TABLE checkout (
    fingerprint INTEGER PRIMARY KEY REFERENCES fingerprint,
    commit_id   TEXT NOT NULL
) STRICT;
