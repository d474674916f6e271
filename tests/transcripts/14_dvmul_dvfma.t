claim: double products are made by halves: dvmulu then dvfmad on $mauf
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "dv(mul|fma)"; output of the vendor emulator

d set $lm0n0c0b0m0p0 1 3FF0000000000000
d set $lm0n0c0b0m0p1 1 4000000000000000
d set $lm0n0c0b0m0p2 1 4008000000000000
d set $lm0n0c0b0m0p3 1 4010000000000000
d set $ln0n0c0b0m0p0 1 3FF0000000000000
d set $ln0n0c0b0m0p1 1 4008000000000000
d set $ln0n0c0b0m0p2 1 4014000000000000
d set $ln0n0c0b0m0p3 1 401C000000000000
d getd $lm0n0c0b0m0 1
d getd $ln0n0c0b0m0 1
dvmulu $lm0 $ln0 $nowrite
dvfmad $lm0 $ln0 $mauf $ls2
d getd $ls2n0c0b0m0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(1) (0x3ff0000000000000) #d getd $lm0n0c0b0m0 1
DEBUG-LM0(n0c0b0m0p1,0):(2) (0x4000000000000000) #d getd $lm0n0c0b0m0 1
DEBUG-LM0(n0c0b0m0p2,0):(3) (0x4008000000000000) #d getd $lm0n0c0b0m0 1
DEBUG-LM0(n0c0b0m0p3,0):(4) (0x4010000000000000) #d getd $lm0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p0,0):(1) (0x3ff0000000000000) #d getd $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p1,0):(3) (0x4008000000000000) #d getd $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p2,0):(5) (0x4014000000000000) #d getd $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p3,0):(7) (0x401c000000000000) #d getd $ln0n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p0,2):(1) (0x3ff0000000000000) #d getd $ls2n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p1,2):(6) (0x4018000000000000) #d getd $ls2n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p2,2):(15) (0x402e000000000000) #d getd $ls2n0c0b0m0 1
DEBUG-GREG1(n0c0b0m0p3,2):(28) (0x403c000000000000) #d getd $ls2n0c0b0m0 1
