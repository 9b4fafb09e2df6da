# SPDX-License-Identifier: Apache-2.0
# Settings of single files of the VM.
include(${CMAKE_SOURCE_DIR}/src/vm/numeric/numeric.cmake)
# Tiles are untyped storage: the same bytes are read under several types.
target_compile_options(kgb_vm PRIVATE -fno-strict-aliasing)
# GCC 12 reports a false overlap (-Wrestrict) for text + std::string.
target_compile_options(kgb_vm PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
foreach(name IN ITEMS access combine count_access forms ops_atomic ops_dot_scaled ops_make ops_memory ptx/convert ptx/evaluate ptx/values sanitize_check strided)  # loops over elements
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/vm/${name}.cpp PROPERTIES COMPILE_OPTIONS "-O3")
endforeach()
