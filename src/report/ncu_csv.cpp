// SPDX-License-Identifier: Apache-2.0
// Reads ncu's tables by the names of their columns, wherever these stand.
#include "report/ncu_csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/text.hpp"

namespace kgb {
namespace {

using CsvRow = std::vector<std::string>;

// More than any profile of one call has; what is beyond is not read.
constexpr std::size_t kMostCells = 4'000'000, kMostCellBytes = 65536, kMostKernels = 4096;
constexpr double kLargest = 1e18;  // of any count, share or time; sums of them stay finite

// Fields in quotes may hold commas, line ends and doubled quotes.
std::vector<CsvRow> csv_rows(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvRow row;
  std::string cell;
  bool quoted = false;
  std::size_t cells = 0;
  const auto end_cell = [&] {
    row.push_back(to_utf8_lossy(cut_utf8(cell, kMostCellBytes)));
    cell.clear();
    ++cells;
  };
  const auto end_row = [&] {
    if (!row.empty() || !cell.empty()) end_cell();
    if (!row.empty()) rows.push_back(std::move(row));
    row.clear();
  };
  for (std::size_t i = 0; i < text.size() && cells < kMostCells; ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      cell += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      end_cell();
    } else if (c == '\n' && !quoted) {
      end_row();
    } else if (c != '\r') {
      cell += c;
    }
  }
  end_row();
  return rows;
}

std::optional<std::size_t> column(const CsvRow& header, std::string_view name) {
  const auto at = std::find(header.begin(), header.end(), name);
  if (at == header.end()) return std::nullopt;
  return static_cast<std::size_t>(at - header.begin());
}

const std::string& field(const CsvRow& row, std::size_t at) {
  static const std::string none;
  return at < row.size() ? row[at] : none;
}

// "long_scoreboard" of any of the names that samples of a reason go by; empty: the column is something else.
std::string stall_reason(std::string_view name) {
  constexpr std::array<std::string_view, 2> prefixes{"smsp__pcsamp_warps_issue_stalled_", "stall_"};
  if (name.ends_with("_not_issued") || name.find("Not Issued") != std::string_view::npos) return {};
  for (const std::string_view prefix : prefixes)
    if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
  return {};
}

using Samples = std::map<std::string, double>;  // by reason

std::vector<Stall> shares_of(const Samples& samples) {
  double all = 0;
  for (const auto& [reason, n] : samples) all += n;
  std::vector<Stall> stalls;
  for (const auto& [reason, n] : samples)
    if (n > 0) stalls.push_back({reason, n / all});
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const Stall& a, const Stall& b) { return a.share > b.share; });
  return stalls;
}

// Adds one metric of a kernel under its key, or to the samples.
void take_metric(NcuKernel& kernel, Samples& samples, std::string_view name, std::string_view value,
                 std::string_view unit) {
  const std::optional<double> number = ncu_number(value, unit);
  if (!number || *number < 0) return;
  for (const NcuMetric& metric : ncu_metrics())
    if (metric.name == name) kernel.metrics.insert_or_assign(std::string(metric.key), *number);
  if (const std::string reason = stall_reason(name); !reason.empty()) samples[reason] = *number;
}

// A header row, a row of units, then a row for each kernel.
std::vector<NcuKernel> wide(const std::vector<CsvRow>& rows, std::size_t header_at) {
  std::vector<NcuKernel> kernels;
  const CsvRow& header = rows[header_at];
  const std::size_t name_at = *column(header, "Kernel Name");
  const CsvRow* units = nullptr;
  for (std::size_t r = header_at + 1; r < rows.size() && kernels.size() < kMostKernels; ++r) {
    const CsvRow& row = rows[r];
    if (field(row, name_at).empty()) {
      if (units == nullptr) units = &row;
      continue;
    }
    NcuKernel& kernel = kernels.emplace_back();
    kernel.name = field(row, name_at);
    Samples samples;
    for (std::size_t c = 0; c < header.size(); ++c)
      take_metric(kernel, samples, header[c], field(row, c), units == nullptr ? "" : field(*units, c));
    kernel.stalls = shares_of(samples);
  }
  return kernels;
}

// A row for each metric of each kernel; the column ID tells the kernels apart.
std::vector<NcuKernel> tall(const std::vector<CsvRow>& rows, std::size_t header_at) {
  std::vector<NcuKernel> kernels;
  std::vector<Samples> samples;
  std::map<std::string, std::size_t> by_id;
  const CsvRow& header = rows[header_at];
  const std::size_t name_at = *column(header, "Kernel Name"), metric_at = *column(header, "Metric Name");
  const std::size_t value_at = column(header, "Metric Value").value_or(header.size());
  const std::size_t unit_at = column(header, "Metric Unit").value_or(header.size());
  const std::size_t id_at = column(header, "ID").value_or(name_at);
  for (std::size_t r = header_at + 1; r < rows.size(); ++r) {
    const CsvRow& row = rows[r];
    if (field(row, name_at).empty()) continue;
    const auto [found, fresh] = by_id.emplace(field(row, id_at), kernels.size());
    if (fresh) {
      if (kernels.size() == kMostKernels) break;
      kernels.emplace_back().name = field(row, name_at);
      samples.emplace_back();
    }
    take_metric(kernels[found->second], samples[found->second], field(row, metric_at), field(row, value_at),
                field(row, unit_at));
  }
  for (std::size_t k = 0; k < kernels.size(); ++k) kernels[k].stalls = shares_of(samples[k]);
  return kernels;
}

// One table of the source page while it is read. A line's row holds the sums of its instructions, which
// follow it without a line number; some versions leave the row of the line empty.
class SourceTable {
 public:
  SourceTable(std::string kernel, std::string file, CsvRow header)
      : kernel_(std::move(kernel)), file_(std::move(file)), header_(std::move(header)) {
    line_at_ = column(header_, "Line No").value_or(header_.size());
    for (const char* name : {"# Samples", "Warp Stall Sampling (All Samples)"})
      if (!samples_at_) samples_at_ = column(header_, name);
  }

  void take(const CsvRow& row) {
    const std::optional<std::int64_t> line = parse_int(trim(field(row, line_at_)));
    if (line && *line > 0 && *line < 10'000'000) {
      now_ = static_cast<int>(*line);
      add(of_lines_[now_], row);
    } else if (now_ > 0) {
      add(of_instructions_[now_], row);
    }
  }

  void finish(std::vector<NcuSource>& out) const {
    const Lines& lines = total(of_lines_) > 0 ? of_lines_ : of_instructions_;
    const double all = total(lines);
    if (all <= 0) return;
    NcuSource made{kernel_, {}};
    for (const auto& [line, samples] : lines) {
      if (samples.all <= 0) continue;
      const std::vector<Stall> stalls = shares_of(samples.by_reason);
      made.lines.push_back({file_, line, samples.all / all, stalls.empty() ? "" : stalls.front().reason});
    }
    std::stable_sort(made.lines.begin(), made.lines.end(),
                     [](const NcuLine& a, const NcuLine& b) { return a.share > b.share; });
    out.push_back(std::move(made));
  }

 private:
  struct LineSamples {
    double all = 0;
    Samples by_reason;
  };
  using Lines = std::map<int, LineSamples>;

  static double total(const Lines& lines) {
    double all = 0;
    for (const auto& [line, samples] : lines) all += samples.all;
    return all;
  }

  void add(LineSamples& samples, const CsvRow& row) const {
    double by_reason = 0;
    for (std::size_t c = 0; c < header_.size(); ++c) {
      const std::string reason = stall_reason(header_[c]);
      const auto number = reason.empty() ? std::nullopt : ncu_number(field(row, c), "");
      if (!number || *number <= 0) continue;
      samples.by_reason[reason] += *number;
      by_reason += *number;
    }
    const auto number = samples_at_ ? ncu_number(field(row, *samples_at_), "") : std::nullopt;
    samples.all += number ? std::max(0.0, *number) : by_reason;
  }

  std::string kernel_, file_;
  CsvRow header_;
  std::size_t line_at_ = 0;
  std::optional<std::size_t> samples_at_;
  int now_ = 0;
  Lines of_lines_, of_instructions_;
};

}  // namespace

std::span<const NcuMetric> ncu_metrics() {
  static constexpr NcuMetric rows[] = {
#define KGB_NCU(key, name, unit, what) {#key, name, unit, what},
#include "report/ncu_metrics.def"
#undef KGB_NCU
  };
  return rows;
}

std::optional<double> ncu_number(std::string_view text, std::string_view unit) {
  const std::optional<double> number = parse_double(replace_all(trim(text), ",", ""));
  if (!number || !std::isfinite(*number)) return std::nullopt;
  static const std::map<std::string, double, std::less<>> times{
      {"ns", 1},        {"nsecond", 1}, {"us", 1e3},  {"usecond", 1e3}, {"ms", 1e6},
      {"msecond", 1e6}, {"s", 1e9},     {"sec", 1e9}, {"second", 1e9}};
  double scale = 1;
  static const std::map<char, double> prefixes{{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  const auto prefix = unit.size() > 1 ? prefixes.find(unit[0]) : prefixes.end();
  if (const auto time = times.find(unit); time != times.end())
    scale = time->second;
  else if (prefix != prefixes.end() && unit[1] >= 'a' && unit[1] <= 'z')
    scale = prefix->second;
  const double value = *number * scale;
  return std::abs(value) <= kLargest ? std::optional(value) : std::nullopt;
}

std::vector<NcuKernel> ncu_kernels(std::string_view csv) {
  const std::vector<CsvRow> rows = csv_rows(csv);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!column(rows[r], "Kernel Name") || rows[r].size() < 3) continue;
    return column(rows[r], "Metric Name") ? tall(rows, r) : wide(rows, r);
  }
  return {};
}

std::vector<NcuSource> ncu_source(std::string_view csv) {
  std::vector<NcuSource> out;
  std::unique_ptr<SourceTable> table;
  std::string kernel, file;
  const auto finish = [&] {
    if (table && out.size() < kMostKernels) table->finish(out);
    table.reset();
  };
  for (const CsvRow& row : csv_rows(csv)) {
    const std::string& first = row.front();
    if (row.size() == 2 && (first == "Kernel Name" || first == "Function Name" || first == "File Path")) {
      finish();
      (first == "File Path" ? file : kernel) = row[1];
    } else if (column(row, "Line No") && column(row, "Source")) {
      finish();
      table = std::make_unique<SourceTable>(kernel, file, row);
    } else if (table) {
      table->take(row);
    }
  }
  finish();
  return out;
}

}  // namespace kgb
