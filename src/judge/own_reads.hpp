// SPDX-License-Identifier: Apache-2.0
// Reads of a candidate's own intermediates: the judge runs what is recorded so far and gives the author the
// bytes.
#pragma once

#include <string>
#include <vector>

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// Theory of operation. Where a card allows it, host code may read a few bytes that its own kernels computed.
// The author has no device and its channel goes one way, so a recording stops at such a read; the prefix runs
// as a trial does, on the values of the set, and the candidate is called again from the start with the bytes
// known. Calls read a few times at most, so this ends soon. Nothing of it is believed: each read of the whole
// recording must hold what the judge gave, and the trial holds it against what the kernels leave.

// What is wrong with the reads of a recording that the author has just made; empty: nothing.
[[nodiscard]] std::string complaint_of_reads(const Case& open, const Job& job, const Recording& recording);
// Runs the recordings of these jobs that want a read. The jobs that are to be recorded again, knowing more; a
// job that cannot go on has a finding.
[[nodiscard]] Result<std::vector<Job*>> answer_reads(const Case& open, const std::vector<Job*>& asked,
                                                     int trial, Processes& processes);

}  // namespace kgb
