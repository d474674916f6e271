#include "tools/cli/lsp_document.h"

#include <algorithm>

namespace kumi::lsp {
namespace {

using nlohmann::json;

// Bytes of the character at i. The text came as JSON, so it is UTF-8.
size_t length_at(std::string_view text, size_t i) {
  const auto c = static_cast<unsigned char>(text[i]);
  const size_t length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  return std::min(length, text.size() - i);
}

// Characters above U+FFFF take two units in UTF-16, the others one.
size_t units(size_t length, Encoding encoding) { return encoding == Encoding::kUtf8 ? length : length == 4 ? 2 : 1; }

size_t number(const json& position, const char* key) {
  const auto value = position.at(key).get<json::number_unsigned_t>();
  return static_cast<size_t>(value);
}

}  // namespace

Document::Document(std::string uri, int64_t version, const std::string& text, Encoding encoding, std::string profile)
    : uri_(std::move(uri)), profile_(std::move(profile)), version_(version), encoding_(encoding) {
  replace(0, 0, text);
}

void Document::replace(size_t begin, size_t end, const std::string& with) {
  editor_ = {};
  text_.replace(begin, end - begin, with);
  // A line that begins behind `end` still does: the end of the line before it was not touched. What is read again begins
  // one line early, because a \r there may have got or lost its \n.
  const auto behind = std::upper_bound(line_begin_.begin(), line_begin_.end(), end);
  auto first = std::upper_bound(line_begin_.begin(), line_begin_.end(), begin) - 1;
  if (first != line_begin_.begin()) --first;
  std::vector<size_t> kept(behind, line_begin_.end());
  for (size_t& at : kept) at = at - end + begin + with.size();
  const size_t stop = kept.empty() ? text_.size() : kept.front() - 1;  // what ends the line before is at hand already
  size_t i = *first;
  line_begin_.erase(first + 1, line_begin_.end());
  for (; i < stop; ++i) {
    if (text_[i] != '\n' && text_[i] != '\r') continue;
    if (text_[i] == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n') {
      if (++i >= stop) break;
    }
    line_begin_.push_back(i + 1);
  }
  line_begin_.insert(line_begin_.end(), kept.begin(), kept.end());
}

size_t Document::line_end(size_t line) const {
  if (line + 1 == line_begin_.size()) return text_.size();
  size_t end = line_begin_[line + 1] - 1;
  if (text_[end] == '\n' && end > line_begin_[line] && text_[end - 1] == '\r') --end;
  return end;
}

void Document::change(const json& change, int64_t version) {
  const std::string& with = change.at("text").get_ref<const std::string&>();
  if (change.contains("range")) {
    size_t begin = offset(change["range"].at("start")), end = offset(change["range"].at("end"));
    if (end < begin) std::swap(begin, end);
    replace(begin, end, with);
  } else {
    replace(0, text_.size(), with);
  }
  version_ = version;
}

size_t Document::offset(const json& position) const {
  const size_t line = number(position, "line"), character = number(position, "character");
  if (line >= line_begin_.size()) return text_.size();
  const size_t end = line_end(line);
  size_t at = line_begin_[line], count = 0;
  while (at < end) {
    const size_t length = length_at(text_, at);
    count += units(length, encoding_);
    if (count > character) break;
    at += length;
  }
  return at;
}

json Document::position(size_t offset) const {
  offset = std::min(offset, text_.size());
  const size_t line =
      static_cast<size_t>(std::upper_bound(line_begin_.begin(), line_begin_.end(), offset) - line_begin_.begin()) - 1;
  offset = std::min(offset, line_end(line));
  size_t character = 0;
  for (size_t at = line_begin_[line]; at < offset;) {
    const size_t length = length_at(text_, at);
    if (at + length > offset) break;
    character += units(length, encoding_);
    at += length;
  }
  return {{"line", line}, {"character", character}};
}

json Document::range(const json& span) const {
  return {{"start", position(span.at(0).get<size_t>())}, {"end", position(span.at(1).get<size_t>())}};
}

const kumihimo::api::Value& Document::editor() {
  if (editor_.is_null()) editor_ = kumihimo::api::call("mncore2.editor", {text_, uri_, profile_});
  return editor_;
}

}  // namespace kumi::lsp
