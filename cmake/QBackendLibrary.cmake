# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How this project builds its libraries: static ones, by folders of lib, all of them
# linked to the packaged shared libMLIR and libLLVM. A wing is a component of the
# package and of the installation.

# As the packages are.
if(NOT LLVM_ENABLE_RTTI)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()

add_compile_options(-Wall)
if(QBACKEND_ENABLE_WERROR)
  add_compile_options(-Werror -Wno-comment)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)
  else()
    # Of std::stable_sort, as the library of g++ 12 has it; and what LLVM turns
    # off for g++.
    add_compile_options(-Wno-deprecated-declarations
                        -Wno-missing-field-initializers)
  endif()
endif()

if(QBACKEND_SANITIZE STREQUAL thread)
  # Of clang: the library of g++ 12 does not start where addresses are as random
  # as new kernels make them.
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=thread)
  set(SANITIZER_LIBRARY tsan)
elseif(QBACKEND_SANITIZE)
  # vptr needs the type information of packaged classes. A finding ends the
  # program: a test can't pass over it.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # What libFuzzer counts.
    add_compile_options(-fsanitize=fuzzer-no-link)
    set(SANITIZER_LIBRARY asan)
  endif()
endif()
if(SANITIZER_LIBRARY AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # One library of sanitizers, as of g++, for programs that load what is built
  # here. It is beside the compiler.
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.${SANITIZER_LIBRARY}-${CMAKE_SYSTEM_PROCESSOR}.so
    OUTPUT_VARIABLE SANITIZER OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(SANITIZER_FOLDER ${SANITIZER} DIRECTORY)
  add_link_options(-shared-libsan -Wl,-rpath,${SANITIZER_FOLDER})
endif()

# Parsing MLIR's headers is most of the time that a build takes: it is done once,
# by the first library, for all whose options are its own. A file still includes
# what it uses: CMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # CMake's own spelling, by -Xclang, hides the path from ccache, which then finds
  # nothing of what another clone has compiled.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
endif()
function(precompile_mlir_headers name)
  get_property(owner GLOBAL PROPERTY QBACKEND_PRECOMPILING_LIBRARY)
  if(owner)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  else()
    set_property(GLOBAL PROPERTY QBACKEND_PRECOMPILING_LIBRARY ${name})
    target_precompile_headers(${name} PRIVATE
      <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/LLVMIR/LLVMDialect.h>
      <mlir/Dialect/Linalg/IR/Linalg.h>
      <mlir/Dialect/Math/IR/Math.h>
      <mlir/Dialect/MemRef/IR/MemRef.h>
      <mlir/Dialect/Quant/IR/Quant.h>
      <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/Dialect/Tensor/IR/Tensor.h>
      <mlir/Dialect/Tosa/IR/TosaOps.h>
      <mlir/Dialect/Vector/IR/VectorOps.h>
      <mlir/IR/ImplicitLocOpBuilder.h>
      <mlir/IR/Matchers.h>
      <mlir/IR/PatternMatch.h>
      <mlir/Pass/PassManager.h>
      <mlir/Transforms/DialectConversion.h>)
    # What ccache takes for the precompiled file, which has a gigabyte, and would be
    # read for each object: which packages its headers are of.
    get_target_property(library MLIR LOCATION)
    file(SHA256 ${library} packages)
    foreach(suffix gch pch) # of g++, and of clang
      file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.${suffix}.sum
           "${packages}")
    endforeach()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # ccache needs to see that one is used.
    target_compile_options(${name} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # The time of the build is not part of what is built.
    target_compile_options(${name} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

# add_qbackend_library(Name sources... [DEPENDS targets...] [LINK libs...])
#
# Libraries with no MLIR in them (Numerics, Calibration, Samples) say NO_MLIR.
# QBACKEND_WING is the wing of the folder.
function(add_qbackend_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    add_dependencies(${name} qbackend-headers)
    target_link_libraries(${name} PUBLIC MLIR LLVM)
    precompile_mlir_headers(${name})
  endif()
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT QBackend${QBACKEND_WING}Targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${QBACKEND_WING})
  string(TOUPPER ${QBACKEND_WING} wing)
  set_property(GLOBAL APPEND PROPERTY QBACKEND_${wing}_LIBS ${name})
endfunction()

# add_qbackend_wing(Name): QBackend::QBackendName is all libraries of the wing.
function(add_qbackend_wing name)
  string(TOUPPER ${name} wing)
  get_property(libraries GLOBAL PROPERTY QBACKEND_${wing}_LIBS)
  add_library(QBackend${name} INTERFACE)
  target_link_libraries(QBackend${name} INTERFACE ${libraries})
  install(TARGETS QBackend${name} EXPORT QBackend${name}Targets)
endfunction()
