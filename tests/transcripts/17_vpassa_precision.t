claim: dvpassar narrows to single, hvpassa widens to single
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "vpassa"; output of the vendor emulator

d set $lm0n0c0b0m0p0 4 l3FF0000000000000l4000000000000000l4008000000000000l4010000000000000
dvpassar $lm0v $n0v
d getd $lm0n0c0b0m0p0 4
d getf $ln0n0c0b0m0p0 2
d set $lm0n0c0b0m0p0 1 3E00428044404540
hvpassa $lm0 $lln0
d geth $lm0n0c0b0m0p0 1
d getf $ln0n0c0b0m0p0 2
----
DEBUG-LM0(n0c0b0m0p0,0):(1) (0x3ff0000000000000) #d getd $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,2):(2) (0x4000000000000000) #d getd $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,4):(3) (0x4008000000000000) #d getd $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,6):(4) (0x4010000000000000) #d getd $lm0n0c0b0m0p0 4
DEBUG-LM1(n0c0b0m0p0,0):(1, 2) (0x3f800000, 0x40000000) #d getf $ln0n0c0b0m0p0 2
DEBUG-LM1(n0c0b0m0p0,2):(3, 4) (0x40400000, 0x40800000) #d getf $ln0n0c0b0m0p0 2
DEBUG-LM0(n0c0b0m0p0,0):(1, 5, 9, 13) (0x3e00, 0x4280, 0x4440, 0x4540) #d geth $lm0n0c0b0m0p0 1
DEBUG-LM1(n0c0b0m0p0,0):(1, 5) (0x3f800000, 0x40a00000) #d getf $ln0n0c0b0m0p0 2
DEBUG-LM1(n0c0b0m0p0,2):(9, 13) (0x41100000, 0x41500000) #d getf $ln0n0c0b0m0p0 2
