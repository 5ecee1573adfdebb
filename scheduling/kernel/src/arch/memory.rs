//! Page tables after boot: pages that must not be touched are taken out of the map.

use core::arch::asm;
use core::cell::UnsafeCell;

const PAGE: usize = 4096;
const LARGE_PAGE: usize = 2 << 20;
const ENTRIES: usize = 512;
const LARGE: u64 = 1 << 7;
const PRESENT_WRITABLE: u64 = 3;
/// Two large pages or three hold the stacks, one the address zero; one is to spare.
const TABLES: usize = 5;

#[repr(C, align(4096))]
struct Tables(UnsafeCell<[[u64; ENTRIES]; TABLES]>);

// SAFETY: touched by the first processor alone, before it starts the others.
unsafe impl Sync for Tables {}

static TABLES_OF_4_KIB: Tables = Tables(UnsafeCell::new([[0; ENTRIES]; TABLES]));

// SAFETY: `boot` reserves four pages under this name, aligned to a page.
unsafe extern "C" {
    static mut page_directories: [u64; 4 * ENTRIES];
}

/// Takes pages out of the map, splitting large pages where needed; once, before other processors run.
pub fn unmap(pages: impl Iterator<Item = usize>) {
    // SAFETY: see `Tables`; the directories are this image's own and nobody else writes them.
    let (directories, tables) =
        unsafe { ((&raw mut page_directories).as_mut_unchecked(), &mut *TABLES_OF_4_KIB.0.get()) };
    let mut unused = tables.iter_mut();
    for page in pages {
        let entry = &mut directories[page / LARGE_PAGE];
        if *entry & LARGE != 0 {
            let table = unused.next().expect("guard pages lie in few large pages");
            for (index, small) in table.iter_mut().enumerate() {
                *small = ((*entry & !0xfff) + (index * PAGE) as u64) | PRESENT_WRITABLE;
            }
            *entry = (&raw const *table) as u64 | PRESENT_WRITABLE;
        }
        let table = core::ptr::with_exposed_provenance_mut::<[u64; ENTRIES]>((*entry & !0xfff) as usize);
        // SAFETY: the entry points to one of our tables, which are identity-mapped.
        unsafe { (*table)[page / PAGE % ENTRIES] = 0 };
    }
    forget_translations();
}

fn forget_translations() {
    // SAFETY: writes back what the register holds, which drops cached translations.
    unsafe { asm!("mov {0}, cr3", "mov cr3, {0}", out(reg) _, options(nostack, preserves_flags)) };
}
