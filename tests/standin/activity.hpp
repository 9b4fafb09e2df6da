// SPDX-License-Identifier: Apache-2.0
// What the stand-in of the driver tells that of CUPTI.
#pragma once

#include <functional>
#include <string>

namespace standin {

// The same work; while activity is recorded, it is recorded. `name` is empty for copies and fills.
std::function<int()> recorded(std::string name, std::function<int()> work);

}  // namespace standin
