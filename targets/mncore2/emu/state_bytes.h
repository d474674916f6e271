// The machine's state as bytes, in an order and a form that do not depend on how it is laid out in memory.
//
// Memories are long words in address order, written as runs: literal words, then one word repeated. What was never
// written costs a few bytes. Numbers are little-endian. Readers trust nothing: a length that does not fit ends reading.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "targets/mncore2/sem/state.h"

namespace kumihimo::mncore2::emu {

class ByteWriter {
 public:
  void u8(uint8_t v) { out_.push_back(static_cast<char>(v)); }
  void u64(uint64_t v);
  void text(std::string_view s);
  void words(std::span<const uint64_t> words);
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// After a fault every read gives zeros; ok() says whether there was one.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  uint8_t u8();
  uint64_t u64();
  std::string text();
  void words(std::span<uint64_t> words);
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

 private:
  std::string_view take(size_t n);
  std::string_view rest_;
  bool ok_ = true;
};

// Memories, registers and their shadows. read_units expects a state as after Machine::create.
void write_units(const MachineState& state, ByteWriter& out);
void read_units(const MachineState& state, ByteReader& in);

}  // namespace kumihimo::mncore2::emu
