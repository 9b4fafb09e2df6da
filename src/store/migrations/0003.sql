-- SPDX-License-Identifier: Apache-2.0
-- Methods and their ledger. docs/store-schema.md explains every column. NULL is "unknown", never zero.
ALTER TABLE run ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN method TEXT NOT NULL DEFAULT '{}';

CREATE TABLE attempt (
  id       INTEGER PRIMARY KEY,
  item     INTEGER NOT NULL REFERENCES item (id),
  round    INTEGER NOT NULL,
  created  TEXT NOT NULL,
  source   TEXT NOT NULL,
  note     TEXT NOT NULL,
  verdict  TEXT NOT NULL,
  judge_s  REAL NOT NULL,
  device_s REAL,
  speedup  REAL,
  json     TEXT NOT NULL,
  UNIQUE (item, round)
) STRICT;

CREATE TABLE model_call (
  id                 INTEGER PRIMARY KEY,
  item               INTEGER NOT NULL REFERENCES item (id),
  round              INTEGER NOT NULL,
  created            TEXT NOT NULL,
  model              TEXT NOT NULL,
  wire               TEXT NOT NULL,
  status             TEXT NOT NULL CHECK (status IN ('ok', 'partial', 'failed', 'cancelled')),
  message            TEXT NOT NULL,
  finish             TEXT NOT NULL,
  prompt_tokens      INTEGER,
  cached_tokens      INTEGER,
  cache_write_tokens INTEGER,
  completion_tokens  INTEGER,
  reasoning_tokens   INTEGER,
  dollars            REAL,
  seconds            REAL NOT NULL,
  first_token_s      REAL NOT NULL,
  waited_s           REAL NOT NULL,
  tries              INTEGER NOT NULL,
  replayed           INTEGER NOT NULL
) STRICT;
CREATE INDEX model_call_item ON model_call (item);
