# SPDX-License-Identifier: Apache-2.0
include(KgbEmbed)
kgb_embed(kgb_store kgb_migration_0001 src/store/migrations/0001.sql)
kgb_embed(kgb_store kgb_migration_0002 src/store/migrations/0002.sql)
kgb_embed(kgb_store kgb_migration_0003 src/store/migrations/0003.sql)
kgb_static_or_shared(sqlitecpp SQLiteCpp)
kgb_static_or_shared(sqlite sqlite3)
target_link_libraries(kgb_store PRIVATE ${sqlitecpp} ${sqlite} Threads::Threads ${CMAKE_DL_LIBS} m)
target_link_libraries(kgb_store PRIVATE nlohmann_json::nlohmann_json)
