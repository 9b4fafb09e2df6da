# SPDX-License-Identifier: Apache-2.0
# What `pip install .` puts into the package folder beside the Python files: bin/kgbench, the extension, and home/ with
# catalogue/ and include/ (for native candidates). The locked processes read the package where it lies.
set(KGB_PACKAGE kgbench)
install(TARGETS kgbench RUNTIME DESTINATION ${KGB_PACKAGE}/bin COMPONENT wheel)
if(KGB_EXTENSION)
  install(TARGETS kgb_extension LIBRARY DESTINATION ${KGB_PACKAGE} COMPONENT wheel)
endif()
foreach(folder catalogue include)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${KGB_PACKAGE}/home COMPONENT wheel
          PATTERN "__pycache__" EXCLUDE)
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/requirements/local-model.txt DESTINATION ${KGB_PACKAGE}/home/requirements
        COMPONENT wheel)
