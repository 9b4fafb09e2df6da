# SPDX-License-Identifier: Apache-2.0
# Third-party libraries, all from Debian 12; header-only or static forms keep the binary free of shared objects.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)

# fmt 9 (Debian 12): its definitions are compiled once, here. What a later release leaves to its library differs, so
# there the header-only form is used, which only costs time.
find_path(KGB_FMT_INCLUDE fmt/core.h REQUIRED)
file(STRINGS ${KGB_FMT_INCLUDE}/fmt/core.h KGB_FMT_VERSION REGEX "#define FMT_VERSION 9[0-9][0-9][0-9][0-9]")
if(KGB_FMT_VERSION)
  add_library(kgb_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt_library.cpp)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/cmake/fmt_library.cpp PROPERTIES COMPILE_OPTIONS "-w;-fno-sanitize=all")
else()
  add_library(kgb_fmt INTERFACE)
  target_compile_definitions(kgb_fmt INTERFACE FMT_HEADER_ONLY)
endif()

# HTTP: Debian's cpp-httplib is a library of its own and crashes where it is used without its flags.
if(KGB_PORTABLE)
  set(KGB_HTTP OFF)
endif()
if(KGB_HTTP)
  if(KGB_HTTP STREQUAL "AUTO")
    pkg_check_modules(KGB_CURL QUIET IMPORTED_TARGET libcurl)
    pkg_check_modules(KGB_HTTPLIB QUIET IMPORTED_TARGET cpp-httplib)
  else()
    pkg_check_modules(KGB_CURL REQUIRED IMPORTED_TARGET libcurl)
    pkg_check_modules(KGB_HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
  endif()
endif()
if(KGB_CURL_FOUND AND KGB_HTTPLIB_FOUND)
  set(KGB_WITH_HTTP 1)
else()
  set(KGB_WITH_HTTP 0)
  message(STATUS "no HTTP: model clients, the metering proxy and servers are left out")
endif()
# kgb_http(TARGET SOURCE...): sources that use libcurl or cpp-httplib; KGB_WITH_HTTP is 1 in them where both are there,
# else they give the functions that say so.
function(kgb_http target)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS KGB_WITH_HTTP=${KGB_WITH_HTTP})
  if(KGB_WITH_HTTP)
    target_link_libraries(${target} PRIVATE PkgConfig::KGB_CURL PkgConfig::KGB_HTTPLIB)
  endif()
endfunction()

# kgb_static_or_shared(OUT NAME): the static archive of a library where Debian ships one, else the shared one,
# which a portable build refuses.
function(kgb_static_or_shared out name)
  find_library(KGB_LIB_${name} NAMES lib${name}.a ${name} REQUIRED)
  if(KGB_PORTABLE AND NOT KGB_LIB_${name} MATCHES "\\.a$")
    message(FATAL_ERROR "KGB_PORTABLE: no static archive of ${name} was found; install its -dev package")
  endif()
  set(${out} ${KGB_LIB_${name}} PARENT_SCOPE)
endfunction()

# kgb_stand_alone(TARGET): a program whose C++ runtime is linked in, so that it runs on hosts with an older one.
function(kgb_stand_alone target)
  if(NOT KGB_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()
