claim: the constant $subpeid is the number of the PE in its MAB
source: hnakamura5/mncore2_asm_study, tests/expected/peid_lm0_sample.dump.txt; output of the vendor emulator

lpassa $subpeid $lm0
d getd $lm0n0c0b0m0p0 1
----
DEBUG-LM0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $lm0n0c0b0m0p0 1
