claim: fvpassa flushes integers and negative zero to +0
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "vpassa"; output of the vendor emulator

d set $lm0n0c0b0m0p0 1 0000004280000000
fvpassa $lm0 $ln0
d getf $lm0n0c0b0m0p0 1
d get $lm0n0c0b0m0p0 1
d getf $ln0n0c0b0m0p0 1
d get $ln0n0c0b0m0p0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(0, -0) (0x00000042, 0x80000000) #d getf $lm0n0c0b0m0p0 1
DEBUG-LM0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x42},{0x8000,0x0}}, v:0x4280000000) #d get $lm0n0c0b0m0p0 1
DEBUG-LM1(n0c0b0m0p0,0):(0, 0) (0x00000000, 0x00000000) #d getf $ln0n0c0b0m0p0 1
DEBUG-LM1(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x0}}, v:0x0) #d get $ln0n0c0b0m0p0 1
