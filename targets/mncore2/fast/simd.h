// Instruction sets of single functions: a kernel is compiled for its path by an attribute, not by the flags of its file,
// so no inline function of a shared header can leak into code that runs on a lesser processor.
//
//   KMH_AVX512 void add(emu::Mab& mab, const Uop& u, Place&) { ... intrinsics ... }
//
// Helpers of a kernel carry the attribute too (KMH_AVX512_INLINE) and stand in an unnamed namespace. No lambdas: they do
// not inherit it.
#pragma once

#if defined(__x86_64__)
#if defined(__clang__)
#include <immintrin.h>
#else
// g++ 12 sees its own headers' "undefined" vectors as uninitialised (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#define KMH_X86 1
#define KMH_TARGET_AVX2 "avx2,fma,bmi,bmi2,lzcnt,popcnt"
#define KMH_TARGET_AVX512 KMH_TARGET_AVX2 ",avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vnni"

#define KMH_AVX2 __attribute__((target(KMH_TARGET_AVX2)))
#define KMH_AVX2_INLINE __attribute__((target(KMH_TARGET_AVX2), always_inline)) inline
#define KMH_AVX512 __attribute__((target(KMH_TARGET_AVX512)))
#define KMH_AVX512_INLINE __attribute__((target(KMH_TARGET_AVX512), always_inline)) inline
#endif
