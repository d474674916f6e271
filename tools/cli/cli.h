// kumi: the command line over the C boundary.
//
// Every command: exit 0 = yes, 1 = the input is at fault (diagnostics on stderr), 2 = usage, 3 = internal fault.
// With --json, stdout holds one JSON object and diagnostics are in it.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "capi/include/kumihimo.hpp"

namespace CLI {
class App;  // CLI11 is included by the files that use it: it costs seconds
}

namespace kumi {

namespace api = kumihimo::api;
using nlohmann::json;

inline constexpr int kYes = 0, kInputFault = 1, kUsage = 2, kInternal = 3;

struct Options {
  bool json = false;
};

// Registers the subcommands; each callback stores its exit code in `code`.
void add_vsm_commands(CLI::App& app, Options& options, int& code);        // asm, lint
void add_emu_command(CLI::App& app, Options& options, int& code);         // emu
void add_judge_command(CLI::App& app, Options& options, int& code);       // judge
void add_lsp_command(CLI::App& app, Options& options, int& code);         // lsp
void add_program_commands(CLI::App& app, Options& options, int& code);    // check, lower, cost, run, verify
void add_knowledge_commands(CLI::App& app, Options& options, int& code);  // explain, layout, describe

// A file as a string; "-" is stdin. Throws Fault.
std::string read_file(const std::string& path);
// Whole or not at all: a temporary file beside it, then a rename. "-" or empty is stdout.
void write_file(const std::string& path, const std::string& content);

// The same for output that comes in parts. What is not committed is removed; stdout gets parts as they come.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  void append(std::string_view part);
  void commit();

 private:
  const std::string path_;
  std::string target_;  // the file that is written: path, or a temporary one
  std::ofstream file_;  // not open for stdout
};

// A fault that is the command line's own (file not readable, child failed).
struct Fault {
  int code;
  std::string text;
  json data;
};

// Reports a fault in the form that was asked for and returns its exit code.
int report(const Options& options, const api::Error& error);
int report(const Options& options, const Fault& fault);

// Runs a command body with faults reported.
template <class F>
int guarded(const Options& options, F body) {
  try {
    return body();
  } catch (const api::Error& e) {
    return report(options, e);
  } catch (const Fault& f) {
    return report(options, f);
  }
}

// A LEIR program: `.leir` text, FILE.py or FILE.py:FUNCTION with arguments NAME=VALUE. Gives the module.
api::Value load_program(const std::string& program, const std::vector<std::string>& arguments);
// Runs the Python that belongs to this installation; stdin is inherited. Returns exit code; stdout into `out` unless
// null (then it is inherited).
int run_python(const std::vector<std::string>& arguments, std::string* out);

}  // namespace kumi
