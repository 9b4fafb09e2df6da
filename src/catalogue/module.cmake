# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_catalogue PRIVATE kgb_fmt)
target_link_libraries(kgb_catalogue PRIVATE nlohmann_json::nlohmann_json)
