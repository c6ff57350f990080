# What the add-ons and the tests of programs have in common.
include("${CMAKE_CURRENT_LIST_DIR}/sett_needs.cmake")

# sett_addon(<name> <what is missing without it> [<add-on that programs use with it>]): sett::<name>
# from the sources in this folder, with
# the libraries that it needs (sett_needs.cmake); installed with its public header. Where a library is
# missing the add-on is left out: a macro, so that nothing follows then.
macro(sett_addon name without)
  sett_find_needs(${name} libraries missing)
  if(missing)
    message(STATUS "${missing} was not found: ${without} left out")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS *.c)
  add_library(sett_${name} STATIC ${sources})
  add_library(sett::${name} ALIAS sett_${name})
  sett_flags(sett_${name})
  set_target_properties(sett_${name} PROPERTIES C_VISIBILITY_PRESET hidden)
  target_include_directories(sett_${name} PUBLIC
    "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  # Installed, it takes the sett::sett of the program: sett-config.cmake says so.
  target_link_libraries(sett_${name} PUBLIC "$<BUILD_INTERFACE:sett::sett>")
  sett_find_needs(${name} wanted missing wants)
  if(missing)
    message(STATUS "${missing} was not found: sett::${name} is built without")
  endif()
  foreach(library IN LISTS wanted)
    string(TOUPPER "${library}" upper)
    target_compile_definitions(sett_${name} PRIVATE SETT_HAS_${upper})
    list(APPEND libraries ${library})
  endforeach()
  # The libraries found, or after installing those of that name.
  foreach(library IN LISTS libraries)
    target_include_directories(sett_${name}
      SYSTEM PRIVATE "$<BUILD_INTERFACE:${sett_${library}_include}>")
    target_link_libraries(sett_${name} PRIVATE
      "$<BUILD_INTERFACE:${sett_${library}_library}>" "$<INSTALL_INTERFACE:${library}>")
  endforeach()
  if(SETT_INSTALL)
    sett_addon_install(${name} "${ARGN}" ${libraries})
  endif()
endmacro()

function(sett_addon_install name beside)
  set_target_properties(sett_${name} PROPERTIES EXPORT_NAME ${name})
  add_dependencies(sett_installed sett_${name})
  install(TARGETS sett_${name} EXPORT sett_${name}_targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(FILES sett_${name}.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT sett_${name}_targets NAMESPACE sett:: FILE sett-${name}-targets.cmake
    DESTINATION "${package_dir}")
  list(TRANSFORM ARGN PREPEND "-l")
  list(JOIN ARGN " " libraries)
  # Of the two libraries of Sett a program links one: so each add-on has two names for pkg-config.
  foreach(kind IN ITEMS "" "-debug")
    set(requires "sett${kind}")
    if(beside)
      set(requires "sett_${beside}${kind}")
    endif()
    sett_pkg_config(sett_${name}${kind} "Add-on of Sett" "${requires}"
      "-lsett_${name} ${libraries} ${pc_threads}" "")
  endforeach()
endfunction()

# sett_program_tests(<label> <library> <source>...): each test_<module>.c is a program and a test.
function(sett_program_tests label library)
  foreach(source IN LISTS ARGN)
    get_filename_component(target "${source}" NAME_WE)
    string(REGEX REPLACE "^test_" "" module "${target}")
    add_executable(${target} "${source}")
    sett_flags(${target})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/test")
    target_link_libraries(${target} PRIVATE ${library})
    if(target MATCHES "_null$") # reads a header
      target_compile_definitions(${target} PRIVATE SETT_TREE="${PROJECT_SOURCE_DIR}")
    endif()
    add_test(NAME ${module} COMMAND ${target})
    set_tests_properties(${module} PROPERTIES LABELS ${label} TIMEOUT 300)
  endforeach()
endfunction()
