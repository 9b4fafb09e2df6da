# SPDX-License-Identifier: Apache-2.0
# Settings of single files of the VM.
include(${CMAKE_SOURCE_DIR}/src/vm/numeric/numeric.cmake)
