claim: a literal of one word is repeated over a double long word
source: mncore-challenge.preferred.jp, tips/note, "ALU"; output of the vendor emulator

imm i"9" $llr0
d getf $lr0n0c0b0m0p0 2
----
DEBUG-GREG0(n0c0b0m0p0,0):(0, 0) (0x00000009, 0x00000009) #d getf $lr0n0c0b0m0p0 2
DEBUG-GREG0(n0c0b0m0p0,2):(0, 0) (0x00000009, 0x00000009) #d getf $lr0n0c0b0m0p0 2
