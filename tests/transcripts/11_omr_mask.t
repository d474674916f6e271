claim: flags of lpassa in a mask register guard the writes of the next line
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "operands: OMR"; output of the vendor emulator

d set $lm0n0c0b0m0p0 4 l0000000000000000l0000000000000001l0000000000000042l0000000000000000
d set $lm8n0c0b0m0p0 4 l3FF0000000000000l3FF0000000000000l3FF0000000000000l3FF0000000000000
lpassa $lm0v $omr1
maskn 1
lpassa $lm8v $ln0v
mask 0
d get $lm0n0c0b0m0p0 4
d get $omr1n0c0b0m0p0 1
d getd $ln0n0c0b0m0p0 4
----
DEBUG-LM0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x0}}, v:0x0) #d get $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,2):(f:0, i:{{0x0,0x0},{0x0,0x1}}, v:0x1) #d get $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,4):(f:0, i:{{0x0,0x0},{0x0,0x42}}, v:0x42) #d get $lm0n0c0b0m0p0 4
DEBUG-LM0(n0c0b0m0p0,6):(f:0, i:{{0x0,0x0},{0x0,0x0}}, v:0x0) #d get $lm0n0c0b0m0p0 4
DEBUG-OMR(n0c0b0m0p0,1):Mask{15} #d get $omr1n0c0b0m0p0 1
DEBUG-OMR(n0c0b0m0p0,1):Mask{0} #d get $omr1n0c0b0m0p0 1
DEBUG-OMR(n0c0b0m0p0,1):Mask{0} #d get $omr1n0c0b0m0p0 1
DEBUG-OMR(n0c0b0m0p0,1):Mask{15} #d get $omr1n0c0b0m0p0 1
DEBUG-LM1(n0c0b0m0p0,0):(1) (0x3ff0000000000000) #d getd $ln0n0c0b0m0p0 4
DEBUG-LM1(n0c0b0m0p0,2):(0) (0x0000000000000000) #d getd $ln0n0c0b0m0p0 4
DEBUG-LM1(n0c0b0m0p0,4):(0) (0x0000000000000000) #d getd $ln0n0c0b0m0p0 4
DEBUG-LM1(n0c0b0m0p0,6):(1) (0x3ff0000000000000) #d getd $ln0n0c0b0m0p0 4
