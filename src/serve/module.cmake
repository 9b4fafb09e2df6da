# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_serve PRIVATE kgb_fmt nlohmann_json::nlohmann_json Threads::Threads)
kgb_http(kgb_serve ${CMAKE_SOURCE_DIR}/src/serve/http.cpp)
