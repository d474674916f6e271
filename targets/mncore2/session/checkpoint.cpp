// A session as a file: Session::save and Session::restore.
//
//   "KMHSTATE"  version  identity of the options  lines before the position  position  state  checksum of all before it
//
// Version 2 added the printed part of a `d get` to the position; version 1 is read.
//
// Numbers are little-endian, 64 bits. The lines before the position are kept as text, so that a restored session can only
// go on in a program that begins as the one that made the state; what follows the position may differ.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/checksum.h"
#include "targets/mncore2/emu/dump.h"
#include "targets/mncore2/emu/rows.h"
#include "targets/mncore2/emu/state_bytes.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/session/session.h"

namespace kumihimo::mncore2::session {
namespace {

constexpr std::string_view kMagic = "KMHSTATE";
constexpr uint64_t kVersion = 2;
constexpr size_t kChecksumBytes = 8;

Diagnostic refuse(std::string observed, std::string required) {
  Diagnostic d = emu::error("emu_state", "the saved state cannot be used", {});
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

std::string_view nth_line(std::string_view text, size_t n) {
  for (; n > 0 && !text.empty(); --n) text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  return text.substr(0, text.find('\n'));
}

// The first line in which two texts differ, for the refusal.
Diagnostic other_program(std::string_view saved, std::string_view loaded) {
  const auto [a, b] = std::ranges::mismatch(saved, loaded);
  const auto line = static_cast<size_t>(std::count(saved.begin(), a, '\n'));
  return refuse(fmt::format("statement {} of the saved run is `{}`, of this program `{}`", line + 1,
                            nth_line(saved, line), nth_line(loaded, line)),
                "a program that begins with the statements that made the state");
}

}  // namespace

std::string Session::prefix_text() const {
  // A line that is done in part belongs to what was executed.
  const size_t end = std::min(end_line_, position_.line + (position_.nops + position_.dumped > 0 ? 1 : 0));
  std::string out;
  for (size_t i = 0; i < end; ++i) {
    isa::append(out, program_.lines[i]);
    out += '\n';
  }
  return out;
}

Result<std::string> Session::save() const {
  if (failed_) return emu::error("emu_session", "the last run of this session ended with an error: reset it first");
  emu::ByteWriter out;
  out.u64(kVersion);
  out.text(identity(options_));
  out.text(prefix_text());
  out.u64(position_.line);
  out.u64(position_.nops);
  out.u64(position_.step);
  out.u64(position_.dumped);
  out.text(machine_->save_state());
  std::string file(kMagic);
  file += out.take();
  emu::ByteWriter sum;
  sum.u64(checksum64(file));
  file += sum.take();
  return file;
}

Status Session::restore(std::string_view bytes) {
  if (!loaded_) return emu::error("emu_session", "the session has no program: load the one that made the state first");
  if (!bytes.starts_with(kMagic))
    return refuse(bytes.size() < kMagic.size() ? fmt::format("{} bytes", bytes.size()) : "another kind of file",
                  "a file that begins with KMHSTATE");
  emu::ByteReader in(bytes.substr(kMagic.size()));
  const uint64_t version = in.u64();
  if (in.ok() && (version == 0 || version > kVersion))
    return refuse(fmt::format("version {}", version),
                  fmt::format("versions 1 to {}, which this build reads", kVersion));
  if (bytes.size() < kMagic.size() + 2 * kChecksumBytes) return refuse("an end inside the header", "the whole file");
  const size_t body = bytes.size() - kChecksumBytes;
  emu::ByteReader sum(bytes.substr(body));
  if (sum.u64() != checksum64(bytes.substr(0, body)))
    return refuse(fmt::format("{} bytes whose checksum does not fit", bytes.size()),
                  "the file as it was written: it is cut short or changed");
  in = emu::ByteReader(bytes.substr(kMagic.size() + 8, body - kMagic.size() - 8));
  const std::string who = in.text(), prefix = in.text();
  Position position;
  position.line = in.u64();
  position.nops = in.u64();
  position.step = in.u64();
  if (version >= 2) position.dumped = in.u64();
  const std::string state = in.text();
  if (!in.ok() || !in.at_end()) return refuse("parts that do not fit each other", "a file of this format");
  if (who != identity(options_)) return refuse("options " + who, "options " + identity(options_));
  // The program's own beginning decides where the position lies.
  const Position old = std::exchange(position_, position);
  const bool in_line = position.line < end_line_;
  const bool inside = position.line <= end_line_ &&
                      (position.nops == 0 || (in_line && position.nops < steps_of(position.line))) &&
                      (position.dumped == 0 || (in_line && dump_lines_left(position.line) > 0));
  const std::string mine = inside ? prefix_text() : std::string();
  position_ = old;
  if (!inside || mine != prefix) return other_program(prefix, inside ? mine : isa::print(program_));
  Status s = machine_->load_state(state);
  failed_ = !s.ok();
  if (!s.ok()) return s;
  position_ = position;
  base_addresses_changed();
  return Ok{};
}

}  // namespace kumihimo::mncore2::session
