// MAU kernels by path (kernels.h): what KernelSet::mau points to.
#pragma once

#include "targets/mncore2/fast/kernels.h"

namespace kumihimo::mncore2::fast {

// The kernel of an instruction of the MAU; null = none.
Kernel mau_avx512(const emu::Op& op);
Kernel mau_avx2(const emu::Op& op);

// The same by family: null when the instruction is of another one.
Kernel half_matrix_avx512(const emu::Op& op);
Kernel half_matrix_avx2(const emu::Op& op);
Kernel half_vector_avx512(const emu::Op& op);
Kernel half_vector_avx2(const emu::Op& op);
Kernel single_vector_avx512(const emu::Op& op);
Kernel single_vector_avx2(const emu::Op& op);
Kernel matrix_read_avx512(const emu::Op& op);
Kernel matrix_read_avx2(const emu::Op& op);
Kernel double_vector_avx512(const emu::Op& op);
Kernel double_vector_avx2(const emu::Op& op);
Kernel double_matrix_avx512(const emu::Op& op);
Kernel double_matrix_avx2(const emu::Op& op);
Kernel word_matrix_avx512(const emu::Op& op);
Kernel word_matrix_avx2(const emu::Op& op);
Kernel matrix_write_avx512(const emu::Op& op);
Kernel matrix_write_avx2(const emu::Op& op);

// Which instruction an Op is: its semantic function says it.
enum class MauForm : uint8_t { kOther, kVfma, kVmul, kVadd, kVpassa, kMfma, kMmul, kMwrite, kMread };
MauForm mau_form(const emu::Op& op);

}  // namespace kumihimo::mncore2::fast
