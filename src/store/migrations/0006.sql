-- SPDX-License-Identifier: Apache-2.0
-- How candidates are run (plan, in-process), what they are timed against where the run names it, and whether do_bench
-- stands beside our times (published). Its figures have columns of their own and are no part of any ratio.
ALTER TABLE run ADD COLUMN mode TEXT NOT NULL DEFAULT 'plan';
ALTER TABLE run ADD COLUMN against TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN timing TEXT NOT NULL DEFAULT '';
ALTER TABLE timing ADD COLUMN span TEXT NOT NULL DEFAULT '';
ALTER TABLE timing ADD COLUMN published_candidate_s REAL;
ALTER TABLE timing ADD COLUMN published_baseline_s REAL;
ALTER TABLE timing ADD COLUMN published_why TEXT NOT NULL DEFAULT '';
