-- SPDX-License-Identifier: Apache-2.0
-- How much was looked at: careful, or quick. Runs of before were careful.
ALTER TABLE run ADD COLUMN profile TEXT NOT NULL DEFAULT 'careful';
