# Prints the low bits of the time-stamp counter, again and again, and ends with 0x10.
        .include "start.inc"
_start: mov $64, %ecx
next:   rdtsc
        shr $4, %eax
        and $0xf, %al
        add $'A', %al
        mov $0x3f8, %dx
        out %al, %dx
        loop next
        mov $0xf4, %dx
        mov $0x10, %eax
        out %eax, %dx
halt:   hlt
        jmp halt
