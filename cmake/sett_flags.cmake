# How Sett's own targets are compiled. Nothing here reaches the targets of programs that link Sett.

# The list lies in a file of its own because the shell tools compile with the same flags.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/strict_flags.txt" SETT_STRICT_FLAGS)

# sett_flags(<target>): C11 without extensions, strict warnings, sanitizers if asked for.
function(sett_flags target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11
    C_STANDARD_REQUIRED ON
    C_EXTENSIONS OFF
    CXX_STANDARD 17
    CXX_STANDARD_REQUIRED ON
    CXX_EXTENSIONS OFF)
  if(CMAKE_C_COMPILER_ID STREQUAL "MSVC")
    target_compile_options(${target} PRIVATE /W4 $<$<BOOL:${SETT_WERROR}>:/WX>)
    return()
  endif()
  # Two of the flags mean something in C only; harnesses written in C++ go without the list.
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:C>:${SETT_STRICT_FLAGS}>"
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>"
    $<$<BOOL:${SETT_WERROR}>:-Werror>)
  if(SETT_SANITIZE)
    set(sanitize -fsanitize=${SETT_SANITIZE})
    target_compile_options(${target} PRIVATE
      ${sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # PUBLIC: a program that links a sanitized static library needs the sanitizer's runtime as well.
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_link_options(${target} PRIVATE ${sanitize})
    else()
      target_link_options(${target} PUBLIC ${sanitize})
    endif()
  endif()
endfunction()
