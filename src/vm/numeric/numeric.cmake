# SPDX-License-Identifier: Apache-2.0
# The span kernels rely on the vectoriser. Nobody unmasks floating-point traps, so comparisons may become selects.
file(GLOB kgb_numeric_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
set_source_files_properties(${kgb_numeric_sources} PROPERTIES COMPILE_OPTIONS "-O3;-fno-trapping-math")
# Rounding modes are part of what this file computes.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/libdevice_rounded.cpp PROPERTIES
    COMPILE_OPTIONS "-O2;-frounding-math;-ftrapping-math")
