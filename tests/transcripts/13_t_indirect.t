claim: $lmt addresses LM0 through T
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "T-register indirect reference"; output of the vendor emulator

d set $lm0n0c0b0m0p0 4 l0000000000000000l3FF0000000000000l4000000000000000l4008000000000000
d set $ltn0c0b0m0p0 4 l0000000000000004l0000000000000002l0000000000000006l0000000000000000
lpassa $lmt $ln0v
d getd $lm0n0c0b0m0p0 4
d getd $ln0n0c0b0m0p0 4
----
DEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,2):(1) (0x3ff0000000000000) #d getd $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,4):(2) (0x4000000000000000) #d getd $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,6):(3) (0x4008000000000000) #d getd $lm0n0c0b0m0p0 4
DEBUG-LM1(n0c0b0m0p0,0):(2) (0x4000000000000000) #d getd $ln0n0c0b0m0p0 4
DEBUG-LM1(n0c0b0m0p0,2):(1) (0x3ff0000000000000) #d getd $ln0n0c0b0m0p0 4
DEBUG-LM1(n0c0b0m0p0,4):(3) (0x4008000000000000) #d getd $ln0n0c0b0m0p0 4
DEBUG-LM1(n0c0b0m0p0,6):(0) (0x0000000000000000) #d getd $ln0n0c0b0m0p0 4
