#include "targets/mncore2/fast/mau.h"

#include "targets/mncore2/fast/simd.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::fast {

MauForm mau_form(const emu::Op& op) {
  struct Form {
    isa::SemFn sem;
    MauForm form;
  };
  static constexpr Form kForms[] = {
      {&sem::mau_vfma, MauForm::kVfma},     {&sem::mau_vmul, MauForm::kVmul},   {&sem::mau_vadd, MauForm::kVadd},
      {&sem::mau_vpassa, MauForm::kVpassa}, {&sem::mau_mfma, MauForm::kMfma},   {&sem::mau_mmul, MauForm::kMmul},
      {&sem::mau_mwrite, MauForm::kMwrite}, {&sem::mau_mread, MauForm::kMread},
  };
  for (const Form& f : kForms)
    if (f.sem == op.sem) return f.form;
  return MauForm::kOther;
}

#ifdef KMH_X86

namespace {

using Family = Kernel (*)(const emu::Op& op);

Kernel first_of(std::initializer_list<Family> families, const emu::Op& op) {
  for (const Family family : families)
    if (const Kernel kernel = family(op)) return kernel;
  return nullptr;
}

}  // namespace

Kernel mau_avx512(const emu::Op& op) {
  return first_of({half_matrix_avx512, half_vector_avx512, single_vector_avx512, word_matrix_avx512,
                   double_vector_avx512, double_matrix_avx512, matrix_write_avx512, matrix_read_avx512},
                  op);
}
Kernel mau_avx2(const emu::Op& op) {
  return first_of({half_matrix_avx2, half_vector_avx2, single_vector_avx2, word_matrix_avx2, double_vector_avx2,
                   double_matrix_avx2, matrix_write_avx2, matrix_read_avx2},
                  op);
}

#endif

}  // namespace kumihimo::mncore2::fast
