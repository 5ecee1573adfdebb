//! From 32-bit entry to Rust in long mode, for the first processor and for those it starts.
//!
//! QEMU enters [`boot_32`](self) by the PVH note, GRUB by the multiboot 2 header: both in 32-bit protected mode without
//! paging, with `ebx` pointing to what they have to say. The other processors arrive in real mode, in a copy of
//! `processor_start` below 1 MiB, and take a ticket that is their first stack.
//!
//! ```text
//! boot_32 ──────────────┐
//!                       ├─► enter_long_mode ─► long_mode ─┬─► boot_processor (Rust)
//! processor_start (16) ─┘                                 └─► other_processor (Rust)
//! ```
//!
//! The first 4 GiB are mapped as they are, in pages of 2 MiB, devices above 3 GiB uncached.

use core::arch::global_asm;

/// Where the start-up code of the other processors is copied: a page below 1 MiB, as the start-up interrupt wants.
pub const START_PAGE: usize = 0x8000;

global_asm!(
    r#"
    .section .multiboot, "a"
    .balign 8
multiboot_header:
    .long 0xe85250d6, 0, multiboot_end - multiboot_header, -(0xe85250d6 + (multiboot_end - multiboot_header))
    .balign 8
    .short 3, 0                     # entry address
    .long 12, boot_32
    .balign 8
    .short 0, 0
    .long 8
multiboot_end:

    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 8, 18                  # name, description, XEN_ELFNOTE_PHYS32_ENTRY
    .asciz "Xen"
    .quad boot_32

    .section .text
    .code32
    .global boot_32
boot_32:
    cli
    cld
    movl %eax, %ebp                 # who loaded us
    movl %ebx, %esi                 # and what it says
    movl $page_directories, %edi
    movl $0x83, %eax                # present, writable, 2 MiB
    movl $2048, %ecx
1:  cmpl $0xC0000000, %eax
    jb 2f
    orl $0x18, %eax                 # uncached
2:  movl %eax, (%edi)
    movl $0, 4(%edi)
    addl $0x200000, %eax
    addl $8, %edi
    loop 1b
    lgdt boot_descriptors_pointer
    ljmp $0x10, $enter_long_mode

enter_long_mode:
    movw $0x18, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl $page_map, %eax
    movl %eax, %cr3
    movl %cr4, %eax
    orl $0x20, %eax                 # physical address extension
    movl %eax, %cr4
    movl $0xC0000080, %ecx
    rdmsr
    orl $0x100, %eax                # long mode
    wrmsr
    movl %cr0, %eax
    andl $0x9FFFFFFF, %eax          # caches on
    orl $0x80010000, %eax           # paging, write protection
    movl %eax, %cr0
    ljmp $0x08, $long_mode

    .code64
long_mode:
    movl $1, %eax
    lock xaddl %eax, boot_tickets(%rip)
    cmpl ${processors}, %eax
    jae 3f
    movl %eax, %edi
    incl %eax
    imull ${stack}, %eax
    leaq stacks(%rip), %rsp
    addq %rax, %rsp
    xorl %eax, %eax
    testl %edi, %edi
    jnz 2f
    movl %ebp, %edi
    movl %esi, %esi
    call {boot_processor}
2:  call {other_processor}
3:  cli
    hlt
    jmp 3b

    .code16
    .balign 16
    .global processor_start
processor_start:
    cli
    cld
    xorw %ax, %ax
    movw %ax, %ds
    lgdtl {page} + boot_descriptors_copy - processor_start
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $0x10, $enter_long_mode
    .balign 4
boot_descriptors_copy:
    .short 31
    .long boot_descriptors
    .global processor_start_end
processor_start_end:
    .code64

    .section .rodata
    .balign 8
boot_descriptors:
    .quad 0
    .quad 0x00AF9A000000FFFF        # 0x08: 64-bit code
    .quad 0x00CF9A000000FFFF        # 0x10: 32-bit code
    .quad 0x00CF92000000FFFF        # 0x18: data
boot_descriptors_pointer:
    .short 31
    .long boot_descriptors

    .section .data
    .balign 4096
    .global page_map
page_map:
    .quad page_directory_pointers + 3
    .fill 511, 8, 0
page_directory_pointers:
    .quad page_directories + 3
    .quad page_directories + 0x1003
    .quad page_directories + 0x2003
    .quad page_directories + 0x3003
    .fill 508, 8, 0
boot_tickets:
    .long 0

    .section .bss
    .balign 4096
    .global page_directories
page_directories:
    .skip 4 * 4096
    .global stacks
stacks:
    .skip {stacks} * {stack}
"#,
    processors = const super::PROCESSORS_MAX,
    stack = const super::stack::STACK_SIZE,
    stacks = const super::stack::STACKS,
    page = const START_PAGE,
    boot_processor = sym super::start::boot_processor,
    other_processor = sym super::start::other_processor,
    options(att_syntax)
);
