-- What is kept of a suite as a whole, beside the profiles of its tests.
CREATE TABLE note (
    session  INTEGER NOT NULL,
    name     TEXT NOT NULL,
    contents BLOB NOT NULL,
    PRIMARY KEY (session, name)
) STRICT;
