# SPDX-License-Identifier: Apache-2.0
# libseccomp, linked statically where the archive is there, so that the extension and the portable binary need no shared object.
pkg_check_modules(SECCOMP REQUIRED libseccomp)
find_library(KGB_SECCOMP_ARCHIVE NAMES libseccomp.a)
if(KGB_SECCOMP_ARCHIVE)
  target_link_libraries(kgb_sandbox PRIVATE ${KGB_SECCOMP_ARCHIVE})
else()
  target_link_libraries(kgb_sandbox PRIVATE ${SECCOMP_LINK_LIBRARIES})
endif()
target_include_directories(kgb_sandbox SYSTEM PRIVATE ${SECCOMP_INCLUDE_DIRS})
target_link_libraries(kgb_sandbox PUBLIC nlohmann_json::nlohmann_json)
