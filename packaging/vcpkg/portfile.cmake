# not run here: Debian has no vcpkg. An overlay port: vcpkg install sett --overlay-ports=packaging/vcpkg
# from a clone of the repository; for a registry, vcpkg_from_git or its like replaces SOURCE_PATH.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DSETT_WERROR=OFF
    -DSETT_BUILD_ADDONS=OFF
    -DSETT_BUILD_BENCHMARKS=OFF
    -DSETT_BUILD_EXAMPLES=OFF
    -DSETT_BUILD_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME sett CONFIG_PATH lib/cmake/sett)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
