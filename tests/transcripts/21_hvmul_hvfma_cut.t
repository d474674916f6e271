claim: without rounding and widening, singles are cut to two words and four halves are added as two singles
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "hv(mul|fma), unintended output"; output of the vendor emulator

d set $lm0n0c0b0m0p0 1 3E00428044404540
d set $lm0n0c0b0m0p1 1 4000430044804580
d set $lm0n0c0b0m0p2 1 4100438044C045C0
d set $lm0n0c0b0m0p3 1 4200440045004600
d set $ln0n0c0b0m0p0 1 3E00444046204720
d set $ln0n0c0b0m0p1 1 410044C046604760
d set $ln0n0c0b0m0p2 1 4280454046A047A0
d set $ln0n0c0b0m0p3 1 438045C046E047E0
d set $lr0n0c0b0m0p0 1 3E003E003E003E00
d set $lr0n0c0b0m0p1 1 3E003E003E003E00
d set $lr0n0c0b0m0p2 1 3E003E003E003E00
d set $lr0n0c0b0m0p3 1 3E003E003E003E00
hvmul $lm0 $ln0 $ls0
d geth $ls0n0c0b0m0 1
hvfma $lm0 $ln0 $lr0 $ls0
d geth $ls0n0c0b0m0 1
----
DEBUG-GREG1(n0c0b0m0p0,0):(1.75, 0, 4.40625, 0) (0x3f80, 0x0000, 0x4234, 0x0000) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p1,0):(2.75, 0, 5.03125, 0) (0x40c0, 0x0000, 0x4284, 0x0000) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p2,0):(3.4375, 0, 5.42188, 0) (0x4170, 0x0000, 0x42b6, 0x0000) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p3,0):(3.875, 0, 5.875, 0) (0x41e0, 0x0000, 0x42f0, 0x0000) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p0,0):(1.78125, 6.98492e-09, 4.40625, -0) (0x3f90, 0x07c0, 0x4234, 0x803e) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p1,0):(2.76562, 0, 5.03125, 2.12109) (0x40c4, 0x01f0, 0x4284, 0x401f) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p2,0):(3.44531, 0, 5.42188, 2.12109) (0x4172, 0x00f8, 0x42b6, 0x401f) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p3,0):(3.87891, 0, 5.875, 2.12109) (0x41e1, 0x007c, 0x42f0, 0x401f) #d geth $ls0n0c0b0m0 1
