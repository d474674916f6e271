claim: successive long words lie two word addresses apart
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "d set/get"; output of the vendor emulator

d set $lm0n0c0b0m0p0 2 3FF00000000000003FF0000000000000
d getd $lm0n0c0b0m0p0 2
----
DEBUG-LM0(n0c0b0m0p0,0):(1) (0x3ff0000000000000) #d getd $lm0n0c0b0m0p0 2
DEBUG-LM0(n0c0b0m0p0,2):(1) (0x3ff0000000000000) #d getd $lm0n0c0b0m0p0 2
