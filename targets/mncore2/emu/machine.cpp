#include "targets/mncore2/emu/machine.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "targets/mncore2/emu/access.h"
#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/emu/dump.h"
#include "targets/mncore2/emu/engine.h"
#include "targets/mncore2/emu/rows.h"
#include "targets/mncore2/emu/state_bytes.h"
#include "targets/mncore2/emu/strict.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Line;
using isa::Mem;

// An array of plain blocks, all zero, whose pages cost nothing until they are touched.
template <class T>
class Blocks {
 public:
  Blocks() = default;
  explicit Blocks(size_t count) : bytes_(count * sizeof(T)) {
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(p);
  }
  ~Blocks() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Blocks(Blocks&& o) noexcept : data_(std::exchange(o.data_, nullptr)), bytes_(o.bytes_) {}
  Blocks& operator=(Blocks&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  T* get() const { return data_; }
  std::span<T> span() const { return {data_, bytes_ / sizeof(T)}; }

 private:
  T* data_ = nullptr;
  size_t bytes_ = 0;
};

void poison_mab(Mab& mab, uint64_t poison) {
  const auto fill = [&](auto& block) {
    auto* first = reinterpret_cast<uint64_t*>(&block);
    std::fill(first, first + sizeof block / sizeof(uint64_t), poison);
  };
  fill(mab.lm);
  fill(mab.grf);
  fill(mab.t);
  fill(mab.latch);
  for (MatrixSide& side : mab.mat) fill(side.raw);
  for (auto& entry : mab.omr)
    for (uint16_t& bits : entry) bits = static_cast<uint16_t>(poison);
  // BARs start at 0: programs rely on it without writing them.
}

void poison_dar(Dar& dar, uint64_t poison) {
  std::fill(std::begin(dar.entry), std::end(dar.entry), static_cast<uint32_t>(poison));
}

class MachineImpl final : public Machine {
 public:
  MachineImpl(const MachineConfig& config, const EmuOptions& options) : config_(config), options_(options) {
    allocate();
    int threads = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    threads = std::clamp(threads, 1, state_.l2bs());
    engine_.emplace(state_, options_.switches, threads, options_.path);
  }

  Result<RunReport> run(const isa::Program& program, const RunOptions& run_options) override;

  void reset() override {
    allocate();
    masks_ = {};
    findings_.clear();
    in_flight_.clear();
    FindingLog dropped;
    engine_->collect_findings(dropped);
  }

  Result<uint64_t> read_lw(Mem mem, UnitCoord unit, int64_t addr) const override {
    uint64_t value = 0;
    Status s = read_span(mem, unit, addr, {&value, 1});
    if (!s.ok()) return s.take_error();
    return value;
  }
  Status write_lw(Mem mem, UnitCoord unit, int64_t addr, uint64_t value) override {
    return write_span(mem, unit, addr, {&value, 1}, {});
  }
  Status read_span(Mem mem, UnitCoord unit, int64_t addr, std::span<uint64_t> out) const override {
    Status s = access().check(mem, unit, addr, static_cast<int64_t>(out.size()));
    if (s.ok()) access().read(mem, unit, addr, static_cast<int64_t>(out.size()), out.data(), nullptr);
    return s;
  }
  Status write_span(Mem mem, UnitCoord unit, int64_t addr, std::span<const uint64_t> values,
                    std::span<const uint8_t> lanes) override {
    if (!lanes.empty() && lanes.size() != values.size())
      return error("emu_memory", "as many sets of lanes as long words are needed, or none");
    Status s = access().check(mem, unit, addr, static_cast<int64_t>(values.size()));
    if (s.ok())
      access().write(mem, unit, addr, static_cast<int64_t>(values.size()), values.data(),
                     lanes.empty() ? nullptr : lanes.data());
    return s;
  }
  Result<uint8_t> defined_lanes(Mem mem, UnitCoord unit, int64_t addr) const override {
    uint8_t def = 0;
    Status s = defined_span(mem, unit, addr, {&def, 1});
    if (!s.ok()) return s.take_error();
    return def;
  }
  Status defined_span(Mem mem, UnitCoord unit, int64_t addr, std::span<uint8_t> out) const override {
    Status s = access().check(mem, unit, addr, static_cast<int64_t>(out.size()));
    if (!s.ok()) return s;
    std::vector<uint64_t> values(out.size());
    access().read(mem, unit, addr, static_cast<int64_t>(out.size()), values.data(), out.data());
    return s;
  }

  std::vector<Diagnostic> findings() const override { return findings_; }
  std::string save_state() const override;
  Status load_state(std::string_view bytes) override;
  const MachineConfig& config() const override { return config_; }
  const EmuOptions& options() const override { return options_; }

 private:
  Access access() const { return Access(state_, config_); }

  void allocate() {
    const auto l2bs = static_cast<size_t>(config_.l2bs()), l1bs = static_cast<size_t>(config_.l1bs()),
               mabs = static_cast<size_t>(config_.mabs());
    const bool strict = options_.strict;
    mabs_ = Blocks<Mab>(mabs);
    l1bms_ = Blocks<L1bm>(l1bs);
    l2bms_ = Blocks<L2bm>(l2bs);
    if (strict) {
      mab_defs_ = Blocks<MabDef>(mabs);
      l1bm_defs_ = Blocks<L1bmDef>(l1bs);
      l2bm_defs_ = Blocks<L2bmDef>(l2bs);
    }
    const auto groups = static_cast<size_t>(config_.groups);
    dars_.assign(groups, {});
    dar_defs_.assign(strict ? groups : 0, {});
    pdms_.clear();
    drams_.clear();
    for (int64_t g = 0; g < config_.groups; ++g) {
      pdms_.emplace_back(config_.pdm_lw, options_.poison, strict);
      drams_.emplace_back(config_.dram_lw, options_.poison, strict);
    }
    if (options_.poison != 0) {
      for (Dar& dar : dars_) poison_dar(dar, options_.poison);
      for (Mab& mab : mabs_.span()) poison_mab(mab, options_.poison);
      for (L1bm& m : l1bms_.span()) {
        std::fill(std::begin(m.lw), std::end(m.lw), options_.poison);
        for (auto& cycle : m.turn) std::fill(std::begin(cycle), std::end(cycle), options_.poison);
      }
      for (L2bm& m : l2bms_.span()) std::fill(std::begin(m.lw), std::end(m.lw), options_.poison);
    }
    state_.groups = static_cast<int>(config_.groups);
    state_.l2bs_per_group = static_cast<int>(config_.l2bs_per_group);
    state_.l1bs_per_l2b = static_cast<int>(config_.l1bs_per_l2b);
    state_.mabs = mabs_.get();
    state_.l1bms = l1bms_.get();
    state_.l2bms = l2bms_.get();
    state_.mab_defs = mab_defs_.get();
    state_.l1bm_defs = l1bm_defs_.get();
    state_.l2bm_defs = l2bm_defs_.get();
    state_.pdms = pdms_.data();
    state_.drams = drams_.data();
    state_.dars = dars_.data();
    state_.dar_defs = strict ? dar_defs_.data() : nullptr;
  }

  Result<RunReport> execute(const Decoded& decoded, const isa::Program& program, const RunOptions& run_options);
  void check_in_flight(const Decoded& decoded, const isa::Program& program, FindingLog& log);
  Status debug_or_host(const Item& item, const Line& line, const RunOptions& run_options, RunReport& report);

  const MachineConfig config_;
  const EmuOptions options_;
  Blocks<Mab> mabs_;
  Blocks<L1bm> l1bms_;
  Blocks<L2bm> l2bms_;
  Blocks<MabDef> mab_defs_;
  Blocks<L1bmDef> l1bm_defs_;
  Blocks<L2bmDef> l2bm_defs_;
  std::vector<LwMemory> pdms_, drams_;
  std::vector<Dar> dars_;
  std::vector<DarDef> dar_defs_;
  MachineState state_;
  std::optional<Engine> engine_;
  MaskState masks_;
  InFlight in_flight_;
  std::vector<Diagnostic> findings_;
};

// A later part of a `d get` found what an earlier part had found: the count grows, the first place stays.
bool joined_to_earlier(const Diagnostic& d, std::vector<Diagnostic>& earlier) {
  const auto same = [&](const Diagnostic& e) { return e.def == d.def && e.where.line == d.where.line && e.op == d.op; };
  const auto it = std::find_if(earlier.rbegin(), earlier.rend(), same);
  if (it == earlier.rend()) return false;
  const auto count = [](const Diagnostic& e) {
    for (const auto& [name, value] : e.bound)
      if (name == "count") return std::stoull(value);
    return 0ULL;
  };
  for (auto& [name, value] : it->bound)
    if (name == "count") value = std::to_string(count(*it) + count(d));
  return true;
}

// Long words that a debug or host statement touches, for the check against running MVs.
std::optional<isa::MvRange> touched(const Line& line) {
  const isa::DebugMem& m = line.mem;
  if (line.kind == isa::LineKind::kHostRow || line.kind == isa::LineKind::kHostDma)
    return isa::MvRange{m.mem, static_cast<uint8_t>(1 << m.n), m.addr, static_cast<int64_t>(line.payload.size())};
  const bool l2b = m.mem == Mem::kL2bm;
  if (!l2b && m.mem != Mem::kPdm && m.mem != Mem::kDram) return std::nullopt;
  uint8_t instances = 0;
  for (int g = 0; g < 4; ++g)
    for (int s = 0; s < (l2b ? 2 : 1); ++s)
      if ((m.n < 0 || m.n == g) && (!l2b || m.c < 0 || m.c == s))
        instances |= static_cast<uint8_t>(1 << (l2b ? 2 * g + s : g));
  return isa::MvRange{m.mem, instances, m.addr, (m.width == isa::Width::kDlw ? 2 : 1) * int64_t{line.count}};
}

void MachineImpl::check_in_flight(const Decoded& decoded, const isa::Program& program, FindingLog& log) {
  size_t next_wait = 0;
  for (size_t i = 0; i <= decoded.items.size(); ++i) {
    for (; next_wait < decoded.waits.size() && decoded.waits[next_wait].item <= i; ++next_wait)
      in_flight_.wait(decoded.waits[next_wait].tag);
    if (i == decoded.items.size()) break;
    const Item& item = decoded.items[i];
    switch (item.kind) {
      case Item::Kind::kStep: in_flight_.step(decoded.steps[item.index], log); break;
      case Item::Kind::kMv: in_flight_.mv(*decoded.mvs[item.index], log); break;
      case Item::Kind::kDar: in_flight_.dar(*decoded.mvs[item.index], log); break;
      case Item::Kind::kGet:
      case Item::Kind::kSet:
      case Item::Kind::kHost:
        if (const auto range = touched(program.lines[item.line]))
          in_flight_.access(*range, item.kind != Item::Kind::kGet, item.line, log);
    }
  }
}

Status MachineImpl::debug_or_host(const Item& item, const Line& line, const RunOptions& run_options,
                                  RunReport& report) {
  switch (item.kind) {
    case Item::Kind::kGet: {
      if (!run_options.sink && !options_.strict) return Ok{};
      Findings* findings = options_.strict && options_.strict_dumps ? engine_->log() : nullptr;
      return dump({state_, config_, run_options.sink, &report.dump_lines, findings, run_options.dump_window}, line,
                  item.line, run_options.file);
    }
    case Item::Kind::kSet: return debug_set(state_, config_, line, run_options.file);
    case Item::Kind::kHost: {
      Status s = write_span(line.mem.mem, {line.mem.n, 0, 0, 0, 0}, line.mem.addr, line.payload, {});
      if (!s.ok()) {
        Diagnostic d = s.take_error();
        d.where = where_of(line, run_options.file);
        return d;
      }
      return Ok{};
    }
    case Item::Kind::kStep:
    case Item::Kind::kMv:
    case Item::Kind::kDar: break;
  }
  return Ok{};
}

Result<RunReport> MachineImpl::run(const isa::Program& program, const RunOptions& run_options) {
  FindingLog log;
  MaskState masks = masks_;
  auto decoded = decode(program, run_options.first_line, run_options.last_line, config_, run_options.file, masks,
                        options_.strict ? &log : nullptr);
  if (!decoded.ok()) return decoded.take_error();
  masks_ = masks;
  engine_->choose_kernels(decoded->ops);
  if (options_.strict && run_options.dump_window.first == 0) check_in_flight(*decoded, program, log);
  auto result = execute(*decoded, program, run_options);
  // What was found before an error or an interruption was found.
  if (options_.strict) {
    engine_->collect_findings(log);
    for (Diagnostic& d : describe(log, program, run_options.file)) {
      if (run_options.dump_window.first > 0 && joined_to_earlier(d, findings_)) continue;
      findings_.push_back(std::move(d));
    }
  }
  return result;
}

Result<RunReport> MachineImpl::execute(const Decoded& decoded, const isa::Program& program,
                                       const RunOptions& run_options) {
  RunReport report = decoded.counts;
  const auto& items = decoded.items;
  const auto stopped = [&] { return error("emu_interrupted", "the run was interrupted", {}); };
  size_t i = 0;
  while (i < items.size()) {
    const Item& item = items[i];
    if (item.kind == Item::Kind::kStep) {
      // Steps of neighbouring items are neighbours in `steps`.
      size_t j = i;
      while (j < items.size() && items[j].kind == Item::Kind::kStep) ++j;
      if (!engine_->run(std::span(decoded.steps).subspan(item.index, j - i), options_.order, run_options.interrupt))
        return stopped();
      i = j;
      continue;
    }
    if (engine_->interrupted(run_options.interrupt)) return stopped();
    if (item.kind == Item::Kind::kMv || item.kind == Item::Kind::kDar) {
      engine_->mv(*decoded.mvs[item.index]);
    } else {
      Status s = debug_or_host(item, program.lines[item.line], run_options, report);
      if (!s.ok()) return s.take_error();
    }
    ++i;
  }
  return report;
}

void save_finding(const Diagnostic& d, ByteWriter& out) {
  out.text(d.def->code);
  for (const std::string& s : {d.headline, d.op, d.operand, d.observed, d.required, d.where.file, d.where.text})
    out.text(s);
  out.u64(d.where.line);
  out.u64(d.where.column);
  out.u64(d.bound.size());
  for (const auto& [name, value] : d.bound) {
    out.text(name);
    out.text(value);
  }
}

Diagnostic load_finding(ByteReader& in) {
  Diagnostic d;
  const std::string code = in.text();
  for (const DiagDef& row : diagnostics())
    if (row.code == code) d.def = &row;
  if (d.def == nullptr) in.fail();
  for (std::string* s : {&d.headline, &d.op, &d.operand, &d.observed, &d.required, &d.where.file, &d.where.text})
    *s = in.text();
  d.where.line = static_cast<uint32_t>(in.u64());
  d.where.column = static_cast<uint32_t>(in.u64());
  for (uint64_t left = in.u64(); left > 0 && in.ok(); --left) {
    std::string name = in.text();
    d.bound.emplace_back(std::move(name), in.text());
  }
  return d;
}

std::string MachineImpl::save_state() const {
  ByteWriter out;
  out.text(config_.name);
  out.u8(options_.strict);
  out.u64(options_.poison);
  write_units(state_, out);
  out.u8(masks_.entry);
  out.u8(masks_.ll);
  out.u8(masks_.dsts);
  in_flight_.save(out);
  out.u64(findings_.size());
  for (const Diagnostic& d : findings_) save_finding(d, out);
  return out.take();
}

Status MachineImpl::load_state(std::string_view bytes) {
  ByteReader in(bytes);
  const std::string name = in.text();
  const bool strict = in.u8() != 0;
  const uint64_t poison = in.u64();
  if (in.ok() && (name != config_.name || strict != options_.strict || poison != options_.poison)) {
    Diagnostic d = error("emu_state", "the state belongs to a machine of another kind");
    d.observed = fmt::format("{}, strict {}, poison 0x{:x}", name, strict, poison);
    d.required = fmt::format("{}, strict {}, poison 0x{:x}", config_.name, options_.strict, options_.poison);
    return d;
  }
  reset();
  read_units(state_, in);
  masks_.entry = in.u8() & 31;
  masks_.ll = in.u8() != 0;
  masks_.dsts = in.u8();
  in_flight_.load(in);
  for (uint64_t left = in.u64(); left > 0 && in.ok(); --left) findings_.push_back(load_finding(in));
  if (in.ok() && in.at_end()) return Ok{};
  return error("emu_state", "the state is damaged: its parts do not fit each other");
}

}  // namespace

Result<std::unique_ptr<Machine>> Machine::create(const MachineConfig& config, const EmuOptions& options) {
  const bool fits = config.lm_words == 2 * kLmRows && config.grf_words == 2 * kGrfRows && config.l1bm_lw == kL1bmLw &&
                    config.l2bm_lw == kL2bmLw && config.mabs_per_l1b == kMabs && config.pes_per_mab == kPes &&
                    config.t_lw == 8 && config.omr_writable == kOmrEntries - 1;
  if (!fits) return error("emu_memory", "the emulator has fixed sizes below the L2B, and this machine has others");
  if (options.threads < 0) return error("emu_statement", "the number of threads is not negative");
  if (!fast::path_available(options.path)) {
    Diagnostic d = error("emu_path", "this processor cannot compute on the path asked for");
    d.observed = fmt::format("path {}", fast::path_name(options.path));
    d.required = "auto, or a path that this processor has";
    return d;
  }
  return std::unique_ptr<Machine>(std::make_unique<MachineImpl>(config, options));
}

}  // namespace kumihimo::mncore2::emu
