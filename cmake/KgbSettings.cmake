# SPDX-License-Identifier: Apache-2.0
# Compiler settings that hold for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# -O1 compiles in two thirds of the time of -O2; kgb_module(... HOT) raises the modules where time is spent.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g")

find_program(KGB_CCACHE ccache)
if(KGB_CCACHE)
  # BASEDIR, NOHASHDIR: checkouts in different places share results. SLOPPINESS: files with a precompiled header count.
  set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${KGB_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
find_program(KGB_MOLD mold)
if(KGB_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# -ffp-contract=off: the VM's arithmetic must round after every operation.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -ffp-contract=off -fno-math-errno)
if(KGB_WERROR)
  add_compile_options(-Werror)
endif()
# A first build by hundreds of sources reads the same headers again and again: the presets `release` and `asan-ubsan`
# join eight sources of a module into one. `dev` compiles each alone, as editing wants it and clang-tidy sees it.
if(CMAKE_UNITY_BUILD)
  add_compile_options(-Wno-subobject-linkage)  # its rule takes the joined sources for headers
endif()
if(KGB_SANITIZE)
  # -fno-sanitize-recover: a finding of UBSan fails the test instead of printing a line that nobody reads.
  # -w: GCC 12 warns of its own instrumentation here; the other presets hold the code to every warning.
  add_compile_options(-fsanitize=${KGB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1
                      -w)
  add_link_options(-fsanitize=${KGB_SANITIZE})
endif()
if(KGB_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
