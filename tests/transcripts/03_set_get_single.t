claim: d getf prints two singles of a long word
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "d set/get"; output of the vendor emulator

d set $lm0n0c0b0m0p0 1 3F8000003F800000
d getf $lm0n0c0b0m0p0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(1, 1) (0x3f800000, 0x3f800000) #d getf $lm0n0c0b0m0p0 1
