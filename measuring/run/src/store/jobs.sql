-- What schema version 3 adds: task sets that were run as threads, job by job. docs/run-file.md explains it with examples.
--
-- Instants count from the set's common start. A job that was due has a row, whether it began or not.

CREATE TABLE task_set (          -- one for each set that was run
  id             INTEGER PRIMARY KEY, -- 0, 1, 2 ...
  plan           TEXT NOT NULL,  -- JSON: name, dispatch, clusters, tasks, length_ns, step_ns, spare_ns, protocol
  refused        TEXT,           -- why the system would not run it; NULL where it ran
  observed_ns    INTEGER NOT NULL, -- up to when the schedule is known
  stretches_lost INTEGER NOT NULL  -- stretches that found no room
) STRICT;

CREATE TABLE job (               -- every job that was due
  task_set      INTEGER NOT NULL REFERENCES task_set(id),
  task          INTEGER NOT NULL, -- its place in the plan
  number        INTEGER NOT NULL, -- 0, 1, 2 ...
  release_ns    INTEGER NOT NULL,
  start_ns      INTEGER,         -- NULL: it never began
  completion_ns INTEGER,         -- NULL: it had not ended when the run did
  executed_ns   INTEGER NOT NULL, -- processor time of its thread
  preemptions   INTEGER NOT NULL, -- involuntary switches
  migrations    INTEGER NOT NULL,
  overran       INTEGER,         -- 1: it used its budget up; NULL without a budget
  PRIMARY KEY (task_set, task, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE stretch (           -- where and when jobs ran, [from_ns, to_ns)
  task_set INTEGER NOT NULL REFERENCES task_set(id),
  task     INTEGER NOT NULL,
  from_ns  INTEGER NOT NULL,
  to_ns    INTEGER NOT NULL,
  job      INTEGER NOT NULL,
  cpu      INTEGER NOT NULL,
  waited   INTEGER NOT NULL,     -- 1: it ended since the job had to wait for a lock
  PRIMARY KEY (task_set, task, from_ns)
) STRICT, WITHOUT ROWID;

CREATE VIEW jobs AS              -- for people: names, microseconds, lateness
  SELECT json_extract(plan, '$.name') AS task_set,
         json_extract(plan, '$.tasks[' || task || '].name') AS task,
         number,
         release_ns / 1000.0 AS release_us,
         (start_ns - release_ns) / 1000.0 AS start_latency_us,
         (completion_ns - release_ns) / 1000.0 AS response_us,
         (completion_ns - release_ns - json_extract(plan, '$.tasks[' || task || '].deadline_ns')) / 1000.0 AS lateness_us,
         coalesce(completion_ns, observed_ns) > release_ns + json_extract(plan, '$.tasks[' || task || '].deadline_ns') AS missed,
         executed_ns / 1000.0 AS executed_us,
         preemptions, migrations, overran
  FROM job JOIN task_set ON task_set.id = job.task_set;
