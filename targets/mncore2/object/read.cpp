#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/checksum.h"
#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/object/codec.h"
#include "targets/mncore2/object/object.h"

namespace kumihimo::mncore2::object {
namespace {

Diagnostic refuse(const DiagDef& def, std::string headline, std::string observed, std::string required,
                  std::string_view file) {
  Diagnostic d;
  d.def = &def;
  d.headline = std::move(headline);
  d.observed = std::move(observed);
  d.required = std::move(required);
  if (!file.empty()) d.bound.emplace_back("file", file);
  return d;
}

const isa::InsnDef* find_row(std::span<const isa::InsnDef> table, std::string_view name, std::string_view form) {
  for (const isa::InsnDef& def : table)
    if (def.name == name && def.form == form) return &def;
  return nullptr;
}

// Bytes with a position. After a fault every read gives zeros; what() says what was wrong first.
class Bytes {
 public:
  Bytes(std::string_view all, size_t begin, size_t end) : all_(all), at_(begin), end_(end) {}
  size_t at() const { return at_; }
  size_t left() const { return end_ - at_; }
  bool ok() const { return what_.empty(); }
  const std::string& what() const { return what_; }
  void fail(std::string what) {
    if (ok()) what_ = std::move(what);
    fault_at_ = at_;
    at_ = end_;
  }
  size_t fault_at() const { return fault_at_; }

  std::string_view take(uint64_t n) {
    if (n > left()) return fail("a field ends behind its block"), std::string_view{};
    const std::string_view bytes = all_.substr(at_, n);
    at_ += n;
    return bytes;
  }
  uint64_t number() {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      if (byte.empty()) return 0;
      const auto b = static_cast<uint8_t>(byte[0]);
      if (shift == 63 && b > 1) break;
      v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return v;
    }
    return fail("a number of more than 64 bits"), 0;
  }
  template <class Number>
  Number fixed() {
    Number v = 0;
    const std::string_view bytes = take(sizeof(Number));
    for (size_t i = 0; i < bytes.size(); ++i) v |= static_cast<Number>(static_cast<uint8_t>(bytes[i])) << (8 * i);
    return v;
  }
  std::string_view text() {
    const uint64_t n = number();
    if (n > kMaxText) return fail(fmt::format("a text of {} bytes", n)), std::string_view{};
    return take(n);
  }

 private:
  std::string_view all_;
  size_t at_, end_, fault_at_ = 0;
  std::string what_;
};

using Rows = std::vector<const isa::InsnDef*>;

class Record {
 public:
  static constexpr bool kReads = true;
  Record(Bytes& in, Rows& rows) : in_(in), rows_(rows), set_(in.number()) {}
  ~Record() {
    if (bit_ < 64 && set_ >> bit_ != 0) in_.fail("a field that this version does not have");
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  template <class T>
  void field(T& v, T def, T max = std::numeric_limits<T>::max()) {
    v = def;
    if (!next()) return;
    const uint64_t code = in_.number();
    const auto n = static_cast<int64_t>(code >> 1 ^ (~(code & 1) + 1));
    const auto cast = static_cast<T>(n);
    const bool fits = static_cast<int64_t>(cast) == n && !(std::is_enum_v<T> && (n < 0 || cast > max)) &&
                      (std::is_enum_v<T> || cast <= max);
    if (!fits) return in_.fail(fmt::format("the value {} of a field", n));
    v = cast;
  }
  void text(std::string& s) {
    if (next()) s = in_.text();
  }
  void words(std::vector<uint64_t>& words) {
    if (!next()) return;
    const uint64_t n = in_.number();
    if (n > kMaxPayload || n * sizeof(uint64_t) > in_.left()) return in_.fail(fmt::format("{} long words", n));
    words.resize(n);
    for (uint64_t& w : words) w = in_.fixed<uint64_t>();
  }
  void row(const isa::InsnDef*& def, std::span<const isa::InsnDef> table) {
    if (!next()) return;
    const uint64_t index = in_.number();
    if (index > rows_.size()) return in_.fail(fmt::format("row {} of {}", index, rows_.size()));
    if (index == rows_.size()) {
      const std::string_view name = in_.text(), form = in_.text();
      rows_.push_back(find_row(table, name, form));
      if (rows_.back() == nullptr) return in_.fail("an instruction that this build does not have");
    }
    def = rows_[index];
  }
  template <class T>
  void record(T& v) {
    if (next()) read(v);
  }
  template <class T>
  void records(std::vector<T>& list, uint64_t max) {
    if (!next()) return;
    const uint64_t n = in_.number();
    if (n > max) return in_.fail(fmt::format("a list of {}", n));
    list.resize(n);
    for (T& v : list) read(v);
  }

 private:
  template <class T>
  void read(T& v) {
    Record record(in_, rows_);
    visit(record, v);
  }
  bool next() { return (set_ >> bit_++ & 1) != 0; }

  Bytes& in_;
  Rows& rows_;
  uint64_t set_;
  unsigned bit_ = 0;
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  Result<isa::Program> run() {
    if (!is_object(bytes_))
      return refuse(isa::diag::kObjectFormat, "this is not an object file",
                    fmt::format("{} bytes that begin otherwise", bytes_.size()),
                    "a file that `kumi asm --emit obj` wrote", file_);
    Bytes in(bytes_, kMagic.size(), bytes_.size());
    const auto version = in.fixed<uint32_t>();
    if (!in.ok()) return damaged(bytes_.size(), "the file ends inside its header");
    if (version != kVersion)
      return refuse(isa::diag::kObjectVersion, "the object has another version of the format",
                    fmt::format("version {}", version), fmt::format("version {}", kVersion), file_);
    for (uint64_t number = 0; !ended_; ++number)
      if (auto d = block(in, number)) return std::move(*d);
    if (in.left() != 0) return damaged(in.at(), fmt::format("{} bytes follow the last block", in.left()));
    return verified();
  }

 private:
  Diagnostic damaged(size_t at, std::string what) const {
    return refuse(isa::diag::kObjectDamaged, "the object file is damaged", fmt::format("byte {}: {}", at, what),
                  "the file as it was written; assemble the source again", file_);
  }

  std::optional<Diagnostic> block(Bytes& in, uint64_t number) {
    const size_t begin = in.at();
    const auto length = in.fixed<uint32_t>();
    if (!in.ok() || in.left() < length + sizeof(uint64_t))
      return damaged(begin, fmt::format("the file ends inside block {}", number));
    Bytes content(bytes_, in.at(), in.at() + length);
    const uint64_t sum = checksum64(in.take(length));
    if (in.fixed<uint64_t>() != sum)
      return damaged(begin, fmt::format("the checksum of block {} does not fit", number));
    if (content.number() != number) return damaged(begin, fmt::format("block {} is not in its place", number));
    const std::string_view kind = content.take(1);
    if (kind == "L") {
      while (content.ok() && content.left() != 0) statement(content);
    } else if (kind == "E") {
      ended_ = true;
      if (content.number() != program_.lines.size()) content.fail("another number of statements than was written");
    } else {
      content.fail("a kind of block that this version does not have");
    }
    if (content.ok() && content.left() != 0) content.fail("bytes behind the last field");
    if (!content.ok()) return damaged(content.fault_at(), content.what());
    return std::nullopt;
  }

  void statement(Bytes& content) {
    isa::Line& line = program_.lines.emplace_back();
    {
      Record record(content, rows_);
      visit(record, line, source_line_);
    }
    const bool complete = std::ranges::all_of(line.insns, [](const isa::Insn& i) { return i.def != nullptr; });
    if (content.ok() && !complete) content.fail("an instruction without its row");
    if (content.ok() && line.source_line <= source_line_) content.fail("statements out of order");
    source_line_ = line.source_line;
  }

  // The assembler decides what a program is.
  Result<isa::Program> verified() {
    const std::string text = isa::print(program_);
    vsm::AsmResult again = vsm::assemble(text, file_);
    const auto& ours = program_.lines;
    auto& theirs = again.program.lines;
    const auto [a, b] =
        std::ranges::mismatch(ours, theirs, [](const isa::Line& x, const isa::Line& y) { return isa::same(x, y); });
    if (!again.ok() || a != ours.end() || b != theirs.end()) {
      Diagnostic d =
          refuse(isa::diag::kObjectFormat, "the object holds a statement that is no VSM",
                 a == ours.end() ? std::string("statements that do not fit each other")
                                 : fmt::format("statement {}: {}", a - ours.begin() + 1, isa::print(*a).substr(0, 200)),
                 "statements that the assembler accepts", file_);
      if (!again.ok()) d.related.push_back(std::move(again.errors[0]));
      return d;
    }
    for (size_t i = 0; i < theirs.size(); ++i) theirs[i].source_line = ours[i].source_line;
    return std::move(again.program);
  }

  std::string_view bytes_, file_;
  isa::Program program_;
  Rows rows_;
  uint32_t source_line_ = 0;
  bool ended_ = false;
};

}  // namespace

bool is_object(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<isa::Program> read_object(std::string_view bytes, std::string_view file) { return Reader(bytes, file).run(); }

Result<isa::Program> read_program(std::string_view bytes, std::string_view file) {
  if (is_object(bytes)) return read_object(bytes, file);
  vsm::AsmResult r = vsm::assemble(bytes, file);
  if (!r.ok()) return vsm::as_one(r);
  return std::move(r.program);
}

}  // namespace kumihimo::mncore2::object
