// Files, faults and the Python child.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tools/cli/cli.h"

extern char** environ;

namespace kumi {
namespace {

Fault file_fault(const std::string& path, const std::string& what) {
  std::string text = fmt::format("error: {}: {}\n", path, what);
  return {kInputFault, text, {{"headline", what}, {"where", {{"file", path}}}}};
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") {
    std::ostringstream s;
    s << std::cin.rdbuf();
    return s.str();
  }
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) throw file_fault(path, "is a folder; a file is needed");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw file_fault(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  std::ostringstream s;
  s << in.rdbuf();
  if (in.bad()) throw file_fault(path, "reading failed");
  return s.str();
}

FileWriter::FileWriter(const std::string& path) : path_(path), target_(path) {
  if (path.empty() || path == "-") return;
  // Devices and pipes cannot be replaced; they are written as they are.
  std::error_code ec;
  if (!std::filesystem::exists(path, ec) || std::filesystem::is_regular_file(path, ec))
    target_ = path + fmt::format(".{}.tmp", ::getpid());
  file_.open(target_, std::ios::binary | std::ios::trunc);
  if (!file_) throw file_fault(path, fmt::format("cannot be written ({})", std::strerror(errno)));
}

FileWriter::~FileWriter() {
  if (!file_.is_open()) return;
  file_.close();
  std::error_code ec;
  if (target_ != path_) std::filesystem::remove(target_, ec);
}

void FileWriter::append(std::string_view part) {
  std::ostream& out = file_.is_open() ? file_ : std::cout;
  out.write(part.data(), static_cast<std::streamsize>(part.size()));
  if (!out) throw file_fault(file_.is_open() ? path_ : "stdout", "writing failed; is the disk full?");
}

void FileWriter::commit() {
  if (!file_.is_open()) {
    std::cout.flush();
    return;
  }
  file_.close();
  std::error_code ec;
  if (!file_) {
    if (target_ != path_) std::filesystem::remove(target_, ec);
    throw file_fault(path_, "writing failed; is the disk full?");
  }
  if (target_ == path_) return;
  std::filesystem::rename(target_, path_, ec);
  if (ec) {
    std::string why = ec.message();
    std::filesystem::remove(target_, ec);
    throw file_fault(path_, "cannot be replaced (" + why + ")");
  }
}

void write_file(const std::string& path, const std::string& content) {
  FileWriter writer(path);
  writer.append(content);
  writer.commit();
}

int report(const Options& options, const api::Error& error) {
  if (options.json) {
    json j{{"ok", false}, {"error", json::parse(error.json(), nullptr, false)}};
    std::cout << j.dump() << "\n";
  } else {
    std::cerr << error.text();
  }
  return error.status() == KMH_INTERNAL_ERROR ? kInternal : kInputFault;
}

int report(const Options& options, const Fault& fault) {
  if (options.json) {
    std::cout << json{{"ok", false}, {"error", fault.data}}.dump() << "\n";
  } else {
    std::cerr << fault.text;
  }
  return fault.code;
}

int run_python(const std::vector<std::string>& arguments, std::string* out) {
  // The Python beside the installed kumi is the one that has the package; else the one of the build.
  std::error_code ec;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ec);
  std::string python = KUMI_PYTHON;
  for (const char* name : {KUMI_PYTHON_NAME, "python3"}) {
    std::filesystem::path beside = self.parent_path() / name;
    if (!ec && std::filesystem::exists(beside, ec)) {
      python = beside.string();
      break;
    }
  }
  if (const char* chosen = std::getenv("KUMI_PYTHON"); chosen != nullptr && *chosen != 0) python = chosen;
  std::vector<std::string> words{python};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);

  int pipe_ends[2] = {-1, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (out) {
    if (::pipe2(pipe_ends, O_CLOEXEC) != 0) throw Fault{kInternal, "error: no pipe\n", {{"headline", "no pipe"}}};
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  }
  std::cout.flush();
  pid_t child = 0;
  int failed = ::posix_spawnp(&child, python.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (out) ::close(pipe_ends[1]);
  if (failed != 0) {
    if (out) ::close(pipe_ends[0]);
    throw file_fault(python, fmt::format("cannot be started ({}); set KUMI_PYTHON to a Python that has kumihimo",
                                         std::strerror(failed)));
  }
  if (out) {
    char buffer[65536];
    for (;;) {
      ssize_t n = ::read(pipe_ends[0], buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      out->append(buffer, static_cast<size_t>(n));
    }
    ::close(pipe_ends[0]);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

api::Value load_program(const std::string& program, const std::vector<std::string>& arguments) {
  std::string file = program;
  std::string function;
  if (size_t p = program.rfind(".py:"); p != std::string::npos) {
    file = program.substr(0, p + 3);
    function = program.substr(p + 4);
  }
  if (!file.ends_with(".py")) {
    if (!arguments.empty())
      throw Fault{
          kUsage, "error: arguments belong to .py programs\n", {{"headline", "arguments belong to .py programs"}}};
    return api::call("module.parse", {read_file(file), file == "-" ? "<stdin>" : file});
  }
  std::vector<std::string> words{"-m", "kumihimo.build_program", file, "--function", function};
  for (const std::string& a : arguments) {
    words.push_back("--arg");
    words.push_back(a);
  }
  std::string out;
  int code = run_python(words, &out);
  json j = json::parse(out, nullptr, false);
  if (!j.is_object())
    throw Fault{code == kInputFault ? kInputFault : kInternal, "", {{"headline", "the Python child gave no program"}}};
  if (j.contains("error")) throw Fault{kInputFault, j.value("text", ""), j["error"]};
  return api::call("module.parse", {j["leir"].get<std::string>(), file});
}

}  // namespace kumi
