// SPDX-License-Identifier: Apache-2.0
// Plants relative errors into the experts' outputs and halves the interval in which the comparison changes
// its mind.
#include "campaign/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "base/files.hpp"
#include "base/lanes.hpp"
#include "judge/screen.hpp"
#include "model/element.hpp"
#include "model/generate_words.hpp"

namespace kgb {
namespace {

using Bytes = std::vector<std::byte>;

constexpr double kLeast = -60, kMost = 0;  // binary logarithms of planted errors
constexpr double kStep = 0.0625;           // an error is known to 4 %

bool holds_reals(DType dtype) {
  return is_float(dtype) || is_complex(dtype);
}

// Every element grown by the relative error, rounded to its type.
Bytes grown(std::span<const std::byte> bytes, DType dtype, double error) {
  const DType component = component_of(dtype);
  std::vector<double> values(bytes.size() / size_of(component));
  decode_reals(dtype, bytes.data(), values);
  for (double& value : values) value = round_to_dtype(value * (1 + error), component);
  Bytes out(bytes.size());
  generating::store_values(values.data(), values.size(), component, out.data());
  return out;
}

// One code more in the middle element; of bools the other one.
Bytes one_code_more(std::span<const std::byte> bytes, DType dtype) {
  Bytes out(bytes.begin(), bytes.end());
  const std::size_t size = size_of(dtype), at = out.size() / size / 2 * size;
  if (dtype == DType::b8) {
    out[at] = out[at] == std::byte{0} ? std::byte{1} : std::byte{0};
  } else {
    std::int64_t whole = 0;
    std::memcpy(&whole, out.data() + at, size);
    whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) + 1);
    std::memcpy(out.data() + at, &whole, size);  // little-endian: the low bytes
  }
  return out;
}

// What one workload says of one output under one tolerance.
class Probe {
 public:
  Probe(const Compared& seen, bool published) : seen_(seen), bound_(seen.bound) {
    bound_.published = published;
  }

  Status add_to(Sensitivity& into) {
    KGB_TRY(const CompareResult compared, compare(seen_.bytes, seen_.expected, bound_));
    if (into.worst_at.empty() || compared.worst_ratio > into.headroom) {
      into.headroom = compared.worst_ratio;
      into.worst_at = seen_.workload.call.workload + " " + seen_.expected.path + compared.worst_at;
    }
    const DType dtype = seen_.expected.dtype;
    if (!compared.ok() || compared.count == 0) return ok_status();
    if (holds_reals(dtype)) return halve(into);
    KGB_TRY(const bool caught, refuses(one_code_more(seen_.bytes, dtype)));
    into.code_caught = into.code_caught || caught;
    return ok_status();
  }

 private:
  Result<bool> refuses(const Bytes& bytes) const {
    KGB_TRY(const CompareResult compared, compare(bytes, seen_.expected, bound_));
    return !compared.ok();
  }
  Result<bool> refuses(double log_error) const {
    return refuses(grown(seen_.bytes, seen_.expected.dtype, std::exp2(log_error)));
  }

  // Only an error smaller than the smallest so far is of interest.
  Status halve(Sensitivity& into) {
    double high = into.caught ? std::log2(*into.caught) - kStep : kMost, low = kLeast;
    KGB_TRY(const bool at_all, refuses(high));
    if (!at_all) return ok_status();
    while (high - low > kStep) {
      const double middle = (low + high) / 2;
      KGB_TRY(const bool refused, refuses(middle));
      (refused ? high : low) = middle;
    }
    into.caught = std::exp2(high);
    return ok_status();
  }

  const Compared& seen_;
  ErrorBound bound_;
};

// The rows of one operator.
class Collector {
 public:
  // Of each output of a workload the first values that are compared.
  void see(const Compared& seen) {
    if (!failed_.ok() || seen.expected.rule == "skip" || seen.expected.rule == "metadata" ||
        seen.bytes.empty() || !seen_.insert(seen.workload.call.workload + "/" + seen.expected.path).second)
      return;
    const DType dtype = seen.expected.dtype;
    ToleranceRow& row = rows_[dtypes_text(seen.workload.call, dtype)];
    row.integral = !holds_reals(dtype);
    row.exact = bound_of(seen.bound, dtype, 1, 1) == 0;
    row.elements += static_cast<std::int64_t>(seen.bytes.size() / size_of(dtype));
    for (const bool published : {false, true})
      if (Status done = Probe(seen, published).add_to(published ? row.published : row.model); !done.ok())
        failed_ = done;
  }

  [[nodiscard]] const Status& status() const { return failed_; }
  [[nodiscard]] std::vector<ToleranceRow> rows(const std::string& op) && {
    std::vector<ToleranceRow> out;
    for (auto& [dtype, row] : rows_) {
      row.op = op;
      row.dtype = dtype;
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  std::map<std::string, ToleranceRow> rows_;
  std::set<std::string> seen_;
  Status failed_ = ok_status();
};

Result<std::vector<ToleranceRow>> rows_of(Judge& judge, const Operator& op, JudgeRequest request) {
  KGB_TRY(request.source, read_file(op.folder / "expert.py", std::size_t{4} << 20));
  request.op = op.name;
  request.file = "expert.py";
  request.contestant = "experts";
  request.value_sets = 1;
  Collector collector;
  KGB_TRY(const Evaluation evaluation,
          judge.judge(request, [&](const Compared& seen) { collector.see(seen); }));
  if (!collector.status().ok()) return collector.status().error();
  if (evaluation.verdict != Verdict::pass)
    return host_error(op.name + ": the expert does not pass: " + evaluation.findings.front().message);
  return std::move(collector).rows(op.name);
}

}  // namespace

Result<ToleranceReport> tolerance(Judge& judge, const std::vector<const Operator*>& operators,
                                  const JudgeRequest& request, int lanes) {
  ToleranceReport report;
  report.seed = request.seed;
  std::vector<const Operator*> compared;
  for (const Operator* op : operators) {
    if (op->error.error_class != ErrorClass::random && op->error.error_class != ErrorClass::metadata) {
      compared.push_back(op);
    } else {
      report.skipped.push_back({op->name, op->tagged("random")
                                              ? "random: judged by statistics"
                                              : "dtype, shape and strides alone are compared"});
    }
  }
  std::vector<std::vector<ToleranceRow>> rows(compared.size());
  std::mutex mutex;
  Status failed = ok_status();
  on_lanes(lanes, compared.size(), [&](std::size_t i) {
    Result<std::vector<ToleranceRow>> found = rows_of(judge, *compared[i], request);
    if (found) {
      rows[i] = std::move(found).value();
      return true;
    }
    const std::lock_guard hold(mutex);
    failed = found.error();
    return false;
  });
  if (!failed.ok()) return failed.error();
  for (std::vector<ToleranceRow>& some : rows)
    std::move(some.begin(), some.end(), std::back_inserter(report.rows));
  return report;
}

}  // namespace kgb
