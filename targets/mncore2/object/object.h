// Object files: an assembled program as bytes, so that it is read without its source.
//
//   header   "\x89KMHOBJ\n"  version (u32)
//   block    length of the content (u32)  content  CRC-64 of the content (u64)            any number of them
//
// A content begins with the number of the block, counted from 0, and its kind: 'L' holds statements, 'E' is the last one and
// holds their total. So a reader may work on a stream block by block, and a file that is cut, changed or out of order is
// refused. Fixed numbers are little-endian, the others LEB128 with the sign in bit 0.
//
// A statement is a record: a set of bits that says which fields differ from their defaults, then those fields in the order
// of codec.h. An instruction names its row by an index into the rows met so far; the first use brings name and form, so a
// file keeps its meaning when rows are added or reordered.
//
//   laws: read_object(write_object(p)) has the meaning and the source lines of p; print of it assembles to it again
#pragma once

#include <string>
#include <string_view>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::object {

inline constexpr std::string_view kMagic{"\x89KMHOBJ\n", 8};
inline constexpr uint32_t kVersion = 1;

// Precondition: the program came from the assembler.
std::string write_object(const isa::Program& program);

// Whether bytes are meant as an object; no VSM text begins like one.
bool is_object(std::string_view bytes);

// Any bytes are accepted as input. What is read is what the assembler could have produced, because it has: the statements are
// printed, assembled and compared. Errors: object_format, object_version, object_damaged, each with the byte's offset.
Result<isa::Program> read_object(std::string_view bytes, std::string_view file = {});

// An object or VSM text, whichever the bytes are.
Result<isa::Program> read_program(std::string_view bytes, std::string_view file = {});

}  // namespace kumihimo::mncore2::object
