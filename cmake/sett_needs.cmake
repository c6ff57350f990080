# What add-ons need. It is installed too: a program that links an add-on needs the same.

# For each library a header, its name, and Debian's package. An add-on without a line needs none.
set(sett_needs_zstd zstd.h zstd libzstd-dev)
set(sett_needs_debug_info elfutils/libdwfl.h dw libdw-dev)
set(sett_needs_enet enet/enet.h enet libenet-dev)
set(sett_needs_inspector civetweb.h civetweb libcivetweb-dev zstd.h zstd libzstd-dev)

# sett_find_needs(<add-on> <found> <missing>): finds them. <found> becomes the names of the libraries
# that are there, found as sett_<library>_include and _library; <missing> a text, such as "zstd
# (Debian: libzstd-dev)".
function(sett_find_needs name found missing)
  set(libraries)
  set(texts)
  set(needs ${sett_needs_${name}})
  while(needs)
    list(POP_FRONT needs header library package)
    find_path(sett_${library}_include ${header})
    find_library(sett_${library}_library ${library})
    if(sett_${library}_include AND sett_${library}_library)
      list(APPEND libraries ${library})
    else()
      list(APPEND texts "${library} (Debian: ${package})")
    endif()
  endwhile()
  list(JOIN texts ", " texts)
  set(${found} ${libraries} PARENT_SCOPE)
  set(${missing} "${texts}" PARENT_SCOPE)
endfunction()
