# Install rules: public headers, both libraries, for debugging too, a CMake package and pkg-config
# files; add-ons are installed by sett_addon.cmake.
# Everything installed finds the rest relative to itself, so the whole may be moved.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/sett")

# What is installed is built first: after `make run`, say, most of it is missing.
set(installed sett_static sett_shared sett_static_debug sett_shared_debug)
foreach(part IN LISTS sett_parts)
  list(APPEND installed sett_${part} sett_${part}_debug)
endforeach()
add_custom_target(sett_installed DEPENDS ${installed})
install(CODE "
  cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
  execute_process(
    COMMAND \"${CMAKE_COMMAND}\" -E env --unset=MAKEFLAGS
      \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --parallel \${jobs}
      --config \"\${CMAKE_INSTALL_CONFIG_NAME}\" --target sett_installed
    COMMAND_ERROR_IS_FATAL ANY)")
install(TARGETS ${installed} EXPORT sett_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY include/sett DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT sett_targets NAMESPACE sett:: FILE sett-targets.cmake DESTINATION "${package_dir}")

configure_package_config_file(cmake/sett-config.cmake.in
  "${PROJECT_BINARY_DIR}/sett-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may break the source interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/sett-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/sett-config.cmake"
  "${PROJECT_BINARY_DIR}/sett-config-version.cmake"
  cmake/sett_needs.cmake
  DESTINATION "${package_dir}")

# pkg-config knows where its own file lies; the prefix is so many folders up from there. Folders
# given as absolute paths (some distributions do) are written as they are.
set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(IS_ABSOLUTE pc_dir pc_dir_is_absolute)
if(pc_dir_is_absolute)
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH pc_up "/${pc_dir}" "/")
  string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
  set(pc_prefix "\${pcfiledir}/${pc_up}")
endif()
foreach(dir IN ITEMS LIBDIR INCLUDEDIR)
  set(pc_${dir} "${CMAKE_INSTALL_${dir}}")
  cmake_path(ABSOLUTE_PATH pc_${dir} BASE_DIRECTORY "\${prefix}")
endforeach()
set(pc_threads "")
if(UNIX AND NOT APPLE AND NOT ANDROID)
  set(pc_threads "-pthread")
endif()
function(sett_pkg_config pc_name pc_description pc_requires pc_libs pc_private)
  set(file "${PROJECT_BINARY_DIR}/${pc_name}.pc")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/sett.pc.in" "${file}" @ONLY)
  install(FILES "${file}" DESTINATION "${pc_dir}")
endfunction()
sett_pkg_config(sett "${PROJECT_DESCRIPTION}" "" -lsett "${pc_threads}")
sett_pkg_config(sett-debug "${PROJECT_DESCRIPTION}, reports misuse" "" -lsett_debug "${pc_threads}")
