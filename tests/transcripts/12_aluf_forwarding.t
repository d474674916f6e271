claim: the next step reads the ALU result from $aluf
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "operands: forwarding"; output of the vendor emulator

d set $lr0n0c0b0m0p0 1 0000000000000042
linc $lr0 $lm0
linc $aluf $ln0
d get $lm0n0c0b0m0p0 1
d get $ln0n0c0b0m0p0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x43}}, v:0x43) #d get $lm0n0c0b0m0p0 1
DEBUG-LM1(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x44}}, v:0x44) #d get $ln0n0c0b0m0p0 1
