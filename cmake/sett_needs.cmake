# What add-ons need. It is installed too: a program that links an add-on needs the same.

# For each library a header, its name, and Debian's package. An add-on without a line needs none.
set(sett_needs_zstd zstd.h zstd libzstd-dev)
set(sett_needs_debug_info elfutils/libdwfl.h dw libdw-dev)
set(sett_needs_enet enet/enet.h enet libenet-dev)
# Either of the two: cmake -DSETT_MPI=mpich.
set(SETT_MPI openmpi CACHE STRING "the MPI of sett::mpi: openmpi or mpich")
if(SETT_MPI STREQUAL mpich)
  set(sett_needs_mpi mpi.h mpich libmpich-dev)
else()
  set(sett_needs_mpi mpi.h mpi libopenmpi-dev)
endif()
set(sett_needs_websocket civetweb.h civetweb libcivetweb-dev)
set(sett_needs_inspector civetweb.h civetweb libcivetweb-dev zstd.h zstd libzstd-dev)

# In the same form, what an add-on uses where it is there.
set(sett_wants_abm png.h png libpng-dev)

# sett_find_needs(<add-on> <found> <missing> [<needs or wants>]): finds them. <found> becomes the names of the libraries
# that are there, found as sett_<library>_include and _library; <missing> a text, such as "zstd
# (Debian: libzstd-dev)".
function(sett_find_needs name found missing)
  set(libraries)
  set(texts)
  set(needs ${sett_needs_${name}})
  if(ARGC GREATER 3)
    set(needs ${sett_${ARGV3}_${name}})
  endif()
  while(needs)
    list(POP_FRONT needs header library package)
    set(folders)
    if(name STREQUAL mpi) # Debian has both, side by side
      set(folders PATH_SUFFIXES ${SETT_MPI} ${SETT_MPI}/lib)
    endif()
    find_path(sett_${library}_include ${header} ${folders})
    find_library(sett_${library}_library ${library} ${folders})
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
