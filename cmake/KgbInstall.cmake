# SPDX-License-Identifier: Apache-2.0
# What `pip install .` puts into the package folder: bin/kgbench, the extension, and home/ with the data it reads.
set(KGB_PACKAGE kgbench)
install(TARGETS kgbench RUNTIME DESTINATION ${KGB_PACKAGE}/bin COMPONENT wheel)
if(KGB_EXTENSION)
  install(TARGETS kgb_extension LIBRARY DESTINATION ${KGB_PACKAGE} COMPONENT wheel)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/catalogue DESTINATION ${KGB_PACKAGE}/home COMPONENT wheel
        PATTERN "__pycache__" EXCLUDE)
