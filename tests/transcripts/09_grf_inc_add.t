claim: integer increment and add through both register files, two destinations
source: MN-Core study group, additional material (tutorial published with the mncore2-emuenv package), section "operands: GRF"; output of the vendor emulator

d set $lr0n0c0b0m0p0 1 0000000000000002
d set $ls0n0c0b0m0p0 1 0000000000000005
linc $lr0 $lr0
linc $ls0 $ls2
d get $lr0n0c0b0m0p0 1
d get $ls2n0c0b0m0p0 1
nop
ladd $lr0 $ls0 $lr2
d get $lr2n0c0b0m0p0 1
nop/2
ladd $lr2 $ls2 $lr4 $ls4
d get $lr4n0c0b0m0p0 1
d get $lr4n0c0b0m0p0 1
----
DEBUG-GREG0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x3}}, v:0x3) #d get $lr0n0c0b0m0p0 1
DEBUG-GREG1(n0c0b0m0p0,2):(f:0, i:{{0x0,0x0},{0x0,0x6}}, v:0x6) #d get $ls2n0c0b0m0p0 1
DEBUG-GREG0(n0c0b0m0p0,2):(f:0, i:{{0x0,0x0},{0x0,0x8}}, v:0x8) #d get $lr2n0c0b0m0p0 1
DEBUG-GREG0(n0c0b0m0p0,4):(f:0, i:{{0x0,0x0},{0x0,0xE}}, v:0xE) #d get $lr4n0c0b0m0p0 1
DEBUG-GREG0(n0c0b0m0p0,4):(f:0, i:{{0x0,0x0},{0x0,0xE}}, v:0xE) #d get $lr4n0c0b0m0p0 1
