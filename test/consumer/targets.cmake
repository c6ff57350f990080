# What every CMake consumer builds, once sett::sett is there: the program as C and as C++, with
# compiler settings of its own.
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 17)
set(consumer_dir "${CMAKE_CURRENT_LIST_DIR}")

get_target_property(flags sett::sett INTERFACE_COMPILE_OPTIONS)
if(flags)
  message(FATAL_ERROR "sett::sett passes its own flags on: ${flags}")
endif()

add_executable(consumer "${consumer_dir}/consumer.c")
target_link_libraries(consumer PRIVATE sett::sett)

configure_file("${consumer_dir}/consumer.c" "${CMAKE_CURRENT_BINARY_DIR}/consumer_cxx.cpp" COPYONLY)
add_executable(consumer_cxx "${CMAKE_CURRENT_BINARY_DIR}/consumer_cxx.cpp")
target_link_libraries(consumer_cxx PRIVATE sett::sett)
