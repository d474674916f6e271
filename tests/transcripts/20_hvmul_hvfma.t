claim: half products and multiply-adds rounded back to half; the half addend is widened with e
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "hv(mul|fma), expected output"; output of the vendor emulator

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
hvmulr $lm0 $ln0 $ls0
d geth $ls0n0c0b0m0 1
hvfmar $lm0 $ln0 $lr0e $ls0
d geth $ls0n0c0b0m0 1
----
DEBUG-GREG1(n0c0b0m0p0,0):(1, 45, 153, 325) (0x3e00, 0x48d0, 0x4c64, 0x4e8a) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p1,0):(6, 66, 190, 378) (0x4300, 0x4a10, 0x4cf8, 0x4ef4) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p2,0):(15, 91, 231, 435) (0x45c0, 0x4ad8, 0x4d9c, 0x4f66) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p3,0):(28, 120, 276, 496) (0x4780, 0x4bc0, 0x4e28, 0x4fe0) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p0,0):(2, 46, 154, 326) (0x4000, 0x48e0, 0x4c68, 0x4e8c) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p1,0):(7, 67, 191, 379) (0x4380, 0x4a18, 0x4cfc, 0x4ef6) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p2,0):(16, 92, 232, 436) (0x4600, 0x4ae0, 0x4da0, 0x4f68) #d geth $ls0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p3,0):(29, 121, 277, 497) (0x47a0, 0x4bc8, 0x4e2a, 0x4fe2) #d geth $ls0n0c0b0m0 1
