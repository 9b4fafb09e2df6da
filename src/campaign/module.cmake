# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_campaign PRIVATE kgb_fmt nlohmann_json::nlohmann_json Threads::Threads)
