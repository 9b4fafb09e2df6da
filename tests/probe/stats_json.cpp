// SPDX-License-Identifier: Apache-2.0
// Calls functions of src/stats for a test in another language: a JSON array [name, arguments...] on each line
// of standard input, the result on each line of standard output.
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "stats/bootstrap.hpp"
#include "stats/normal.hpp"
#include "stats/paired.hpp"
#include "stats/proportion.hpp"
#include "stats/ranks.hpp"

namespace {

using nlohmann::json;
using Values = std::vector<double>;

json of(const kgb::Interval& interval) {
  return {interval.estimate, interval.low, interval.high};
}
json of(const std::optional<kgb::Interval>& interval) {
  return interval ? of(*interval) : json();
}

const std::map<std::string, json (*)(const json&)> kFunctions{
    {"normal_cdf", [](const json& a) { return json(kgb::normal_cdf(a[1])); }},
    {"normal_quantile", [](const json& a) { return json(kgb::normal_quantile(a[1])); }},
    {"wilson", [](const json& a) { return of(kgb::wilson(a[1], a[2], a[3])); }},
    {"pass_at_k", [](const json& a) { return json(kgb::pass_at_k(a[1], a[2], a[3])); }},
    {"mcnemar", [](const json& a) { return json(kgb::mcnemar_exact(a[1], a[2])); }},
    {"signed_rank", [](const json& a) { return json(kgb::signed_rank(a[1].get<Values>())); }},
    {"holm", [](const json& a) { return json(kgb::holm(a[1].get<Values>())); }},
    {"spearman", [](const json& a) { return json(kgb::spearman(a[1].get<Values>(), a[2].get<Values>())); }},
    {"spearman_p",
     [](const json& a) { return json(kgb::spearman_p(a[1].get<Values>(), a[2].get<Values>())); }},
    {"kendall",
     [](const json& a) { return json(kgb::kendall_tau_b(a[1].get<Values>(), a[2].get<Values>())); }},
    {"bootstrap_mean",
     [](const json& a) {
       kgb::BootstrapOptions options;
       options.resamples = a[2];
       return of(kgb::bootstrap_mean(a[1].get<Values>(), options));
     }},
};

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const json call = json::parse(line);
    std::cout << kFunctions.at(call[0])(call).dump() << '\n';
  }
}
