claim: single multiply and multiply-add, two lanes
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "fv(mul|fma)"; output of the vendor emulator

d set $lm0n0c0b0m0p0 1 3F80000040A00000
d set $lm0n0c0b0m0p1 1 4000000040C00000
d set $lm0n0c0b0m0p2 1 4040000040E00000
d set $lm0n0c0b0m0p3 1 4080000041000000
d set $ln0n0c0b0m0p0 1 3F80000041100000
d set $ln0n0c0b0m0p1 1 4040000041300000
d set $ln0n0c0b0m0p2 1 40A0000041500000
d set $ln0n0c0b0m0p3 1 40E0000041700000
d set $lr0n0c0b0m0p0 1 3F8000003F800000
d set $lr0n0c0b0m0p1 1 3F8000003F800000
d set $lr0n0c0b0m0p2 1 3F8000003F800000
d set $lr0n0c0b0m0p3 1 3F8000003F800000
d getf $lm0n0c0b0m0 1
d getf $ln0n0c0b0m0 1
fvmul $lm0 $ln0 $ls0
d getf $ls0n0c0b0m0 1
fvfma $lm0 $ln0 $lr0 $ls0
d getf $ls0n0c0b0m0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(1, 5) (0x3f800000, 0x40a00000) #d getf $lm0n0c0b0m0 1
DEBUG-LM0(n0c0b0m0p1,0):(2, 6) (0x40000000, 0x40c00000) #d getf $lm0n0c0b0m0 1
DEBUG-LM0(n0c0b0m0p2,0):(3, 7) (0x40400000, 0x40e00000) #d getf $lm0n0c0b0m0 1
DEBUG-LM0(n0c0b0m0p3,0):(4, 8) (0x40800000, 0x41000000) #d getf $lm0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p0,0):(1, 9) (0x3f800000, 0x41100000) #d getf $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p1,0):(3, 11) (0x40400000, 0x41300000) #d getf $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p2,0):(5, 13) (0x40a00000, 0x41500000) #d getf $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p3,0):(7, 15) (0x40e00000, 0x41700000) #d getf $ln0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p0,0):(1, 45) (0x3f800000, 0x42340000) #d getf $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p1,0):(6, 66) (0x40c00000, 0x42840000) #d getf $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p2,0):(15, 91) (0x41700000, 0x42b60000) #d getf $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p3,0):(28, 120) (0x41e00000, 0x42f00000) #d getf $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p0,0):(2, 46) (0x40000000, 0x42380000) #d getf $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p1,0):(7, 67) (0x40e00000, 0x42860000) #d getf $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p2,0):(16, 92) (0x41800000, 0x42b80000) #d getf $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p3,0):(29, 121) (0x41e80000, 0x42f20000) #d getf $ls0n0c0b0m0 1
