-- SPDX-License-Identifier: Apache-2.0
-- What another judge had written of a candidate before it was judged here; empty where there was none.
ALTER TABLE item ADD COLUMN recorded TEXT NOT NULL DEFAULT '';
ALTER TABLE item ADD COLUMN recorded_evidence TEXT NOT NULL DEFAULT '';
