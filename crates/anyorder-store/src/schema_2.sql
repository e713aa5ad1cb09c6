-- What each test did when it was last watched, and the state that this holds in.
CREATE TABLE profile (
    session     INTEGER NOT NULL,
    test        TEXT NOT NULL,
    fingerprint INTEGER NOT NULL REFERENCES fingerprint,
    profile     BLOB NOT NULL,
    PRIMARY KEY (session, test)
) STRICT;

-- The sources behind a fingerprint, as whoever compares them describes them.
CREATE TABLE state (
    fingerprint INTEGER PRIMARY KEY REFERENCES fingerprint,
    sources     BLOB NOT NULL
) STRICT;
