#include "targets/mncore2/judge/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace kumihimo::mncore2::judge {
namespace {

constexpr int kMaxRank = 8;

class Reader {
 public:
  Reader(std::string_view line, Expectation& out) : text_(line), out_(out) {}

  std::optional<ReadFault> read() {
    out_.dtype = nullptr;
    out_.values.clear();
    out_.indices.clear();
    out_.rank = 0;
    out_.tolerance = {};
    at_ = text_.find('#');
    if (at_ == text_.npos) return at_ = text_.size(), fault("judge_output", "the line says nothing about its values");
    const size_t equals = text_.find('=', at_);
    if (equals == text_.npos) return at_ = text_.size(), fault("judge_output", "no values", "", "# expect=[...]");
    at_ = equals + 1;
    const size_t values_at = at_;
    // The type stands behind the values and decides how they are read: find their end first.
    if (!skip_literal())
      return fault("judge_value", "no list of values and no string", rest(), "[1.0, 2.0] or \"text\"");
    if (auto f = expect_slash()) return f;
    if (auto f = type()) return f;
    const size_t after_type = at_;
    at_ = values_at;
    if (auto f = values()) return f;
    at_ = after_type;
    skip_space();
    if (auto f = indices()) return f;
    return tolerances();
  }

 private:
  std::optional<ReadFault> fault(std::string_view diagnostic, std::string headline, std::string observed = {},
                                 std::string required = {}) const {
    return ReadFault{diagnostic, at_, std::move(headline), std::move(observed), std::move(required)};
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
  }
  std::string rest() const { return std::string(text_.substr(at_, 40)); }

  bool skip_literal() {
    if (take('[')) {
      const size_t end = text_.find(']', at_);
      if (end == text_.npos) return false;
      at_ = end + 1;
      return true;
    }
    const char quote = peek();
    if (quote != '"' && quote != '\'') return false;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return true;
      }
    }
    at_ = std::min(at_, text_.size());
    return false;
  }

  std::optional<ReadFault> expect_slash() {
    skip_space();
    if (!take('/')) return fault("judge_output", "no type behind the values", rest(), "/ Float");
    skip_space();
    return {};
  }

  std::optional<ReadFault> type() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '@') ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    out_.dtype = find_dtype(name);
    if (out_.dtype != nullptr) return {};
    at_ = begin;
    std::string known;
    for (const Dtype& t : dtypes()) known += (known.empty() ? "" : ", ") + std::string(t.name);
    return fault("judge_value", "unknown type of values", std::string(name.substr(0, 40)), "one of " + known);
  }

  std::optional<ReadFault> values() {
    const auto most = static_cast<size_t>(out_.dtype->per_long_word());
    if (peek() != '[')
      return out_.dtype->kind == ValueKind::kChar
                 ? characters(most)
                 : fault("judge_value", "a string where numbers are needed", rest(), "[1.0, 2.0]");
    if (out_.dtype->kind == ValueKind::kChar)
      return fault("judge_value", "numbers where a string is needed", rest(), "\"text\"");
    take('[');
    for (skip_space(); !take(']'); skip_space()) {
      if (out_.values.size() == most)
        return fault("judge_value", "more values than a long word holds", rest(),
                     fmt::format("at most {} of type {}", most, out_.dtype->name));
      if (auto f = number()) return f;
      skip_space();
      if (!take(',') && peek() != ']') return fault("judge_value", "values are separated by commas", rest());
    }
    if (out_.values.empty()) return fault("judge_value", "no values");
    return {};
  }

  std::optional<ReadFault> number() {
    const char* end = text_.data() + text_.size();
    const char* begin = text_.data() + at_ + (peek() == '+' ? 1 : 0);
    Value v{out_.dtype->kind};
    std::from_chars_result read{};
    bool fits = true;
    if (v.kind == ValueKind::kFloat) {
      read = std::from_chars(begin, end, v.real);
      fits = !std::isnan(v.real);
    } else if (v.kind == ValueKind::kSigned) {
      int64_t n = 0;
      read = std::from_chars(begin, end, n);
      v.integer = static_cast<uint64_t>(n);
      const int64_t high = std::numeric_limits<int64_t>::max() >> (64 - out_.dtype->bits);
      fits = n <= high && n >= -high - 1;
    } else {
      read = std::from_chars(begin, end, v.integer);
      fits = v.integer <= std::numeric_limits<uint64_t>::max() >> (64 - out_.dtype->bits);
    }
    if (read.ec == std::errc::invalid_argument) return fault("judge_value", "no number", rest());
    if (read.ec != std::errc{} || !fits)
      return fault("judge_value", "a number that the type does not hold", rest(), std::string(out_.dtype->name));
    at_ = static_cast<size_t>(read.ptr - text_.data());
    out_.values.push_back(v);
    return {};
  }

  std::optional<ReadFault> characters(size_t most) {
    const char quote = peek();
    ++at_;
    while (!take(quote)) {
      if (out_.values.size() == most)
        return fault("judge_value", "more characters than a long word holds", rest(), "at most 8");
      Value v{ValueKind::kChar};
      v.integer = static_cast<unsigned char>(peek());
      ++at_;
      if (v.integer == '\\' && !escape(v.integer))
        return fault("judge_value", "unknown escape", rest(), "\\n, \\x0a, \\\\");
      if (v.integer > 0x7f) return fault("judge_value", "a character outside ASCII", rest(), "\\x escapes");
      out_.values.push_back(v);
    }
    if (out_.values.empty()) return fault("judge_value", "no values");
    return {};
  }

  bool escape(uint64_t& code) {
    constexpr std::string_view kNames = "\\'\"nrtabfv0", kCodes{"\\'\"\n\r\t\a\b\f\v\0", 11};
    const char c = peek();
    ++at_;
    if (c == 'x') {
      unsigned value = 0;
      if (at_ + 2 > text_.size()) return false;
      const char* begin = text_.data() + at_;
      if (std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) return false;
      code = value;
      at_ += 2;
      return value <= 0x7f;
    }
    const size_t i = c == '\0' ? kNames.npos : kNames.find(c);
    if (i == kNames.npos) return false;
    code = static_cast<unsigned char>(kCodes[i]);
    return true;
  }

  std::optional<ReadFault> indices() {
    if (!take('@')) return fault("judge_output", "no index of the values", rest(), "@[0,0],[0,1]");
    const auto most = static_cast<size_t>(out_.dtype->per_long_word());
    size_t elements = 0;
    do {
      if (elements++ == most) return fault("judge_output", "more indices than a long word has elements", rest());
      if (!take('[')) return fault("judge_output", "an index is a list of numbers", rest(), "[0,1]");
      int rank = 0;
      do {
        int64_t value = 0;
        const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (read.ec != std::errc{} || value < 0 || ++rank > kMaxRank)
          return fault("judge_output", "an index is a list of numbers", rest(),
                       fmt::format("at most {} numbers from 0", kMaxRank));
        at_ = static_cast<size_t>(read.ptr - text_.data());
        out_.indices.push_back(value);
      } while (take(','));
      if (!take(']')) return fault("judge_output", "an index ends with ]", rest());
      if (out_.rank != 0 && rank != out_.rank)
        return fault("judge_one_tensor", "indices of different ranks", std::to_string(rank), std::to_string(out_.rank));
      out_.rank = rank;
    } while (take(','));
    return {};
  }

  std::optional<ReadFault> tolerances() {
    for (skip_space(); at_ < text_.size(); skip_space()) {
      const bool absolute = text_.substr(at_, 5) == "atol=", relative = text_.substr(at_, 5) == "rtol=";
      if (!absolute && !relative)
        return fault("judge_output", "unknown text behind the index", rest(), "atol= or rtol=");
      at_ += 5;
      double value = 0;
      const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (read.ec != std::errc{} || !std::isfinite(value) || value < 0)
        return fault("judge_output", "a tolerance is a number from 0", rest(), "1e-05");
      at_ = static_cast<size_t>(read.ptr - text_.data());
      (absolute ? out_.tolerance.absolute : out_.tolerance.relative) = value;
    }
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
  Expectation& out_;
};

}  // namespace

std::optional<ReadFault> read_expectation(std::string_view line, Expectation& out) { return Reader(line, out).read(); }

}  // namespace kumihimo::mncore2::judge
