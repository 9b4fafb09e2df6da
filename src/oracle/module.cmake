# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_oracle PRIVATE nlohmann_json::nlohmann_json)
