#include "targets/mncore2/asm/read_host.h"

#include "targets/mncore2/isa/memories.h"

namespace kumihimo::mncore2::vsm {
namespace {

using isa::cat;
using isa::Mem;
namespace diag = isa::diag;

// ADDRESS COUNT HEX, the tail of both lines.
class HostReader {
 public:
  HostReader(Cursor& cursor, const Reporter& reporter, const char* op)
      : cursor_(cursor), reporter_(reporter), op_(op) {}

  bool bad(size_t at, std::string headline, std::string required) {
    Cursor c = cursor_;
    c.at = at;
    c.skip_word();
    reporter_.error(diag::kHostRow, at, c.at, std::move(headline), std::string(c.text.substr(at, c.at - at)),
                    std::move(required), op_);
    return false;
  }

  bool address(Mem mem, int64_t& addr) {
    cursor_.skip_space();
    const size_t at = cursor_.at;
    int digits = 0;
    addr = 0;
    for (; hex_value(cursor_.peek()) >= 0 && digits < 10; ++digits)
      addr = addr << 4 | hex_value(cursor_.text[cursor_.at++]);
    if (digits > 0 && digits <= 9 && is_space(cursor_.peek()) && addr < isa::address_count(mem)) return true;
    std::string last;
    for (int64_t v = isa::address_count(mem) - 1, shift = 32; shift >= 0; shift -= 4)
      last += "0123456789abcdef"[v >> shift & 15];
    return bad(at, "a long-word address of at most 9 hexadecimal digits is needed", cat("000000000 to ", last));
  }

  // The words end inside the memory.
  bool fits(size_t at, Mem mem, int64_t addr, int64_t count) {
    if (addr + count <= isa::address_count(mem)) return true;
    return bad(at, cat("the words end outside ", isa::memory(mem).name),
               cat("at most ", isa::address_count(mem) - addr, " from this address"));
  }

  // Public files only use 001, so that hexadecimal and decimal counts look alike (ISA 10.1); the payload decides.
  bool count(int64_t& count) {
    cursor_.skip_space();
    const size_t at = cursor_.at;
    int64_t hex = 0, decimal = 0;
    bool is_decimal = true;
    int digits = 0;
    for (; hex_value(cursor_.peek()) >= 0 && digits < 4; ++digits) {
      const int v = hex_value(cursor_.text[cursor_.at++]);
      hex = hex << 4 | v;
      decimal = decimal * 10 + v;
      is_decimal = is_decimal && v < 10;
    }
    if (digits == 0 || digits > 3 || !is_space(cursor_.peek()) || hex == 0)
      return bad(at, "a count of at most 3 digits is needed", "001 to fff");
    cursor_.skip_space();
    int64_t payload_digits = 0;
    for (size_t i = cursor_.at; i < cursor_.text.size(); ++i) payload_digits += hex_value(cursor_.text[i]) >= 0 ? 1 : 0;
    const int64_t words = payload_digits / 16;
    count = is_decimal && words == decimal && words != hex ? decimal : hex;
    return true;
  }

  // One of the fields whose other values nobody has published.
  bool known_field(std::string_view only, const char* what) {
    cursor_.skip_space();
    const size_t at = cursor_.at;
    cursor_.skip_word();
    const std::string_view seen = cursor_.text.substr(at, cursor_.at - at);
    if (seen == only) return true;
    reporter_.error(diag::kUnsupported, at, cursor_.at,
                    cat("the meaning of this ", what, " of a host record is not published"), std::string(seen),
                    cat(only, ", the only value seen in public files"), op_);
    return false;
  }

 private:
  Cursor& cursor_;
  const Reporter& reporter_;
  const char* op_;
};

}  // namespace

bool read_payload(Cursor& cursor, const Reporter& reporter, uint64_t count, std::vector<uint64_t>& out,
                  const char* op) {
  const size_t begin = cursor.at;
  out.reserve(count < 4096 ? count : 4096);
  auto bad = [&](std::string headline, std::string observed, std::string required) {
    reporter.error(diag::kPayload, begin, cursor.text.size(), std::move(headline), std::move(observed),
                   std::move(required), op);
    return false;
  };
  cursor.skip_space();
  const bool marked = cursor.peek() == 'l';
  for (;;) {
    cursor.skip_space();
    if (cursor.end()) break;
    if (cursor.take('l') != marked)
      return bad("long words with and without l are mixed", marked ? "a word without l" : "a word with l",
                 "l before every long word, or before none");
    uint64_t word = 0;
    for (int i = 0; i < 16; ++i, ++cursor.at) {
      const int v = hex_value(cursor.peek());
      if (v < 0)
        return bad("payload is not whole long words", cat("a word of ", i, " hexadecimal digits"),
                   "16 hexadecimal digits per long word");
      word = word << 4 | static_cast<uint64_t>(v);
    }
    out.push_back(word);
    if (out.size() > count) break;
  }
  if (out.size() != count)
    return bad("payload does not fit the count",
               out.size() > count ? cat("more than ", count, " long words") : cat(out.size(), " long words"),
               cat(count, " long words"));
  return true;
}

// r GROUP ADDRESS COUNT HEX: words of a DRAM.
bool read_host_row(Cursor& cursor, const Reporter& reporter, isa::Line& line) {
  line.kind = isa::LineKind::kHostRow;
  HostReader reader(cursor, reporter, "r");
  cursor.skip_space();
  int64_t group = 0, addr = 0, count = 0;
  const size_t at = cursor.at;
  if (!cursor.number(group, 3) || !is_space(cursor.peek())) return reader.bad(at, "a DRAM number is needed", "0 to 3");
  const size_t address_at = cursor.at;
  if (!reader.address(Mem::kDram, addr) || !reader.count(count)) return false;
  if (!reader.fits(address_at + 1, Mem::kDram, addr, count)) return false;
  if (!read_payload(cursor, reporter, static_cast<uint64_t>(count), line.payload, "r")) return false;
  line.host_group = static_cast<int8_t>(group);
  line.count = static_cast<uint32_t>(count);
  line.mem.mem = Mem::kDram;
  line.mem.addr = addr;
  line.mem.n = static_cast<int8_t>(group);
  return true;
}

// c 0 0 iTT i00 0 ADDRESS COUNT HEX: a host transfer that carries tag TT. One such line is public; the host reaches PDM 0
// alone (ISA 1.4), so its words are taken to go there (open question Q43).
bool read_host_dma(Cursor& cursor, const Reporter& reporter, isa::Line& line) {
  line.kind = isa::LineKind::kHostDma;
  HostReader reader(cursor, reporter, "c");
  if (!reader.known_field("0", "first field") || !reader.known_field("0", "second field")) return false;
  cursor.skip_space();
  const size_t at = cursor.at;
  const bool tagged = cursor.take('i');
  const int high = hex_value(cursor.peek()), low = hex_value(cursor.peek(1));
  if (!tagged || high < 0 || low < 0 || !is_space(cursor.peek(2)) || (high << 4 | low) > 63)
    return reader.bad(at, "the tag of the transfer is needed", "i00 to i3f");
  cursor.at += 2;
  line.host_tag = static_cast<uint8_t>(high << 4 | low);
  if (!reader.known_field("i00", "second tag") || !reader.known_field("0", "sixth field")) return false;
  int64_t addr = 0, count = 0;
  const size_t address_at = cursor.at;
  if (!reader.address(Mem::kPdm, addr) || !reader.count(count)) return false;
  if (!reader.fits(address_at + 1, Mem::kPdm, addr, count)) return false;
  if (!read_payload(cursor, reporter, static_cast<uint64_t>(count), line.payload, "c")) return false;
  line.count = static_cast<uint32_t>(count);
  line.mem.mem = Mem::kPdm;
  line.mem.addr = addr;
  line.mem.n = 0;
  return true;
}

}  // namespace kumihimo::mncore2::vsm
