# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_method PRIVATE kgb_fmt nlohmann_json::nlohmann_json)
include(KgbEmbed)
kgb_embed(kgb_method kgb_verify_client src/method/verify_client.py)
