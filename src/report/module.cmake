# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_report PRIVATE kgb_fmt nlohmann_json::nlohmann_json)
kgb_embed(kgb_report kgb_page_head src/report/page/head.html)
kgb_embed(kgb_report kgb_page_script src/report/page/page.js)
