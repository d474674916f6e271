claim: imm, l1bmd, l2bmd and mvp carry a pattern from the PEs to DRAM
source: hnakamura5/mncore2_asm_study, tests/expected/mv_to_dram_sample.dump.txt; output of the vendor emulator

imm ui"0x01234567" $lr0
nop/2
l1bmd $lr0 $lb0
nop/3
l2bmd $lb0 $lc0
nop/3
mvp/n64 $lc0 $d0
nop/12
d getd $d0n0 1
----
DEBUG-DRAM(n0,0):(3.5127e-303) (0x0123456701234567) #d getd $d0n0 1
