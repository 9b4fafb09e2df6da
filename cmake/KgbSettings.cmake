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
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(KGB_CCACHE ccache)
if(KGB_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${KGB_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KGB_CCACHE})
endif()
find_program(KGB_MOLD mold)
if(KGB_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# -ffp-contract=off: the VM's arithmetic must round after every operation.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror -ffp-contract=off
                    -fno-math-errno)
if(KGB_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(KGB_PORTABLE)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
