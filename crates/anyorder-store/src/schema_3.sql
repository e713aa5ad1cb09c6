-- Runs of other machines in which a test failed. `run` is theirs to read who wrote it; `hunt` is the one that has replayed it.
CREATE TABLE imported (
    number  INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    digest  TEXT NOT NULL,
    run     BLOB NOT NULL,
    hunt    INTEGER REFERENCES hunt,
    UNIQUE (session, digest)
) STRICT;
