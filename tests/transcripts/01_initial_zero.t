claim: A fresh machine reads as zero
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "setup"; output of the vendor emulator

d get $lm0n0c0b0m0p0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x0}}, v:0x0) #d get $lm0n0c0b0m0p0 1
