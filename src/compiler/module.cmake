# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_compiler PRIVATE nlohmann_json::nlohmann_json)
