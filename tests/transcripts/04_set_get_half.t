claim: d geth prints four halves of format 1-6-9
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "d set/get"; output of the vendor emulator

d set $lm0n0c0b0m0p0 1 3e003e003e003e00
d geth $lm0n0c0b0m0p0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(1, 1, 1, 1) (0x3e00, 0x3e00, 0x3e00, 0x3e00) #d geth $lm0n0c0b0m0p0 1
