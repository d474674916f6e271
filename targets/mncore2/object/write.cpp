#include <map>

#include "core/base/checksum.h"
#include "targets/mncore2/object/codec.h"
#include "targets/mncore2/object/object.h"

namespace kumihimo::mncore2::object {
namespace {

constexpr size_t kBlockBytes = 64 << 10;  // a block ends behind the first statement that reaches this

template <class Number>
void put_fixed(std::string& out, Number v) {
  for (size_t i = 0; i < sizeof(Number); ++i) out += static_cast<char>(v >> (8 * i) & 0xff);
}

void put(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

void put_text(std::string& out, std::string_view text) {
  put(out, text.size());
  out += text;
}

// Rows in the order of their first use.
using Rows = std::map<const isa::InsnDef*, uint64_t>;

class Record {
 public:
  static constexpr bool kReads = false;
  Record(std::string& out, Rows& rows) : out_(out), rows_(rows) {}
  ~Record() {
    put(out_, set_);
    out_ += fields_;
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  template <class T>
  void field(const T& v, T def, T = {}) {
    if (!next(v != def)) return;
    const auto n = static_cast<int64_t>(v);
    put(fields_, static_cast<uint64_t>(n) << 1 ^ static_cast<uint64_t>(n >> 63));
  }
  void text(const std::string& s) {
    if (next(!s.empty())) put_text(fields_, s);
  }
  void words(const std::vector<uint64_t>& words) {
    if (!next(!words.empty())) return;
    put(fields_, words.size());
    for (uint64_t w : words) put_fixed(fields_, w);
  }
  void row(const isa::InsnDef* def, std::span<const isa::InsnDef>) {
    if (!next(def != nullptr)) return;
    const auto [it, is_new] = rows_.try_emplace(def, rows_.size());
    put(fields_, it->second);
    if (!is_new) return;
    put_text(fields_, def->name);
    put_text(fields_, def->form);
  }
  template <class T>
  void record(const T& v) {
    std::string bytes;
    write(bytes, v);
    if (next(bytes.size() > 1 || bytes[0] != 0)) fields_ += bytes;
  }
  template <class T>
  void records(const std::vector<T>& list, uint64_t) {
    if (!next(!list.empty())) return;
    put(fields_, list.size());
    for (const T& v : list) write(fields_, v);
  }

 private:
  template <class T>
  void write(std::string& out, const T& v) {
    Record record(out, rows_);
    visit(record, v);
  }
  bool next(bool present) {
    set_ |= uint64_t{present} << bit_++;
    return present;
  }

  std::string& out_;
  Rows& rows_;
  std::string fields_;
  uint64_t set_ = 0;
  unsigned bit_ = 0;
};

class Blocks {
 public:
  explicit Blocks(std::string& out) : out_(out) {}
  void add(char kind, std::string_view content) {
    std::string bytes;
    put(bytes, count_++);
    bytes += kind;
    bytes += content;
    put_fixed(out_, static_cast<uint32_t>(bytes.size()));
    out_ += bytes;
    put_fixed(out_, checksum64(bytes));
  }

 private:
  std::string& out_;
  uint64_t count_ = 0;
};

}  // namespace

std::string write_object(const isa::Program& program) {
  std::string out(kMagic), content;
  put_fixed(out, kVersion);
  Blocks blocks(out);
  Rows rows;
  uint32_t source_line = 0;
  for (const isa::Line& line : program.lines) {
    {
      Record record(content, rows);
      visit(record, line, source_line);
    }
    source_line = line.source_line;
    if (content.size() < kBlockBytes) continue;
    blocks.add('L', content);
    content.clear();
  }
  if (!content.empty()) blocks.add('L', content);
  content.clear();
  put(content, program.lines.size());
  blocks.add('E', content);
  return out;
}

}  // namespace kumihimo::mncore2::object
