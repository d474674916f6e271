// Where the fields of a word lie (ISA 10.2): first bit and width, index 0 leftmost.
#pragma once

#include <string_view>

namespace kumihimo::mncore2::words {

struct Field {
  std::string_view name;
  unsigned first, width;
};

inline constexpr Field kForwardUpdate{"forward update", 1, 1};
inline constexpr Field kMaskEntry{"mask entry", 2, 5};
inline constexpr Field kMaskWidth{"mask width", 7, 1};
inline constexpr Field kMaskEnables{"mask enables", 8, 6};  // r s t m n k
inline constexpr Field kFlush{"zero flush, OMR write", 14, 8};
inline constexpr Field kTWrite{"T write", 22, 1}, kTSource{"T write source", 23, 2};

// One PE memory. LMs read and write through one address.
struct MemoryFields {
  Field write, source, write_address, write_stride, write_width, read_address, read_stride, read_width, modifiers;
};
inline constexpr Field kNoField{"", 0, 0};
inline constexpr MemoryFields kGrf0{
    {"GRF0 write", 25, 1},        {"GRF0 write source", 26, 2}, {"GRF0 write address", 28, 9},
    {"GRF0 write stride", 37, 8}, {"GRF0 write width", 45, 2},  {"GRF0 read address", 47, 9},
    {"GRF0 read stride", 56, 8},  {"GRF0 read width", 64, 2},   kNoField};
inline constexpr MemoryFields kGrf1{
    {"GRF1 write", 66, 1},        {"GRF1 write source", 67, 2}, {"GRF1 write address", 69, 9},
    {"GRF1 write stride", 78, 8}, {"GRF1 write width", 86, 2},  {"GRF1 read address", 88, 9},
    {"GRF1 read stride", 97, 8},  {"GRF1 read width", 105, 2},  kNoField};
inline constexpr MemoryFields kLm0{{"LM0 write", 107, 1},   {"LM0 write source", 108, 2}, {"LM0 address", 110, 12},
                                   {"LM0 stride", 122, 11}, {"LM0 width", 137, 2},        {"LM0 address", 110, 12},
                                   {"LM0 stride", 122, 11}, {"LM0 width", 137, 2},        {"LM0 modifiers", 133, 4}};
inline constexpr MemoryFields kLm1{{"LM1 write", 139, 1},   {"LM1 write source", 140, 2}, {"LM1 address", 142, 12},
                                   {"LM1 stride", 154, 11}, {"LM1 width", 168, 2},        {"LM1 address", 142, 12},
                                   {"LM1 stride", 154, 11}, {"LM1 width", 168, 2},        {"LM1 modifiers", 165, 3}};

inline constexpr Field kMauPrecision{"MAU precision", 170, 2}, kMauCalc{"MAU calculation", 172, 1},
    kMauMatrix{"MAU matrix", 173, 1}, kMauRead{"matrix read", 174, 1}, kMauWrite{"matrix write", 175, 1},
    kMauRow{"matrix row", 176, 4}, kMauHalf{"MAU half", 180, 1}, kMauSide{"matrix side", 181, 1};
inline constexpr Field kMauNegate[3] = {{"MAU negate 1", 182, 1}, {"MAU negate 2", 183, 1}, {"MAU negate 3", 184, 1}};
inline constexpr Field kMauConvert{"MAU r and e", 185, 3}, kMauOp{"MAU operation", 188, 2};
inline constexpr Field kMauSlot[3] = {{"MAU source 1", 190, 3}, {"MAU source 2", 193, 3}, {"MAU source 3", 196, 3}};

inline constexpr Field kAluPrecision{"ALU precision", 199, 2}, kAluOp{"ALU operation", 201, 5},
    kAluUnsigned{"ALU u", 206, 1}, kAluConvert{"ALU r", 207, 2}, kAluX{"ALU x", 209, 4}, kAluY{"ALU y", 213, 3};

inline constexpr Field kL1bmOp{"L1BM operation", 216, 5}, kL1bmAddress{"L1BM address", 221, 13},
    kL1bmRest{"L1BM options", 234, 7}, kL1bmSource{"L1BM source", 241, 3};
inline constexpr Field kRest{"L2BM, wait", 244, 48};

}  // namespace kumihimo::mncore2::words
