// Reads tests/transcripts/*.t: a header of "field: value" lines, an empty line, a program, a line of four dashes, the
// expected output.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kumihimo::testing {

struct Transcript {
  std::string name, claim, source, program;
  std::vector<std::string> expected;
};

inline std::vector<Transcript> read_transcripts(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".t") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Transcript> out;
  for (const auto& path : files) {
    std::ifstream in(path);
    Transcript t;
    t.name = path.stem().string();
    enum { kHeader, kProgram, kExpected } part = kHeader;
    for (std::string line; std::getline(in, line);) {
      if (part == kHeader) {
        if (line.empty()) part = kProgram;
        if (line.rfind("claim: ", 0) == 0) t.claim = line.substr(7);
        if (line.rfind("source: ", 0) == 0) t.source = line.substr(8);
      } else if (part == kProgram && line == "----") {
        part = kExpected;
      } else if (part == kProgram) {
        t.program += line + "\n";
      } else {
        t.expected.push_back(line);
      }
    }
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace kumihimo::testing
