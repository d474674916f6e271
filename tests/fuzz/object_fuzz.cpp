// libFuzzer: object files. Any bytes are either read or refused with a code; what is read is written, read again the same.
// Checksums stand in the way of a fuzzer, so each input is tried as it is and as the content of a block of its own.
#include <cstdlib>
#include <string>

#include "core/base/checksum.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/object/object.h"

using namespace kumihimo;
using namespace kumihimo::mncore2;

namespace {

void require(bool ok) {
  if (!ok) std::abort();
}

void try_bytes(const std::string& bytes) {
  auto read = object::read_object(bytes, "fuzz.obj");
  if (!read.ok()) {
    require(read.error().def != nullptr && !render_text(read.error()).empty() && !render_json(read.error()).empty());
    return;
  }
  auto again = object::read_object(object::write_object(*read));
  require(again.ok());
  require(isa::same(*again, *read));
}

template <class Number>
void put(std::string& out, Number v) {
  for (size_t i = 0; i < sizeof(Number); ++i) out += static_cast<char>(v >> (8 * i) & 0xff);
}

void add_block(std::string& out, const std::string& content) {
  put(out, static_cast<uint32_t>(content.size()));
  out += content;
  put(out, checksum64(content));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  try_bytes(input);
  // The first byte of the input says how many statements the last block claims.
  if (size == 0) return 0;
  std::string framed(object::kMagic);
  put(framed, object::kVersion);
  add_block(framed, std::string(1, '\0') + 'L' + input.substr(1));
  add_block(framed, std::string(1, '\1') + 'E' + static_cast<char>(data[0] & 0x7f));
  try_bytes(framed);
  return 0;
}
