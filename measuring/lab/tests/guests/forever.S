# Prints a dot and then does nothing for ever.
        .include "start.inc"
_start: mov $0x3f8, %dx
        mov $'.', %al
        out %al, %dx
spin:   jmp spin
