-- SPDX-License-Identifier: Apache-2.0
-- First schema of a run store. docs/store-schema.md explains every column; a number or name is never reused.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE run (
  id         TEXT PRIMARY KEY,
  created    TEXT NOT NULL,
  finished   TEXT,
  status     TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'complete')),
  version    TEXT NOT NULL,
  contestant TEXT NOT NULL,
  suite      TEXT NOT NULL,
  chip       TEXT NOT NULL,
  tiers      TEXT NOT NULL,
  tolerance  TEXT NOT NULL,
  targets    TEXT NOT NULL,
  seed       TEXT NOT NULL,
  host       TEXT NOT NULL
) STRICT;

CREATE TABLE item (
  id        INTEGER PRIMARY KEY,
  run       TEXT NOT NULL REFERENCES run (id),
  op        TEXT NOT NULL,
  sample    INTEGER NOT NULL,
  candidate TEXT NOT NULL,
  UNIQUE (run, op, sample)
) STRICT;

CREATE TABLE evaluation (
  item        INTEGER PRIMARY KEY REFERENCES item (id),
  finished    TEXT NOT NULL,
  verdict     TEXT NOT NULL,
  gate        TEXT NOT NULL,
  no_kernel   INTEGER NOT NULL,
  source_hash TEXT NOT NULL,
  total_ms    REAL NOT NULL,
  source      TEXT NOT NULL,
  json        TEXT NOT NULL
) STRICT;

CREATE TABLE finding (
  item     INTEGER NOT NULL REFERENCES evaluation (item),
  kind     TEXT NOT NULL,
  gate     TEXT NOT NULL,
  workload TEXT NOT NULL,
  message  TEXT NOT NULL,
  file     TEXT NOT NULL,
  line     INTEGER NOT NULL
) STRICT;
CREATE INDEX finding_item ON finding (item);

CREATE TABLE workload (
  item        INTEGER NOT NULL REFERENCES evaluation (item),
  id          TEXT NOT NULL,
  tier        TEXT NOT NULL,
  verdict     TEXT NOT NULL,
  worst_ratio REAL NOT NULL,
  worst_at    TEXT NOT NULL,
  elements    INTEGER NOT NULL,
  plan_hash   TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (item, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE target (
  item         INTEGER NOT NULL REFERENCES evaluation (item),
  target       TEXT NOT NULL,
  ok           INTEGER NOT NULL,
  kernels      INTEGER NOT NULL,
  registers    INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL,
  spills       INTEGER NOT NULL,
  message      TEXT NOT NULL,
  PRIMARY KEY (item, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE timing (
  item        INTEGER NOT NULL REFERENCES evaluation (item),
  workload    TEXT NOT NULL,
  baseline    TEXT NOT NULL,
  candidate_s REAL,
  baseline_s  REAL,
  ratio       REAL,
  ratio_low   REAL,
  ratio_high  REAL,
  call        TEXT NOT NULL,
  why         TEXT NOT NULL,
  PRIMARY KEY (item, workload)
) STRICT, WITHOUT ROWID;
