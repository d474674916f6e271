claim: T is indexed by the cycle and echoed as $lt
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "operands: T"; output of the vendor emulator

d set $lm0n0c0b0m0p0 4 l0000000000000001l0000000000000002l0000000000000003l0000000000000004
d set $lm8n0c0b0m0p0 4 l0000000000000005l0000000000000006l0000000000000007l0000000000000008
lpassa $lm0v $lt
d get $tn0c0b0m0p0 4
lpassa $lm8v $t
d get $ltn0c0b0m0p0 4
----
DEBUG-TREG(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x1}}, v:0x1) #d get $ltn0c0b0m0p0 4
DEBUG-TREG(n0c0b0m0p0,1):(f:0, i:{{0x0,0x0},{0x0,0x2}}, v:0x2) #d get $ltn0c0b0m0p0 4
DEBUG-TREG(n0c0b0m0p0,2):(f:0, i:{{0x0,0x0},{0x0,0x3}}, v:0x3) #d get $ltn0c0b0m0p0 4
DEBUG-TREG(n0c0b0m0p0,3):(f:0, i:{{0x0,0x0},{0x0,0x4}}, v:0x4) #d get $ltn0c0b0m0p0 4
DEBUG-TREG(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x5}}, v:0x5) #d get $ltn0c0b0m0p0 4
DEBUG-TREG(n0c0b0m0p0,1):(f:0, i:{{0x0,0x0},{0x0,0x6}}, v:0x6) #d get $ltn0c0b0m0p0 4
DEBUG-TREG(n0c0b0m0p0,2):(f:0, i:{{0x0,0x0},{0x0,0x7}}, v:0x7) #d get $ltn0c0b0m0p0 4
DEBUG-TREG(n0c0b0m0p0,3):(f:0, i:{{0x0,0x0},{0x0,0x8}}, v:0x8) #d get $ltn0c0b0m0p0 4
