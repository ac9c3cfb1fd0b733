# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cpack` in the build directory writes a Debian package with all that is
# installed; what it depends on is read from the programs by dpkg-shlibdeps.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME qbackend)
set(CPACK_PACKAGE_VENDOR qbackend)
set(CPACK_PACKAGE_CONTACT "The authors of qbackend")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# qbackend-import, and the Python package where it was built.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3, python3-numpy")
# What compiles to objects, and what the CMake package finds.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "llvm-${LLVM_VERSION_MAJOR}, mlir-${LLVM_VERSION_MAJOR}-tools, libmlir-${LLVM_VERSION_MAJOR}-dev")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
# Backslashes of the patterns below are those of regular expressions.
set(CPACK_VERBATIM_VARIABLES ON)
# `cpack --config CPackSourceConfig.cmake`: the sources, which build without git.
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME qbackend-${PROJECT_VERSION}-source)
set(CPACK_SOURCE_IGNORE_FILES
    "^${PROJECT_SOURCE_DIR}/build" "^${PROJECT_SOURCE_DIR}/install" "/\\.git$"
    "/\\.git/" "/__pycache__/")
include(CPack)
