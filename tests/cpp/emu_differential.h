// One program under several settings of the emulator: whole states compared, and the program cut down to the lines
// that a difference needs.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/fast/path.h"

namespace kumihimo::mncore2::emu_test {

struct Setting {
  std::string name;
  emu::EmuOptions options;
};

// "steps", "threads=2", "segments", "strict", a path such as "scalar": words joined by '+'. False for other words.
inline bool parse_setting(std::string_view text, Setting& out) {
  out = {std::string(text), {}};
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find('+'));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word == "steps")
      out.options.order = emu::Order::kSteps;
    else if (word == "segments")
      out.options.order = emu::Order::kSegments;
    else if (word == "threads=2")
      out.options.threads = 2;
    else if (word == "strict")
      out.options.strict = true;
    else if (const auto path = fast::path_named(word))
      out.options.path = *path;
    else
      return false;
  }
  return true;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class Differential {
 public:
  Differential(const MachineConfig& config, std::vector<Setting> settings)
      : config_(config), settings_(std::move(settings)) {
    for (const Setting& s : settings_) machines_.push_back(std::move(*emu::Machine::create(config, s.options)));
  }
  void reset() {
    for (auto& machine : machines_) machine->reset();
  }
  // Runs the lines on every machine, after what ran before. False when a line does not assemble.
  bool run(const std::vector<std::string>& lines) {
    const auto assembled = vsm::assemble(joined(lines), "random.vsm");
    if (!assembled.errors.empty()) {
      failure_ = render_text(assembled.errors[0]);
      return false;
    }
    outcomes_.assign(machines_.size(), {});
    for (size_t i = 0; i < machines_.size(); ++i) {
      auto report = machines_[i]->run(assembled.program);
      if (!report.ok()) outcomes_[i] = render_text(report.error());
    }
    return true;
  }
  // Empty when all states and outcomes are equal; else what differs first.
  std::string difference() const {
    for (size_t i = 1; i < machines_.size(); ++i) {
      if (outcomes_[i] != outcomes_[0]) return fmt::format("{}: {}", settings_[i].name, outcomes_[i]);
      if (state(i) != state(0)) return fmt::format("{} and {}: {}", settings_[0].name, settings_[i].name, place(i));
    }
    return {};
  }
  const std::string& failure() const { return failure_; }
  const std::string& outcome() const { return outcomes_[0]; }

  // Whether these lines alone make a difference, from a fresh state.
  bool differs(const std::vector<std::string>& lines) {
    reset();
    return run(lines) && !difference().empty();
  }
  // Drops pieces, half as large every time, as long as the difference stays.
  std::vector<std::string> reduced(std::vector<std::string> lines) {
    for (size_t piece = std::max<size_t>(1, lines.size() / 2);; piece = std::max<size_t>(1, piece / 2)) {
      bool dropped = false;
      for (size_t at = 0; at < lines.size();) {
        auto fewer = lines;
        const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
        fewer.erase(from, from + static_cast<std::ptrdiff_t>(std::min(piece, lines.size() - at)));
        if (!fewer.empty() && differs(fewer)) {
          lines = std::move(fewer);
          dropped = true;
        } else {
          at += piece;
        }
      }
      if (piece == 1 && !dropped) return lines;
    }
  }

 private:
  // Strict mode saves more: what it knows stands behind the memories, so only like settings compare by bytes.
  std::string state(size_t i) const { return machines_[i]->save_state(); }
  std::string place(size_t i) const {
    struct Span {
      isa::Mem mem;
      const char* name;
      size_t count;
    };
    static constexpr Span kPe[] = {
        {isa::Mem::kLm0, "$lm", 2048}, {isa::Mem::kLm1, "$ln", 2048},  {isa::Mem::kGrf0, "$lr", 256},
        {isa::Mem::kGrf1, "$ls", 256}, {isa::Mem::kT, "$t", 8},        {isa::Mem::kOmr, "$omr", 16},
        {isa::Mem::kMauf, "$mauf", 8}, {isa::Mem::kAluf, "$aluf", 8},  {isa::Mem::kMatX, "$lx", 64},
        {isa::Mem::kMatY, "$ly", 64},  {isa::Mem::kL1bm, "$lb", 8192}, {isa::Mem::kL2bm, "$lc", 32768}};
    UnitCoord u;
    for (u.g = 0; u.g < config_.groups; ++u.g)
      for (u.s = 0; u.s < config_.l2bs_per_group; ++u.s)
        for (u.b = 0; u.b < config_.l1bs_per_l2b; ++u.b)
          for (u.m = 0; u.m < config_.mabs_per_l1b; ++u.m)
            for (u.p = 0; u.p < config_.pes_per_mab; ++u.p)
              for (const Span& s : kPe) {
                std::vector<uint64_t> a(s.count), b(s.count);
                if (!machines_[0]->read_span(s.mem, u, 0, a).ok() || !machines_[i]->read_span(s.mem, u, 0, b).ok())
                  continue;
                for (size_t k = 0; k < s.count; ++k)
                  if (a[k] != b[k])
                    return fmt::format("{} long word {} of n{}c{}b{}m{}p{}: {:016x} and {:016x}", s.name, k, u.g, u.s,
                                       u.b, u.m, u.p, a[k], b[k]);
              }
    return "a memory of the upper levels or a register";
  }

  const MachineConfig& config_;
  std::vector<Setting> settings_;
  std::vector<std::unique_ptr<emu::Machine>> machines_;
  std::vector<std::string> outcomes_;
  std::string failure_;
};

}  // namespace kumihimo::mncore2::emu_test
