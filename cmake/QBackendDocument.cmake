# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A manual page and bash completion of a program, which prints both. Not of one
# with sanitizers, which wants options of its own to be run.

# qbackend_document(NAME DEPENDS...): NAME is that of a program in build/bin.
function(qbackend_document NAME)
  if(QBACKEND_SANITIZE)
    return()
  endif()
  set(PROGRAM ${PROJECT_BINARY_DIR}/bin/${NAME})
  set(MANUAL ${PROJECT_BINARY_DIR}/share/man/man1/${NAME}.1)
  set(COMPLETION
      ${PROJECT_BINARY_DIR}/share/bash-completion/completions/${NAME})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1
       ${PROJECT_BINARY_DIR}/share/bash-completion/completions)
  add_custom_command(OUTPUT ${MANUAL} ${COMPLETION}
    COMMAND ${PROGRAM} --print-manual > ${MANUAL}
    COMMAND ${PROGRAM} --print-completion > ${COMPLETION}
    DEPENDS ${ARGN})
  add_custom_target(${NAME}-documentation ALL DEPENDS ${MANUAL} ${COMPLETION})
  install(FILES ${MANUAL} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${COMPLETION}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endfunction()
