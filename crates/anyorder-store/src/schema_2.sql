-- What each test did when it was last watched, and the state that this holds in.
CREATE TABLE profile (
    session     INTEGER NOT NULL,
    test        TEXT NOT NULL,
    fingerprint INTEGER NOT NULL REFERENCES fingerprint,
    profile     BLOB NOT NULL,
    PRIMARY KEY (session, test)
) STRICT;
