claim: imm writes any mix of destinations in one step, T and a mask register among them; the dump of $t says $lt
source: mncore-challenge.preferred.jp, tips/note, "PE instructions"; output of the vendor emulator

imm f"3.14" $ls0v $lr0v $ln0v $t $omr1
d getf $ls0n0c0b0m0p0 1
d getf $lr0n0c0b0m0p0 1
d getf $ln0n0c0b0m0p0 1
d getf $tn0c0b0m0p0 1
----
DEBUG-GREG1(n0c0b0m0p0,0):(3.14, 3.14) (0x4048f5c3, 0x4048f5c3) #d getf $ls0n0c0b0m0p0 1
DEBUG-GREG0(n0c0b0m0p0,0):(3.14, 3.14) (0x4048f5c3, 0x4048f5c3) #d getf $lr0n0c0b0m0p0 1
DEBUG-LM1(n0c0b0m0p0,0):(3.14, 3.14) (0x4048f5c3, 0x4048f5c3) #d getf $ln0n0c0b0m0p0 1
DEBUG-TREG(n0c0b0m0p0,0):(3.14, 3.14) (0x4048f5c3, 0x4048f5c3) #d getf $ltn0c0b0m0p0 1
