# SPDX-License-Identifier: Apache-2.0
# What `pip install .` puts into the package folder: bin/kgbench, the extension, and home/, which has the shape of the
# source tree: catalogue/, include/ (for native candidates) and python/, the copy that the locked processes read.
set(KGB_PACKAGE kgbench)
install(TARGETS kgbench RUNTIME DESTINATION ${KGB_PACKAGE}/bin COMPONENT wheel)
if(KGB_EXTENSION)
  install(TARGETS kgb_extension LIBRARY DESTINATION ${KGB_PACKAGE} COMPONENT wheel)
endif()
foreach(folder catalogue include python/kgbench)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${KGB_PACKAGE}/home/${parent} COMPONENT wheel
          PATTERN "__pycache__" EXCLUDE)
endforeach()
