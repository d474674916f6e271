// Runs VSM text from stdin and prints its dump lines: what `kumi emu --machine mncore2-tiny -` prints, as a program that can be linked with
// one changed source file (see CMakeLists.txt).
#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

#include "targets/mncore2/emu/run_text.h"

int main() {
  using namespace kumihimo;
  const std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  mncore2::emu::EmuOptions options;
  options.path = mncore2::fast::Path::kScalar;  // the changed lines are those of the scalar functions
  auto run = mncore2::emu::run_text(*mncore2::find_machine("mncore2-tiny"), text, options);
  if (!run) {
    std::fputs(render_text(run.error()).c_str(), stderr);
    return 1;
  }
  for (const std::string& line : run->dumps) std::puts(line.c_str());
  return 0;
}
