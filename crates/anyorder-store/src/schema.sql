-- Every state that the suite was seen in. `used` counts up: the highest was used last.
CREATE TABLE fingerprint (
    number      INTEGER PRIMARY KEY,
    digest      TEXT NOT NULL UNIQUE,
    sources     TEXT NOT NULL,
    interpreter TEXT NOT NULL,
    packages    TEXT NOT NULL,
    settings    TEXT NOT NULL,
    agent       TEXT NOT NULL,
    used        INTEGER NOT NULL
) STRICT;

-- Every test that was ever named.
CREATE TABLE test (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE
) STRICT;

-- `tests` holds the numbers of the tests in their order, see `run.rs`.
CREATE TABLE run (
    number       INTEGER PRIMARY KEY,
    fingerprint  INTEGER NOT NULL REFERENCES fingerprint,
    order_digest BLOB NOT NULL,
    purpose      TEXT NOT NULL,
    session      INTEGER NOT NULL,
    repetition   INTEGER NOT NULL,
    tests        BLOB NOT NULL,
    outcomes     TEXT NOT NULL,
    answer       BLOB NOT NULL,
    UNIQUE (fingerprint, order_digest, purpose, session, repetition)
) STRICT;

-- `began` and `ended` are seconds since 1970; a hunt that was killed never ended.
CREATE TABLE hunt (
    number      INTEGER PRIMARY KEY,
    fingerprint INTEGER NOT NULL REFERENCES fingerprint,
    began       INTEGER NOT NULL,
    argv        TEXT NOT NULL,
    seed        INTEGER NOT NULL,
    budget      TEXT NOT NULL,
    ended       INTEGER,
    exit        INTEGER
) STRICT;

-- A log: each line says that a hunt saw a finding, or, without `json`, that it could not reproduce it.
CREATE TABLE finding (
    number INTEGER PRIMARY KEY,
    hunt   INTEGER NOT NULL REFERENCES hunt,
    id     TEXT NOT NULL,
    kind   TEXT,
    test   TEXT,
    json   TEXT
) STRICT;

CREATE INDEX finding_id ON finding (id);
