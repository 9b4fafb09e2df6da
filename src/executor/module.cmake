# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_executor PRIVATE kgb_fmt)
