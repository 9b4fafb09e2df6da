# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_base PRIVATE nlohmann_json::nlohmann_json)
