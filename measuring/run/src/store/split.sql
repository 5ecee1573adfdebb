-- What schema version 2 adds: where the time of a series' latencies went. docs/run-file.md explains it with examples.
--
-- A part (interrupt latency, activation latency ...) is a row of series like any other, with its own histogram, timeline
-- and worst samples; the table part says to which whole series it belongs.

CREATE TABLE part (              -- one for each series that is a part of another
  series INTEGER PRIMARY KEY REFERENCES series(id),
  whole  INTEGER NOT NULL REFERENCES series(id)
) STRICT;

CREATE TABLE split (             -- one for each series that was split into parts
  series      INTEGER PRIMARY KEY REFERENCES series(id),
  by          TEXT NOT NULL,     -- bpf, module, receive-stamp
  split       INTEGER,           -- activations that were split, warm-up excluded; NULL until the run ends, as the next
  never_slept INTEGER            -- served = split + never_slept + the sum of unsplit
) STRICT;

CREATE TABLE unsplit (           -- activations that slept and could not be split
  series INTEGER NOT NULL REFERENCES series(id),
  reason TEXT NOT NULL,          -- no-stamps, ring-full, other-wake-up, out-of-order, no-slot, sample-lost, not-counted
  count  INTEGER NOT NULL,
  PRIMARY KEY (series, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE cause (             -- what happened around the worst samples
  series     INTEGER NOT NULL REFERENCES series(id),
  rank       INTEGER NOT NULL,   -- 0 is the worst
  latency_ns INTEGER NOT NULL,
  at_ns      INTEGER NOT NULL,   -- when it was due, since the run's first due activation
  activation INTEGER NOT NULL,
  sentence   TEXT NOT NULL,      -- for people
  PRIMARY KEY (series, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE cause_share (       -- who took the time of one cause
  series    INTEGER NOT NULL REFERENCES series(id),
  rank      INTEGER NOT NULL,
  number    INTEGER NOT NULL,    -- 0 took most
  taker     TEXT NOT NULL,       -- interrupt, softirq, thread, idle, task, unseen
  name      TEXT NOT NULL,       -- eth0, NET_RX, kworker/1:1
  cpu       INTEGER NOT NULL,
  length_ns INTEGER NOT NULL,
  PRIMARY KEY (series, rank, number)
) STRICT, WITHOUT ROWID;
