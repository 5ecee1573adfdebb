//! Which instructions a machine executes, and what the lab needs for it: emulator, kernels, agent, console.
//!
//! To add a processor, add a value. The compiler then asks for each of its facts; no other file decides by a processor.

use lzma_rust2::filter::bcj::BcjReader;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// Instruction set of a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Architecture {
    /// PCs with an x86-64 processor.
    #[default]
    X86_64,
    /// 64-bit Arm boards, also called arm64.
    Aarch64,
    /// 32-bit Arm boards with an ARMv7 processor and hardware floating point.
    Armv7l,
    /// 64-bit RISC-V boards that run Linux.
    Riscv64,
    /// Power servers in little-endian order, also called ppc64el.
    Ppc64le,
}

prazo_core::words!(Architecture: X86_64 => "x86_64", Aarch64 => "aarch64", Armv7l => "armv7l", Riscv64 => "riscv64", Ppc64le => "ppc64le");

impl Architecture {
    /// True where this system's own programs run on it.
    pub fn is_hosts(self) -> bool {
        match self {
            Self::X86_64 => cfg!(target_arch = "x86_64"),
            Self::Aarch64 => cfg!(target_arch = "aarch64"),
            Self::Armv7l => cfg!(all(target_arch = "arm", target_feature = "v7")),
            Self::Riscv64 => cfg!(target_arch = "riscv64"),
            Self::Ppc64le => cfg!(all(target_arch = "powerpc64", target_endian = "little")),
        }
    }

    /// The built-in machine on which a Linux kernel of the user's boots.
    pub(crate) fn linux_machine(self) -> &'static str {
        match self {
            Self::X86_64 => "linux-1",
            Self::Aarch64 => "linux-arm64-1",
            Self::Armv7l => "linux-armv7-1",
            Self::Riscv64 => "linux-riscv64-1",
            Self::Ppc64le => "linux-ppc64le-1",
        }
    }

    /// The emulator's program.
    pub(crate) fn emulator(self) -> &'static str {
        match self {
            Self::X86_64 => "qemu-system-x86_64",
            Self::Aarch64 => "qemu-system-aarch64",
            Self::Armv7l => "qemu-system-arm",
            Self::Riscv64 => "qemu-system-riscv64",
            Self::Ppc64le => "qemu-system-ppc64",
        }
    }

    /// The packages of its emulator. Those of the default also hold the libraries of the others and the firmware of most.
    pub(crate) fn emulator_packages(self) -> &'static str {
        match self {
            Self::X86_64 => include_str!("fetch/qemu.toml"),
            Self::Aarch64 => include_str!("fetch/qemu-arm64.toml"),
            Self::Armv7l => include_str!("fetch/qemu-armv7.toml"),
            Self::Riscv64 => include_str!("fetch/qemu-riscv64.toml"),
            Self::Ppc64le => include_str!("fetch/qemu-ppc64le.toml"),
        }
    }

    /// The sets of packages with the kernels of its built-in platforms.
    pub(crate) fn kernel_packages(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &[include_str!("fetch/linux-6.1.toml"), include_str!("fetch/linux-6.12.toml")],
            Self::Aarch64 => &[include_str!("fetch/linux-arm64-6.12.toml")],
            Self::Armv7l => &[include_str!("fetch/linux-armv7-6.12.toml")],
            Self::Riscv64 => &[include_str!("fetch/linux-riscv64-6.12.toml")],
            Self::Ppc64le => &[include_str!("fetch/linux-ppc64le-6.12.toml")],
        }
    }

    /// The sets of packages that modules for those kernels are built with.
    pub(crate) fn header_packages(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &[include_str!("fetch/headers-6.1.toml"), include_str!("fetch/headers-6.12.toml")],
            Self::Aarch64 | Self::Armv7l | Self::Riscv64 | Self::Ppc64le => &[],
        }
    }

    /// True where the module irqlat finds a line to raise on its boards. Only a PC has a parallel port.
    pub(crate) fn has_line(self) -> bool {
        match self {
            Self::X86_64 => true,
            Self::Aarch64 | Self::Armv7l | Self::Riscv64 | Self::Ppc64le => false,
        }
    }

    /// The kernel's function in which the plugin that watches guests sees a switch of threads; `None` for processors whose
    /// registers and instructions it does not know.
    pub(crate) fn switches_in(self) -> Option<&'static str> {
        match self {
            Self::X86_64 => Some("__switch_to"),
            Self::Aarch64 => Some("cpu_switch_to"),
            Self::Armv7l | Self::Riscv64 | Self::Ppc64le => None,
        }
    }

    /// What the file of a Linux image is called, before its release: a packed image is `vmlinuz`.
    pub(crate) fn image_name(self) -> &'static str {
        match self {
            Self::X86_64 | Self::Aarch64 | Self::Armv7l => "vmlinuz",
            Self::Riscv64 | Self::Ppc64le => "vmlinux",
        }
    }

    /// Where a set of kernels has the image of a release.
    pub(crate) fn image_path(self, release: &str) -> String {
        format!("boot/{}-{release}", self.image_name())
    }

    /// For Linux' makefiles: the value of ARCH, the target that makes the image, and the path of the image.
    pub(crate) fn kernel_image(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::X86_64 => ("x86_64", "bzImage", "arch/x86/boot/bzImage"),
            Self::Aarch64 => ("arm64", "Image", "arch/arm64/boot/Image"),
            Self::Armv7l => ("arm", "zImage", "arch/arm/boot/zImage"),
            Self::Riscv64 => ("riscv", "Image", "arch/riscv/boot/Image"),
            Self::Ppc64le => ("powerpc", "vmlinux", "vmlinux"),
        }
    }

    /// At which byte a Linux image for it has a signature, and which: a bzImage (Documentation/arch/x86/boot.rst), an arm64
    /// Image (Documentation/arch/arm64/booting.rst), a zImage (arch/arm/boot/compressed/head.S), a RISC-V Image
    /// (Documentation/arch/riscv/boot-image-header.rst), an ELF executable for 64-bit Power, little-endian.
    pub(crate) fn signature(self) -> (u64, [u8; 4]) {
        match self {
            Self::X86_64 => (0x202, *b"HdrS"),
            Self::Aarch64 => (0x38, *b"ARM\x64"),
            Self::Armv7l => (0x24, 0x016f_2818_u32.to_le_bytes()),
            Self::Riscv64 => (0x38, *b"RSC\x05"),
            Self::Ppc64le => (0x10, [2, 0, 21, 0]),
        }
    }

    /// By which way into it a kernel starts that was unpacked from its image, as a fact of a run.
    pub(crate) fn unpacked_entry(self) -> &'static str {
        match self {
            Self::X86_64 => "pvh",
            // Their kernels are not packed.
            Self::Aarch64 | Self::Riscv64 | Self::Ppc64le => "image",
            Self::Armv7l => "uimage",
        }
    }

    /// Rust's target for the agent: the C library's own, linked in whole.
    pub(crate) fn target(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-unknown-linux-gnu",
            Self::Aarch64 => "aarch64-unknown-linux-gnu",
            Self::Armv7l => "armv7-unknown-linux-gnueabihf",
            Self::Riscv64 => "riscv64gc-unknown-linux-gnu",
            Self::Ppc64le => "powerpc64le-unknown-linux-gnu",
        }
    }

    /// What compiles and links for it on another processor, and the Debian packages with that.
    pub(crate) fn cross_compiler(self) -> (&'static str, &'static str) {
        match self {
            Self::X86_64 => ("x86_64-linux-gnu-gcc", "gcc-x86-64-linux-gnu and libc6-dev-amd64-cross"),
            Self::Aarch64 => ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross"),
            Self::Armv7l => ("arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf and libc6-dev-armhf-cross"),
            Self::Riscv64 => ("riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu and libc6-dev-riscv64-cross"),
            Self::Ppc64le => ("powerpc64le-linux-gnu-gcc", "gcc-powerpc64le-linux-gnu and libc6-dev-ppc64el-cross"),
        }
    }

    /// A packed agent's bytes, with jumps that name their goals by distance again.
    pub(crate) fn with_distances<R: Read>(self, packed: R) -> BcjReader<R> {
        match self {
            Self::X86_64 => BcjReader::new_x86(packed, 0),
            Self::Aarch64 => BcjReader::new_arm64(packed, 0),
            Self::Armv7l => BcjReader::new_arm(packed, 0),
            Self::Riscv64 => BcjReader::new_riscv(packed, 0),
            // This filter is for the other order of bytes: it finds few jumps, and changes nothing for good.
            Self::Ppc64le => BcjReader::new_ppc(packed, 0),
        }
    }

    /// The word by which a guest's kernel finds its console, the board's first serial port.
    pub(crate) fn console(self) -> &'static str {
        match self {
            Self::X86_64 | Self::Riscv64 => "console=ttyS0",
            Self::Aarch64 | Self::Armv7l => "console=ttyAMA0",
            Self::Ppc64le => "console=hvc0",
        }
    }

    /// The device behind the second serial port, which takes a guest's answer, on boards that have only one port of their
    /// own, as QEMU's `-device` takes it.
    pub(crate) fn second_port(self) -> Option<&'static str> {
        match self {
            Self::X86_64 | Self::Aarch64 | Self::Armv7l | Self::Ppc64le => None,
            Self::Riscv64 => Some("pci-serial,chardev=serial1"),
        }
    }

    /// The word by which a guest's kernel trusts its counter; those of others than PCs are trusted anyway.
    pub(crate) fn counter(self) -> Option<&'static str> {
        match self {
            Self::X86_64 => Some("tsc=reliable"),
            Self::Aarch64 | Self::Armv7l | Self::Riscv64 | Self::Ppc64le => None,
        }
    }

    /// The environment variable that names a program of the user's: `NAME` for the default, `NAME_AARCH64` and the like
    /// for others.
    pub(crate) fn variable(self, name: &str) -> String {
        if self == Self::default() { name.to_owned() } else { format!("{name}_{}", self.name().to_uppercase()) }
    }

    /// What `prazo lab fetch` is told so that it fetches for this one; nothing for the default.
    pub(crate) fn fetch_flag(self) -> String {
        if self == Self::default() { String::new() } else { format!(" --architecture {self}") }
    }
}
