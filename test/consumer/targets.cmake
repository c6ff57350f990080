# What every CMake consumer builds, once sett::sett is there: the program (consumer.c) as C and as C++,
# with compiler settings of its own, and with the libraries that are `linked` (sett::sett).
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 17)
if(NOT DEFINED program)
  set(program consumer.c)
  set(linked sett::sett)
endif()
set(source "${CMAKE_CURRENT_LIST_DIR}/${program}")

get_target_property(flags sett::sett INTERFACE_COMPILE_OPTIONS)
if(flags)
  message(FATAL_ERROR "sett::sett passes its own flags on: ${flags}")
endif()

add_executable(consumer "${source}")
target_link_libraries(consumer PRIVATE ${linked})

configure_file("${source}" "${CMAKE_CURRENT_BINARY_DIR}/consumer_cxx.cpp" COPYONLY)
add_executable(consumer_cxx "${CMAKE_CURRENT_BINARY_DIR}/consumer_cxx.cpp")
target_link_libraries(consumer_cxx PRIVATE ${linked})
