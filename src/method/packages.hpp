// SPDX-License-Identifier: Apache-2.0
// Python packages in a folder of their own, apart from the judge's: what is there, and how it gets there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sandbox/process.hpp"

namespace kgb::method {

// Runs a program with the environment that we have, up to `limit`.
[[nodiscard]] Result<sandbox::Output> run_as_we_are(std::vector<std::string> argv, Millis limit);
// The last line that is not blank, made short; empty: there is none.
[[nodiscard]] std::string last_line(std::string_view text);

// The version of a package under `folder`; empty: it is not there. "PyYAML==6.0.3" and "pyyaml" ask for the
// same.
[[nodiscard]] std::string installed_version(const std::filesystem::path& folder,
                                            std::string_view requirement);

// The lines of a requirements file that name packages.
[[nodiscard]] Result<std::vector<std::string>> read_requirements(const std::filesystem::path& file);

// pip of `interpreter` puts the packages into a new folder, without what they depend on; it takes the place
// of `folder` when all went well. `otherwise` ends the error's text: what to do where pip cannot.
[[nodiscard]] Status install_packages(const std::string& interpreter,
                                      const std::vector<std::string>& packages,
                                      const std::filesystem::path& folder, const std::string& otherwise);

}  // namespace kgb::method
