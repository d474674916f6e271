// Random programs under several settings of the emulator; a difference is printed as the program that it needs.
//
//   emu_differential MACHINE FIRST_SEED PROGRAMS SETTING SETTING...
//   build/release/tests/cpp/emu_differential mncore2-tiny 1 200000 segments steps segments+threads=2
//
// State is kept from program to program and compared after every `kTogether` of them. The exit code is 1 when a
// difference was found.
#include <cstdio>
#include <cstdlib>

#include "tests/cpp/emu_differential.h"
#include "tests/cpp/emu_workload.h"

int main(int argc, char** argv) {
  using namespace kumihimo::mncore2;
  constexpr int kTogether = 16, kLines = 24;
  const MachineConfig* config = argc > 1 ? find_machine(argv[1]) : nullptr;
  std::vector<emu_test::Setting> settings;
  for (int i = 4; i < argc; ++i) {
    settings.emplace_back();
    if (!emu_test::parse_setting(argv[i], settings.back())) {
      std::fprintf(stderr, "emu_differential: unknown setting %s\n", argv[i]);
      return 2;
    }
  }
  if (config == nullptr || settings.size() < 2) {
    std::fprintf(stderr, "usage: emu_differential MACHINE FIRST_SEED PROGRAMS SETTING SETTING...\n");
    return 2;
  }
  const auto first = std::strtoull(argv[2], nullptr, 10), count = std::strtoull(argv[3], nullptr, 10);
  emu_test::Differential machines(*config, settings);
  unsigned long long found = 0, refused = 0;
  for (unsigned long long seed = first; seed < first + count; seed += kTogether) {
    std::vector<std::string> all;
    machines.reset();
    for (unsigned long long s = seed; s < seed + kTogether && s < first + count; ++s) {
      const auto lines = emu_test::Workload(s, *config).program(kLines);
      if (!machines.run(lines)) {
        std::printf("seed %llu does not assemble: %s\n", s, machines.failure().c_str());
        return 2;
      }
      if (!machines.outcome().empty() && refused++ < 5) std::printf("seed %llu: %s\n", s, machines.outcome().c_str());
      all.insert(all.end(), lines.begin(), lines.end());
    }
    if (machines.difference().empty()) continue;
    ++found;
    const auto few = machines.reduced(all);
    machines.reset();
    machines.run(few);
    std::printf("--- seeds from %llu: %s\n%s", seed, machines.difference().c_str(), emu_test::joined(few).c_str());
    std::fflush(stdout);
  }
  std::printf("%llu programs, %llu differences, %llu ended by an error\n", count, found, refused);
  return found == 0 ? 0 : 1;
}
