# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, all from Debian 12; header-only forms where that keeps the portable binary free of shared objects.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
add_library(kgb_fmt INTERFACE)
target_compile_definitions(kgb_fmt INTERFACE FMT_HEADER_ONLY)
