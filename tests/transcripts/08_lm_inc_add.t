claim: integer increment and add through LM0 and LM1
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "operands: LM"; output of the vendor emulator

d set $lm0n0c0b0m0p0 1 0000000000000042
linc $lm0 $ln0
d get $ln0n0c0b0m0p0 1
nop
nop
linc $ln0 $lm2
d get $lm2n0c0b0m0p0 1
nop/2
ladd $ln0 $lm2 $ln0
d get $ln0n0c0b0m0p0 1
----
DEBUG-LM1(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x43}}, v:0x43) #d get $ln0n0c0b0m0p0 1
DEBUG-LM0(n0c0b0m0p0,2):(f:0, i:{{0x0,0x0},{0x0,0x44}}, v:0x44) #d get $lm2n0c0b0m0p0 1
DEBUG-LM1(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x87}}, v:0x87) #d get $ln0n0c0b0m0p0 1
