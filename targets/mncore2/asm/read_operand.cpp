#include "targets/mncore2/asm/read_operand.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "targets/mncore2/isa/memories.h"

namespace kumihimo::mncore2::vsm {
namespace {

using isa::AddrMode;
using isa::Mem;
using isa::Operand;
using isa::Width;
namespace diag = isa::diag;
using isa::cat;

// Addresses are read up to this value; whether they fit their memory is the checker's question.
constexpr int64_t kMaxAddress = std::numeric_limits<int32_t>::max();

struct OperandReader {
  Cursor& cursor;
  const Reporter& reporter;
  ReadOperand& out;

  bool fail(const DiagDef& def, std::string headline, std::string required = {}) {
    cursor.skip_word();
    reporter.error(def, out.begin, cursor.at, std::move(headline),
                   std::string(cursor.text.substr(out.begin, cursor.at - out.begin)), std::move(required));
    return false;
  }

  bool address(int32_t& value) {
    int64_t v = 0;
    if (!cursor.number(v, kMaxAddress))
      return fail(diag::kNumber, is_digit(cursor.peek()) ? "number too large" : "a number is needed here");
    value = static_cast<int32_t>(v);
    return true;
  }

  // INT [v [INT]] or [a,b,c,d]
  bool pe_address(Operand& op) {
    out.has_addr = true;
    if (cursor.take('[')) {
      op.mode = AddrMode::kFlat;
      for (size_t c = 0; c < 4; ++c) {
        cursor.skip_space();
        if (!address(op.addr[c])) return false;
        cursor.skip_space();
        if (!cursor.take(c < 3 ? ',' : ']'))
          return fail(diag::kSyntax, "an address list has four numbers", "[a,b,c,d]");
      }
      return true;
    }
    int32_t base = 0;
    if (!address(base)) return false;
    op.addr.fill(base);
    return stride(op);
  }

  bool stride(Operand& op) {
    if (!cursor.take('v')) return true;
    op.mode = AddrMode::kStride;
    op.stride = isa::width_words(op.width);
    if (is_digit(cursor.peek())) {
      if (!address(op.stride)) return false;
      op.explicit_stride = true;
    }
    // Sums wrap modulo the memory (ISA 1.2); an out-of-range base stays visible for the checker.
    const int64_t count = isa::address_count(op.mem);
    if (op.addr[0] < count)
      for (size_t c = 1; c < 4; ++c)
        op.addr[c] = static_cast<int32_t>((op.addr[0] + op.stride * static_cast<int64_t>(c)) % count);
    return true;
  }

  bool pe_memory(Mem mem, Width width) {
    Operand& op = out.op;
    op.mem = mem;
    op.width = width;
    if (cursor.peek() == 't' && mem == Mem::kLm0) {
      ++cursor.at;
      op.t_indirect = true;
      if (is_digit(cursor.peek()) || cursor.peek() == '[') {
        if (!pe_address(op)) return false;
      } else if (!stride(op)) {
        return false;
      }
    } else if (!pe_address(op)) {
      return false;
    }
    if (cursor.take('j')) {
      int64_t j = 0;
      if (!cursor.number(j, 9)) return fail(diag::kNumber, "j is followed by a PE number", "j0 to j3");
      op.j = static_cast<int8_t>(j);
    }
    return finish();
  }

  bool plain(Mem mem, Width width = Width::kDlw) {
    out.op.mem = mem;
    out.op.width = width;
    return finish();
  }

  bool addressed(Mem mem, Width width) {
    out.op.mem = mem;
    out.op.width = width;
    out.has_addr = true;
    if (!address(out.op.addr[0])) return false;
    return finish();
  }

  // @g, @.s, @g.s ; e, r ; /mask
  bool finish() {
    Operand& op = out.op;
    if (cursor.take('@')) {
      int64_t v = 0;
      if (is_digit(cursor.peek())) {
        if (!cursor.number(v, 9)) return fail(diag::kNumber, "group number too large", "@0 to @3");
        op.group = static_cast<int8_t>(v);
      }
      if (cursor.take('.')) {
        if (!cursor.number(v, 9)) return fail(diag::kNumber, "the L2B of a group is 0 or 1", "@.0 or @.1");
        op.sub = static_cast<int8_t>(v);
      }
      if (op.group < 0 && op.sub < 0)
        return fail(diag::kSyntax, "a group selector is needed after @", "@g, @.s or @g.s");
    }
    if (cursor.peek() == 'e' || cursor.peek() == 'r') op.convert = cursor.text[cursor.at++];
    if (cursor.take('/')) {
      if (!read_mask(cursor, op.mask))
        return fail(diag::kSyntax, "a mask is needed after /", "/1000, /ll1000, /$imr1 or /$llimr1");
    }
    if (!cursor.end_of_word()) return fail(diag::kSyntax, "unexpected text in an operand");
    out.end = cursor.at;
    return true;
  }

  bool unknown() {
    return fail(diag::kUnknownOperand, "unknown operand",
                "$m $n $r $s (with l or ll) and an address, $t, $mauf, $aluf, $lbf, $lb, $lc, $p, $d, ...");
  }

  // Letters after '$'; the longest spelling decides.
  bool memory_operand() {
    const std::string_view rest = cursor.text.substr(cursor.at);
    size_t letters = 0;
    while (letters < rest.size() && is_lower(rest[letters])) ++letters;
    // Width prefix, then one memory letter with an address: the common case.
    size_t prefix = 0;
    while (prefix < 2 && prefix < letters && rest[prefix] == 'l') ++prefix;
    const Width width = prefix == 0 ? Width::kW : prefix == 1 ? Width::kLw : Width::kDlw;
    const char memory = prefix < rest.size() ? rest[prefix] : '\0';
    const char next = prefix + 1 < rest.size() ? rest[prefix + 1] : '\0';
    const bool number_next = is_digit(next);
    auto accept = [&](size_t length) { cursor.at += length; };
    if (number_next || next == '[') {
      switch (memory) {
        case 'm': accept(prefix + 1); return pe_memory(Mem::kLm0, width);
        case 'n': accept(prefix + 1); return pe_memory(Mem::kLm1, width);
        case 'r': accept(prefix + 1); return pe_memory(Mem::kGrf0, width);
        case 's': accept(prefix + 1); return pe_memory(Mem::kGrf1, width);
        case 'x': accept(prefix + 1); return addressed(Mem::kMatX, width);
        case 'y': accept(prefix + 1); return addressed(Mem::kMatY, width);
        case 'b':
          if (prefix == 0) break;
          accept(prefix + 1);
          return addressed(Mem::kL1bm, width);
        case 'c':
          if (prefix != 1) break;
          accept(prefix + 1);
          return addressed(Mem::kL2bm, width);
        case 'p':
          if (prefix != 0) break;
          accept(1);
          return addressed(Mem::kPdm, Width::kLw);
        case 'd':
          if (prefix != 0) break;
          accept(1);
          return addressed(Mem::kDram, Width::kLw);
        default: break;
      }
    }
    // Fixed words that need no width.
    struct Word {
      std::string_view text;
      Mem mem;
    };
    static constexpr Word kWords[] = {
        {"mauf", Mem::kMauf},       {"aluf", Mem::kAluf},   {"lbf", Mem::kLbf},     {"mreadf", Mem::kMreadf},
        {"nowrite", Mem::kNowrite}, {"l2bid", Mem::kL2bid}, {"l1bid", Mem::kL1bid}, {"mabid", Mem::kMabid},
        {"subpeid", Mem::kSubpeid}, {"peid", Mem::kPeid},   {"msb1", Mem::kMsb1},
    };
    for (const Word& word : kWords) {
      if (rest.substr(0, word.text.size()) != word.text) continue;
      accept(word.text.size());
      return plain(word.mem, word.mem == Mem::kNowrite ? Width::kLw : Width::kDlw);
    }
    if (rest.substr(0, 3) == "omr") {
      accept(3);
      return addressed(Mem::kOmr, Width::kLw);
    }
    const std::string_view name = rest.substr(prefix, letters - prefix);
    if (memory == 'm' && next == 't') {
      accept(prefix + 1);
      return pe_memory(Mem::kLm0, width);
    }
    if (memory == 't' && (name.size() == 1 || (name.size() == 2 && (next == 'e' || next == 'r')))) {
      accept(prefix + 1);
      return plain(Mem::kT);
    }
    if (prefix <= 1 && (name == "mb" || name == "nb")) {
      accept(prefix + 2);
      return plain(memory == 'm' ? Mem::kBar0 : Mem::kBar1, Width::kLw);
    }
    if (prefix == 1 && (name == "x" || name == "y")) {
      accept(prefix + 1);
      return plain(memory == 'x' ? Mem::kMatX : Mem::kMatY, Width::kLw);
    }
    if (prefix >= 1 && name == "bi") {
      accept(prefix + 2);
      return plain(Mem::kTurnaround, width);
    }
    if (prefix == 0 && name == "dar" && letters < rest.size() && is_digit(rest[letters])) {
      accept(3);
      return addressed(Mem::kDar, Width::kLw);
    }
    if (prefix == 0 && name == "di" && letters < rest.size() && is_digit(rest[letters])) {
      accept(2);
      return addressed(Mem::kDramIndirect, Width::kLw);
    }
    return unknown();
  }

  // [u](f|i|s)"text"
  bool literal() {
    out.is_literal = true;
    const bool is_unsigned = cursor.peek() == 'u';
    if (is_unsigned) ++cursor.at;
    const char type = cursor.peek();
    if ((type != 'f' && type != 'i' && type != 's') || cursor.peek(1) != '"' || (is_unsigned && type == 'f'))
      return fail(diag::kLiteral, "a literal or an operand is needed here",
                  "f\"0.5\", i\"3\", ui\"0x10\", s\"7\" or $...");
    cursor.at += 2;
    const size_t begin = cursor.at;
    while (!cursor.end() && cursor.peek() != '"') ++cursor.at;
    if (cursor.end()) return fail(diag::kLiteral, "the literal has no closing quote");
    const std::string body(cursor.text.substr(begin, cursor.at - begin));
    ++cursor.at;
    if (body.empty() || body.size() > 64 || is_space(body[0])) return fail(diag::kLiteral, "the literal has no value");
    const bool negative = body[0] == '-';
    const std::string digits = negative || body[0] == '+' ? body.substr(1) : body;
    if (digits.empty() || digits[0] == '-' || digits[0] == '+') return fail(diag::kLiteral, "the literal has no value");
    if (type == 'f') {
      // The nearest single, ties to even (ISA 3.4 [X]); whatever the process's locale says.
      float value = 0;
      const char* last = digits.data() + digits.size();
      const auto [stop, code] = std::from_chars(digits.data(), last, value);
      if (code == std::errc::result_out_of_range) return fail(diag::kLiteral, "the float does not fit a single");
      if (code != std::errc{} || stop != last || std::isnan(value)) return fail(diag::kLiteral, "not a decimal float");
      if (negative) value = -value;
      std::memcpy(&out.literal, &value, 4);
    } else if (!integer(digits, negative, is_unsigned, type == 's' ? 16 : 32)) {
      return fail(diag::kLiteral, "not an integer of this size",
                  type == 's' ? "16 bits, decimal or 0x" : "32 bits, decimal or 0x");
    }
    if (!cursor.end_of_word()) return fail(diag::kSyntax, "unexpected text after the literal");
    out.end = cursor.at;
    return true;
  }

  bool integer(const std::string& digits, bool negative, bool is_unsigned, int bits) {
    const bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    uint64_t value = 0;
    if (digits.empty()) return false;
    for (size_t i = hex ? 2 : 0; i < digits.size(); ++i) {
      const int d = hex ? hex_value(digits[i]) : is_digit(digits[i]) ? digits[i] - '0' : -1;
      if (d < 0) return false;
      value = value * (hex ? 16 : 10) + static_cast<uint64_t>(d);
      if (value >> bits != 0) return false;
    }
    if (negative) {
      if (is_unsigned || value > uint64_t{1} << (bits - 1)) return false;
      value = (~value + 1) & ((uint64_t{1} << bits) - 1);
    }
    out.literal = static_cast<uint32_t>(bits == 16 ? value << 16 | value : value);
    return true;
  }
};

}  // namespace

bool read_mask(Cursor& cursor, isa::MaskSpec& mask) {
  Cursor c = cursor;
  mask = {};
  mask.present = true;
  if (c.take('$')) {
    mask.ll = c.take("ll");
    int64_t entry = 0;
    if (!c.take("imr") || !c.number(entry, 255)) return false;
    mask.entry = static_cast<uint8_t>(entry);
  } else {
    mask.literal = true;
    mask.ll = c.take("ll");
    unsigned pattern = 0;
    for (int i = 0; i < 4; ++i, ++c.at) {
      if (c.peek() != '0' && c.peek() != '1') return false;
      pattern = pattern << 1 | static_cast<unsigned>(c.peek() - '0');
    }
    mask.entry = static_cast<uint8_t>(16 + pattern);
  }
  if (c.peek() == 't' || c.peek() == 'p') mask.suffix = c.text[c.at++];
  cursor = c;
  return true;
}

bool read_operand(Cursor& cursor, const Reporter& reporter, ReadOperand& out) {
  out = {};
  out.begin = cursor.at;
  OperandReader reader{cursor, reporter, out};
  const bool negate = cursor.peek() == '-' && cursor.peek(1) == '$';
  if (negate) ++cursor.at;
  if (cursor.take('$')) {
    out.op.negate = negate;
    return reader.memory_operand();
  }
  return reader.literal();
}

}  // namespace kumihimo::mncore2::vsm
