// One open document of an editor: its text, and positions as the protocol counts them.
//
// The library counts bytes. The protocol counts lines (ended by \n, \r\n or \r) and, in a line, UTF-16 code units, or bytes
// where the client agreed to UTF-8. Only this file knows both. A position outside a line means its end, one inside a
// character its beginning.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capi/include/kumihimo.hpp"

namespace kumi::lsp {

enum class Encoding { kUtf8, kUtf16 };

class Document {
 public:
  Document(std::string uri, int64_t version, const std::string& text, Encoding encoding, std::string profile);

  const std::string& uri() const { return uri_; }
  int64_t version() const { return version_; }
  const std::string& text() const { return text_; }

  // One entry of contentChanges: {"range", "text"}, or {"text"} for everything. Throws json's exceptions on other shapes.
  void change(const nlohmann::json& change, int64_t version);

  size_t offset(const nlohmann::json& position) const;
  nlohmann::json position(size_t offset) const;
  nlohmann::json range(const nlohmann::json& span) const;  // of [begin, end) in bytes

  // The library's object for this version, made at the first use.
  const kumihimo::api::Value& editor();

 private:
  // [begin, end) became `with`; lines that it does not touch are not read again.
  void replace(size_t begin, size_t end, const std::string& with);
  size_t line_end(size_t line) const;  // without \n, \r\n or \r

  std::string uri_, text_, profile_;
  int64_t version_;
  Encoding encoding_;
  std::vector<size_t> line_begin_{0};
  kumihimo::api::Value editor_;
};

}  // namespace kumi::lsp
