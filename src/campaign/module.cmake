# SPDX-License-Identifier: Apache-2.0
target_link_libraries(kgb_campaign PRIVATE kgb_fmt Threads::Threads)
