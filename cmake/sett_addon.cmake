# What the add-ons and the tests of programs have in common.

# sett_addon(<name> <header> <library> <what is missing without it>): sett::<name> from the sources in
# this folder, with the library that it is for. Where that is not installed it is left out: a macro,
# so that nothing follows then.
macro(sett_addon name header library missing)
  find_path(${library}_include ${header})
  find_library(${library}_library ${library})
  if(NOT ${library}_library OR NOT ${library}_include)
    message(STATUS "${library} was not found: ${missing} left out")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS *.c)
  add_library(sett_${name} STATIC ${sources})
  add_library(sett::${name} ALIAS sett_${name})
  sett_flags(sett_${name})
  target_include_directories(sett_${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_include_directories(sett_${name} SYSTEM PRIVATE "${${library}_include}")
  target_link_libraries(sett_${name} PUBLIC sett::sett PRIVATE "${${library}_library}")
endmacro()

# sett_program_tests(<label> <library> <source>...): each test_<module>.c is a program and a test.
function(sett_program_tests label library)
  foreach(source IN LISTS ARGN)
    get_filename_component(target "${source}" NAME_WE)
    string(REGEX REPLACE "^test_" "" module "${target}")
    add_executable(${target} "${source}")
    sett_flags(${target})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/test")
    target_link_libraries(${target} PRIVATE ${library})
    add_test(NAME ${module} COMMAND ${target})
    set_tests_properties(${module} PROPERTIES LABELS ${label} TIMEOUT 300)
  endforeach()
endfunction()
