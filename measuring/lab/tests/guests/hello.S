# Prints a line and ends through the exit device with 0x10.
        .include "start.inc"
_start: mov $line, %esi
        mov $0x3f8, %dx
print:  lodsb
        test %al, %al
        jz end
        out %al, %dx
        jmp print
end:    mov $0xf4, %dx
        mov $0x10, %eax
        out %eax, %dx
halt:   hlt
        jmp halt
line:   .asciz "hello from the guest\n"
