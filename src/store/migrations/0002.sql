-- SPDX-License-Identifier: Apache-2.0
-- Counters of the virtual machine (kgbench count). docs/store-schema.md explains every column.
CREATE TABLE counted_call (
  id          INTEGER PRIMARY KEY,
  created     TEXT NOT NULL,
  version     TEXT NOT NULL,
  op          TEXT NOT NULL,
  candidate   TEXT NOT NULL,
  source_hash TEXT NOT NULL,
  seed        TEXT NOT NULL,
  workload    TEXT NOT NULL,
  description TEXT NOT NULL,
  call        INTEGER NOT NULL,
  json        TEXT NOT NULL
) STRICT;
CREATE INDEX counted_call_source ON counted_call (op, source_hash);

CREATE TABLE counted_launch (
  counted            INTEGER NOT NULL REFERENCES counted_call (id),
  launch             INTEGER NOT NULL,
  kernel             TEXT NOT NULL,
  file               TEXT NOT NULL,
  line               INTEGER NOT NULL,
  programs           INTEGER NOT NULL,
  flops              INTEGER NOT NULL,
  tensor_flops       INTEGER NOT NULL,
  integer_operations INTEGER NOT NULL,
  requested_bytes    INTEGER NOT NULL,
  unique_bytes       INTEGER NOT NULL,
  requests           INTEGER NOT NULL,
  sectors            INTEGER NOT NULL,
  PRIMARY KEY (counted, launch)
) STRICT, WITHOUT ROWID;

CREATE TABLE counted_work (
  counted INTEGER NOT NULL REFERENCES counted_call (id),
  launch  INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  type    TEXT NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (counted, launch, kind, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE counted_argument (
  counted        INTEGER NOT NULL REFERENCES counted_call (id),
  launch         INTEGER NOT NULL,
  argument       TEXT NOT NULL,
  parameters     TEXT NOT NULL,
  read_bytes     INTEGER NOT NULL,
  written_bytes  INTEGER NOT NULL,
  atomic_bytes   INTEGER NOT NULL,
  unique_read    INTEGER NOT NULL,
  unique_written INTEGER NOT NULL,
  requests       INTEGER NOT NULL,
  sectors        INTEGER NOT NULL
) STRICT;
CREATE INDEX counted_argument_counted ON counted_argument (counted);

CREATE TABLE counted_loop (
  counted INTEGER NOT NULL REFERENCES counted_call (id),
  launch  INTEGER NOT NULL,
  file    TEXT NOT NULL,
  line    INTEGER NOT NULL,
  entered INTEGER NOT NULL,
  trips   INTEGER NOT NULL
) STRICT;
CREATE INDEX counted_loop_counted ON counted_loop (counted);
