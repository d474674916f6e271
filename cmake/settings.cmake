# Compiler settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()

# The emulator's arithmetic is integer, but host floating point appears in references and bounds: results must not
# depend on whether the compiler fuses a*b+c.
add_compile_options(-Wall -Wextra -ffp-contract=off)
# g++ 12 warns about std::string's own operator+ (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(KUMIHIMO_WERROR)
  add_compile_options(-Werror)
endif()
if(KUMIHIMO_SANITIZE)
  add_compile_options(-fsanitize=${KUMIHIMO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KUMIHIMO_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 gives false warnings about std::variant in instrumented code; the other builds keep the warning.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(KUMIHIMO_CCACHE ccache)
  if(KUMIHIMO_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${KUMIHIMO_CCACHE}")
    set(CMAKE_C_COMPILER_LAUNCHER "${KUMIHIMO_CCACHE}")
  endif()
endif()
