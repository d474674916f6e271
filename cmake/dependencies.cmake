# Libraries from the system's packages. One that is missing stops the build with the line that installs it.
macro(kmh_require NAME APT)
  find_package(${NAME} QUIET)
  if(NOT ${NAME}_FOUND)
    message(FATAL_ERROR "${NAME} was not found. Install it with:\n    sudo apt-get install -y ${APT}\n"
                        "(./dev build installs everything that is missing.)")
  endif()
endmacro()

kmh_require(fmt libfmt-dev)
kmh_require(nlohmann_json nlohmann-json3-dev)
kmh_require(CLI11 libcli11-dev)
find_package(Threads REQUIRED)
if(KUMIHIMO_BUILD_TESTS)
  kmh_require(GTest libgtest-dev)
endif()
if(KUMIHIMO_BUILD_BENCH)
  kmh_require(benchmark libbenchmark-dev)
endif()
