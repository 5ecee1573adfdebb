# Faults without a table of handlers, three times in a row.
        .include "start.inc"
_start: lidt none
        ud2
        .balign 8
none:   .word 0
        .long 0
