-- The schema of a prazo run file, version 1. docs/run-file.md explains it with examples.
--
-- One file is one run. Times are whole nanoseconds, counts whole numbers; a figure that is not known is NULL, never 0.
-- A file that is read must hold exactly these tables, so a change here is a new schema version.

CREATE TABLE meta (              -- the run itself, one row a fact about it
  key   TEXT NOT NULL PRIMARY KEY, -- name, state, origin, plan, command, ending, elapsed_ns, started_at_unix_ns ...
  value TEXT NOT NULL              -- plain text or number; origin, plan and ending are JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE series (            -- one for each processor and quantity
  id               INTEGER PRIMARY KEY, -- 0, 1, 2 ...
  cpu              INTEGER,             -- NULL where the source does not say
  quantity         TEXT NOT NULL,       -- response-latency, interrupt-latency, activation-latency, return-to-user, noise
  period_ns        INTEGER,             -- distance of two activations
  resolution_ns    INTEGER NOT NULL,    -- finest difference the source can show
  due              INTEGER,             -- the next six are filled in when the run ends; until then, see view activations
  served           INTEGER,             -- lost and overflow included, warm-up excluded
  skipped          INTEGER,
  missed           INTEGER,             -- NULL without a deadline
  outstanding      INTEGER,             -- due = served + skipped + outstanding
  lost             INTEGER,
  overflow         INTEGER NOT NULL DEFAULT 0, -- samples above the histogram's bound
  warm_up_overflow INTEGER NOT NULL DEFAULT 0, -- the same, of the warm-up
  stated_count     INTEGER,             -- what an imported file itself says
  stated_min_ns    INTEGER,
  stated_mean_ns   REAL,
  stated_max_ns    INTEGER
) STRICT;

CREATE TABLE histogram (         -- every distinct latency with its count; lossless
  series     INTEGER NOT NULL REFERENCES series(id),
  warm_up    INTEGER NOT NULL,   -- 1: a sample of the warm-up, kept apart
  latency_ns INTEGER NOT NULL,   -- may be negative (Xenomai programs its timer early)
  count      INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (series, warm_up, latency_ns)
) STRICT, WITHOUT ROWID;

CREATE TABLE timeline (          -- one row for each second and series
  at_s    INTEGER NOT NULL,      -- seconds since the first activation was due
  series  INTEGER NOT NULL REFERENCES series(id),
  warm_up INTEGER NOT NULL,
  count   INTEGER NOT NULL,      -- served activations, lost records included
  skipped INTEGER NOT NULL,
  missed  INTEGER NOT NULL,
  lost    INTEGER NOT NULL,      -- served, but the sample could not be kept
  min_ns  INTEGER,
  max_ns  INTEGER,
  sum_ns  INTEGER NOT NULL,      -- of the samples that were kept: count - lost of them
  PRIMARY KEY (at_s, series)
) STRICT, WITHOUT ROWID;

CREATE TABLE block (             -- coarse histograms of consecutive time, for intervals
  series   INTEGER NOT NULL REFERENCES series(id),
  number   INTEGER NOT NULL,     -- 0, 1, 2 ...
  from_s   INTEGER NOT NULL,     -- its first second
  length_s INTEGER NOT NULL,     -- its seconds
  overflow INTEGER NOT NULL,
  cells    BLOB NOT NULL,        -- per cell: zigzag varint of the latency's distance to the last cell, varint count
  PRIMARY KEY (series, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE worst (             -- the worst samples of each series, exact, also above the histogram's bound
  series     INTEGER NOT NULL REFERENCES series(id),
  rank       INTEGER NOT NULL,   -- 0 is the worst
  latency_ns INTEGER NOT NULL,
  at_ns      INTEGER NOT NULL,   -- when it was due, since the run's first due activation
  activation INTEGER NOT NULL,
  PRIMARY KEY (series, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE packed (            -- samples as they came; folded into the tables above each minute, then deleted unless raw
  id      INTEGER PRIMARY KEY,
  series  INTEGER NOT NULL REFERENCES series(id),
  at_s    INTEGER NOT NULL,
  warm_up INTEGER NOT NULL,
  samples BLOB NOT NULL          -- per sample three zigzag varints: activation, due_ns, latency_ns; see docs/run-file.md
) STRICT;

CREATE TABLE load (              -- disturbance applied while measuring, as it really ran
  id        INTEGER PRIMARY KEY,
  name      TEXT NOT NULL,
  generator TEXT NOT NULL,       -- the commands, with their versions
  unit      TEXT NOT NULL,       -- of the two rates
  asked     REAL,                -- NULL is as much as it can
  reached   REAL,                -- NULL with a reason in note
  note      TEXT NOT NULL,
  contained TEXT NOT NULL        -- namespaces, process-group
) STRICT;

CREATE TABLE load_on (           -- when a load was on
  load   INTEGER NOT NULL REFERENCES load(id),
  number INTEGER NOT NULL,
  from_s REAL NOT NULL,          -- since the run's first due activation; negative during the lead-in
  to_s   REAL NOT NULL,
  PRIMARY KEY (load, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE tunable (           -- knobs that were set for the run
  id        INTEGER PRIMARY KEY,
  knob      TEXT NOT NULL,
  before    TEXT,
  requested TEXT NOT NULL,
  effective TEXT,                -- what was read back
  restored  INTEGER NOT NULL
) STRICT;

CREATE TABLE caveat (            -- threats to the result's validity
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  severity TEXT NOT NULL,        -- info, medium, high, fatal
  what     TEXT NOT NULL,
  remedy   TEXT NOT NULL
) STRICT;

CREATE TABLE fact (              -- the platform, before and after
  moment TEXT NOT NULL,          -- before, after
  name   TEXT NOT NULL,
  value  TEXT,                   -- NULL where it could not be read
  source TEXT NOT NULL,          -- the file or call, and the error where there is no value
  PRIMARY KEY (moment, name)
) STRICT, WITHOUT ROWID;

-- For people. prazo itself reads the tables only.

CREATE VIEW latency AS
  SELECT cpu, quantity, latency_ns / 1000.0 AS latency_us, count
  FROM histogram JOIN series ON series.id = histogram.series
  WHERE NOT warm_up
  ORDER BY series.id, latency_ns;

CREATE VIEW activations AS
  SELECT cpu, quantity,
         coalesce(due, total(timeline.count) + total(timeline.skipped)) AS due,
         coalesce(served, total(timeline.count)) AS served,
         coalesce(series.skipped, total(timeline.skipped)) AS skipped,
         series.missed AS missed,
         coalesce(series.lost, total(timeline.lost)) AS lost
  FROM series LEFT JOIN timeline ON timeline.series = series.id AND NOT timeline.warm_up
  GROUP BY series.id;

CREATE VIEW summary AS
  SELECT cpu, quantity, sum(count) AS count,
         min(latency_ns) / 1000.0 AS min_us,
         total(latency_ns * 1.0 * count) / sum(count) / 1000.0 AS mean_us,
         max(latency_ns) / 1000.0 AS max_us_in_histogram,
         (SELECT max(latency_ns) FROM worst WHERE worst.series = series.id) / 1000.0 AS max_us,
         overflow
  FROM series LEFT JOIN histogram ON histogram.series = series.id AND NOT warm_up
  GROUP BY series.id;
