# Prints for ever.
        .include "start.inc"
_start: mov $0x3f8, %dx
        mov $'x', %al
again:  out %al, %dx
        jmp again
