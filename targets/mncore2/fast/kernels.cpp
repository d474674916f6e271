#include "targets/mncore2/fast/kernels.h"

#include <iterator>

#include "targets/mncore2/fast/alu.h"
#include "targets/mncore2/fast/indirect.h"
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/moves.h"
#include "targets/mncore2/fast/simd.h"
#include "targets/mncore2/fast/tree.h"

namespace kumihimo::mncore2::fast {
namespace {

#ifdef KMH_X86
constexpr KernelSet kSets[] = {
    {Path::kAvx2, mau_avx2, alu_avx2, down_avx2, move_avx2, gather_avx2, scatter_avx2, mau_flags_avx2, tree_avx2},
    {Path::kAvx512, mau_avx512, alu_avx512, down_avx2, move_avx512, gather_avx2, scatter_avx2, mau_flags_avx2,
     tree_avx512},
};
#endif

struct PathRow {
  Path path;
  std::string_view name;
};
constexpr PathRow kPaths[] = {
    {Path::kAuto, "auto"},
    {Path::kScalar, "scalar"},
    {Path::kAvx2, "avx2"},
    {Path::kAvx512, "avx512"},
};

#if defined(__x86_64__)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
}
#else
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

}  // namespace

std::optional<Path> path_named(std::string_view name) {
  for (const PathRow& row : kPaths)
    if (row.name == name) return row.path;
  return std::nullopt;
}

std::string_view path_name(Path path) { return kPaths[static_cast<size_t>(path)].name; }

bool path_available(Path path) {
  switch (path) {
    case Path::kAuto:
    case Path::kScalar: return true;
    case Path::kAvx2: return has_avx2();
    case Path::kAvx512: return has_avx512();
  }
  return false;
}

Path resolve(Path path) {
  if (path != Path::kAuto) return path;
  return has_avx512() ? Path::kAvx512 : has_avx2() ? Path::kAvx2 : Path::kScalar;
}

const KernelSet* kernels_of([[maybe_unused]] Path path) {
#ifdef KMH_X86
  for (const KernelSet& set : kSets)
    if (set.path == path) return &set;
#endif
  return nullptr;
}

}  // namespace kumihimo::mncore2::fast
