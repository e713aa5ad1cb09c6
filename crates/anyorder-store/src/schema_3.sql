-- Runs of other machines in which a test failed. `run` is theirs to read who wrote it; `hunt` is the one that has replayed it.
CREATE TABLE imported (
    number  INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    digest  TEXT NOT NULL,
    run     BLOB NOT NULL,
    hunt    INTEGER REFERENCES hunt,
    UNIQUE (session, digest)
) STRICT;

-- What is kept of a suite as a whole, beside the profiles of its tests.
CREATE TABLE note (
    session  INTEGER NOT NULL,
    name     TEXT NOT NULL,
    contents BLOB NOT NULL,
    PRIMARY KEY (session, name)
) STRICT;
