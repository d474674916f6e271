#include "targets/mncore2/emu/state_bytes.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kumihimo::mncore2::emu {

void ByteWriter::u64(uint64_t v) {
  for (int k = 0; k < 8; ++k) out_.push_back(static_cast<char>(v >> (8 * k)));
}

void ByteWriter::text(std::string_view s) {
  u64(s.size());
  out_.append(s);
}

// Each run: number of literal words, number of repetitions, the literals, the word that is repeated.
void ByteWriter::words(std::span<const uint64_t> words) {
  constexpr size_t kWorthARun = 4;
  size_t i = 0;
  while (i < words.size()) {
    // Where the next run of equal words begins.
    size_t j = i, length = 0;
    while (j < words.size()) {
      length = 1;
      while (j + length < words.size() && words[j + length] == words[j]) ++length;
      if (length >= kWorthARun) break;
      j += length;
      length = 0;
    }
    u64(j - i);
    u64(length);
    for (; i < j; ++i) u64(words[i]);
    if (length > 0) u64(words[j]);
    i = j + length;
  }
}

std::string_view ByteReader::take(size_t n) {
  if (n > rest_.size()) {
    fail();
    return {};
  }
  std::string_view out = rest_.substr(0, n);
  rest_.remove_prefix(n);
  return out;
}

uint8_t ByteReader::u8() {
  std::string_view s = take(1);
  return s.empty() ? 0 : static_cast<uint8_t>(s[0]);
}

uint64_t ByteReader::u64() {
  std::string_view s = take(8);
  uint64_t v = 0;
  for (size_t k = 0; k < s.size(); ++k) v |= static_cast<uint64_t>(static_cast<uint8_t>(s[k])) << (8 * k);
  return v;
}

std::string ByteReader::text() {
  const uint64_t n = u64();
  return std::string(take(n));
}

void ByteReader::words(std::span<uint64_t> words) {
  size_t i = 0;
  while (i < words.size()) {
    const uint64_t literal = u64(), repeated = u64();
    const size_t left = words.size() - i;
    if (!ok_ || literal > left || repeated > left - literal || literal + repeated == 0) {
      fail();
      std::fill(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), 0);
      return;
    }
    for (uint64_t k = 0; k < literal; ++k) words[i++] = u64();
    if (repeated > 0) std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(i), repeated, u64());
    i += repeated;
  }
}

namespace {

// One walk over every field serves both directions. Fields narrower than a long word are padded to whole words.
class Saving {
 public:
  explicit Saving(ByteWriter& out) : out_(out) {}
  template <class T>
  void operator()(T& field) {
    buffer_.assign((sizeof field + 7) / 8, 0);
    std::memcpy(buffer_.data(), &field, sizeof field);
    out_.words(buffer_);
  }

 private:
  ByteWriter& out_;
  std::vector<uint64_t> buffer_;
};

class Loading {
 public:
  explicit Loading(ByteReader& in) : in_(in) {}
  template <class T>
  void operator()(T& field) {
    buffer_.resize((sizeof field + 7) / 8);
    in_.words(buffer_);
    std::memcpy(&field, buffer_.data(), sizeof field);
  }

 private:
  ByteReader& in_;
  std::vector<uint64_t> buffer_;
};

template <class Walk>
void walk_mab(Walk& f, Mab& mab) {
  f(mab.lm);
  f(mab.grf);
  f(mab.t);
  for (int l = 0; l < kLatches; ++l) f(mab.latch[l][mab.latch_now[l]]);
  for (MatrixSide& side : mab.mat) f(side.raw);
  f(mab.omr);
  f(mab.bar);
}

template <class Walk>
void walk_mab_def(Walk& f, const Mab& mab, MabDef& def) {
  f(def.lm);
  f(def.grf);
  f(def.t);
  for (int l = 0; l < kLatches; ++l) f(def.latch[l][mab.latch_now[l]]);
  f(def.mat);
  f(def.mat_prec);
  f(def.omr);
  f(def.bar_undefined);
}

template <class Walk>
void walk_tree(Walk& f, const MachineState& state) {
  for (int b = 0; b < state.l1bs(); ++b) {
    f(state.l1bms[b].lw);
    f(state.l1bms[b].turn);
    f(state.l1bms[b].turn_rate);
    if (!state.strict()) continue;
    f(state.l1bm_defs[b].lw);
    f(state.l1bm_defs[b].turn);
  }
  for (int s = 0; s < state.l2bs(); ++s) {
    f(state.l2bms[s].lw);
    if (state.strict()) f(state.l2bm_defs[s].lw);
  }
  for (int g = 0; g < state.groups; ++g) {
    f(state.dars[g]);
    if (state.strict()) f(state.dar_defs[g]);
  }
}

void save_memory(const LwMemory& memory, Saving& save, ByteWriter& out) {
  out.u64(static_cast<uint64_t>(memory.pages_in_use()));
  memory.for_each_page([&](int64_t page, const LwMemory::Page& words, const LwMemory::PageDef* def) {
    out.u64(static_cast<uint64_t>(page));
    save(words.lw);
    if (def != nullptr) save(def->lw);
  });
}

void load_memory(LwMemory& memory, bool strict, Loading& load, ByteReader& in) {
  LwMemory::Page page;
  LwMemory::PageDef def;
  const auto pages = static_cast<uint64_t>((memory.capacity_lw() + LwMemory::kPageLw - 1) / LwMemory::kPageLw);
  for (uint64_t left = in.u64(); left > 0 && in.ok(); --left) {
    const uint64_t number = in.u64();
    if (number >= pages) {
      in.fail();
      return;
    }
    load(page.lw);
    if (strict) load(def.lw);
    const int64_t first = static_cast<int64_t>(number) * LwMemory::kPageLw;
    if (in.ok())
      memory.write(first, std::min(LwMemory::kPageLw, memory.capacity_lw() - first), page.lw,
                   strict ? def.lw : nullptr);
  }
}

}  // namespace

void write_units(const MachineState& state, ByteWriter& out) {
  Saving save(out);
  for (int m = 0; m < state.l1bs() * kMabs; ++m) {
    walk_mab(save, state.mabs[m]);
    if (state.strict()) walk_mab_def(save, state.mabs[m], state.mab_defs[m]);
  }
  walk_tree(save, state);
  for (int g = 0; g < state.groups; ++g) {
    save_memory(state.pdms[g], save, out);
    save_memory(state.drams[g], save, out);
  }
}

void read_units(const MachineState& state, ByteReader& in) {
  Loading load(in);
  for (int m = 0; m < state.l1bs() * kMabs && in.ok(); ++m) {
    Mab& mab = state.mabs[m];
    walk_mab(load, mab);
    if (state.strict()) walk_mab_def(load, mab, state.mab_defs[m]);
    // What is derived from the fields above.
    for (MatrixSide& side : mab.mat) side.changed();
    for (int k = 0; k < 2; ++k) {
      mab.bar_used[k] = false;
      for (int p = 0; p < kPes; ++p) {
        mab.bar[k][p] &= 0xfff;
        if (mab.bar[k][p] != 0 || (state.strict() && state.mab_defs[m].bar_undefined[k][p] != 0))
          mab.bar_used[k] = true;
      }
    }
  }
  walk_tree(load, state);
  for (int g = 0; g < state.groups && in.ok(); ++g) {
    const Dar& dar = state.dars[g];
    if (dar.filled < 0 || dar.filled > kDarBuffer || dar.next < 0 || dar.next > dar.filled || dar.base < 0) in.fail();
    load_memory(state.pdms[g], state.strict(), load, in);
    load_memory(state.drams[g], state.strict(), load, in);
  }
}

}  // namespace kumihimo::mncore2::emu
