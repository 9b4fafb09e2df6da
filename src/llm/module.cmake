# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_llm PRIVATE nlohmann_json::nlohmann_json Threads::Threads)
kgb_http(kgb_llm ${CMAKE_SOURCE_DIR}/src/llm/http.cpp ${CMAKE_SOURCE_DIR}/src/llm/proxy.cpp)
