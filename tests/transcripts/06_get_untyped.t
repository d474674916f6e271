claim: an untyped dump prints double, halves and raw bits in unpadded upper case
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "d set/get"; output of the vendor emulator

d set $lm0n0c0b0m0p0 1 0042004200000042
d get $lm0n0c0b0m0p0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(f:2.00268e-307, i:{{0x42,0x42},{0x0,0x42}}, v:0x42004200000042) #d get $lm0n0c0b0m0p0 1
