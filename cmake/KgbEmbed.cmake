# SPDX-License-Identifier: Apache-2.0
# kgb_embed(TARGET SYMBOL FILE): the bytes of FILE as `extern "C" const char SYMBOL[]`, `SYMBOL_end[]` in TARGET.
# .incbin assembles megabytes in milliseconds where a C array takes seconds.
enable_language(ASM)
function(kgb_embed target symbol file)
  get_filename_component(absolute ${file} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  set(asm ${CMAKE_BINARY_DIR}/embed/${target}_${symbol}.S)
  file(CONFIGURE OUTPUT ${asm} CONTENT "    .section .rodata
    .global ${symbol}
    .global ${symbol}_end
    .balign 16
${symbol}:
    .incbin \"${absolute}\"
${symbol}_end:
    .byte 0
    .section .note.GNU-stack,\"\",@progbits
" @ONLY)
  set_source_files_properties(${asm} PROPERTIES OBJECT_DEPENDS ${absolute})
  target_sources(${target} PRIVATE ${asm})
endfunction()
