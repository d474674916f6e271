# What is built from the libraries: libkumihimo.so, kumi, the Python extension, and how they are installed.
#
# Install layout (of a wheel, and of `cmake --install` into a site-packages folder):
#   kumihimo/            the Python package, libkumihimo.so, _core.*.so, include/
#   <scripts>/kumi       the command; finds libkumihimo.so relative to itself

# --- libkumihimo.so -----------------------------------------------------------------------------------------------
file(GLOB capi_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/capi/src/*.cpp")
if(NOT capi_sources)
  message(STATUS "capi/src has no sources yet: no libkumihimo.so, kumi or Python extension in this build")
  return()
endif()
add_library(kumihimo SHARED ${capi_sources})
set(exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")
target_include_directories(kumihimo PUBLIC "${PROJECT_SOURCE_DIR}")
target_compile_definitions(kumihimo PRIVATE KUMIHIMO_VERSION_TEXT="${PROJECT_VERSION}")
target_link_libraries(kumihimo PRIVATE kmh_driver)
target_link_options(kumihimo PRIVATE "LINKER:--version-script=${exports}")
if(NOT KUMIHIMO_SANITIZE)
  target_link_options(kumihimo PRIVATE "LINKER:--no-undefined" "LINKER:--gc-sections")
endif()
set_target_properties(kumihimo PROPERTIES LINK_DEPENDS "${exports}" INSTALL_RPATH "$ORIGIN")
install(TARGETS kumihimo LIBRARY DESTINATION kumihimo COMPONENT kumihimo)
install(DIRECTORY capi/include DESTINATION kumihimo COMPONENT kumihimo FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# --- Python ---------------------------------------------------------------------------------------------------------
find_package(Python 3.10 COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
set(nanobind_dir "")
if(KUMIHIMO_BUILD_PYTHON AND Python_Development.Module_FOUND)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(GLOB ext_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/ext/*.cpp")
if(nanobind_dir AND ext_sources)
  find_package(nanobind CONFIG REQUIRED PATHS "${nanobind_dir}" NO_DEFAULT_PATH)
  nanobind_add_module(_core NB_STATIC ${ext_sources})
  target_include_directories(_core PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(_core PRIVATE kumihimo)
  set_target_properties(_core PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS _core LIBRARY DESTINATION kumihimo COMPONENT kumihimo)
elseif(SKBUILD)
  message(FATAL_ERROR "a Python package needs python/ext and nanobind (and the python3-dev package)")
else()
  message(STATUS "no Python extension in this build (needs python3-dev, nanobind and python/ext/*.cpp)")
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/python/src/kumihimo" AND NOT SKBUILD)
  # scikit-build-core copies the package itself; ./dev uses this rule.
  install(DIRECTORY python/src/kumihimo DESTINATION . COMPONENT kumihimo PATTERN "__pycache__" EXCLUDE)
endif()

# --- kumi -----------------------------------------------------------------------------------------------------------
file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/cli/*.cpp")
if(cli_sources)
  add_executable(kumi ${cli_sources})
  target_include_directories(kumi PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(kumi PRIVATE kumihimo fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11)
  # The Python that runs `.py` programs: python3 beside the installed kumi, else this one.
  target_compile_definitions(kumi PRIVATE
    KUMI_VERSION="${PROJECT_VERSION}"
    KUMI_PYTHON="${Python_EXECUTABLE}"
    KUMI_PYTHON_NAME="python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
  # bin/kumi beside lib/pythonX.Y/{site,dist}-packages: virtual environments, --user and Debian's /usr/local.
  set(site "../lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
  set_target_properties(kumi PROPERTIES
    INSTALL_RPATH "$ORIGIN/${site}/site-packages/kumihimo:$ORIGIN/${site}/dist-packages/kumihimo:$ORIGIN/kumihimo:$ORIGIN/../kumihimo")
  if(SKBUILD)
    install(TARGETS kumi RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT kumihimo)
  else()
    set(KUMIHIMO_SCRIPTS_DIR "bin" CACHE STRING "Where `cmake --install` puts kumi")
    install(TARGETS kumi RUNTIME DESTINATION "${KUMIHIMO_SCRIPTS_DIR}" COMPONENT kumihimo)
  endif()
endif()
