# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_llm PRIVATE nlohmann_json::nlohmann_json Threads::Threads)
# kgb_http(kgb_llm http.cpp ...): one row for each source that uses libcurl or cpp-httplib
