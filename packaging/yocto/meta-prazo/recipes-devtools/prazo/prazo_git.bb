SUMMARY = "Will it make the deadline? Measures and proves real-time behaviour"
LICENSE = "(MIT | Apache-2.0) & GPL-2.0-only"
LIC_FILES_CHKSUM = "file://LICENSE-MIT;md5=e552cb25cdf1321de763be4ec52b5b0c \
                    file://LICENSE-APACHE;md5=3b83ef96387f14655fc854ddc3c6bd57 \
                    file://LICENSE-GPL-2.0;md5=b234ee4d69f5fce4486a80fdaf4a4263"

# Set PRAZO_URI to where this repository is, as in git://HOST/prazo.git;protocol=https;branch=main
SRC_URI = "${PRAZO_URI}"
SRCREV = "${AUTOREV}"
PV = "0.1.0+git"
S = "${WORKDIR}/git"

# The BPF programs are compiled by clang; without it prazo measures and does not split.
DEPENDS = "clang-native"

inherit cargo cargo-update-recipe-crates
# `bitbake -c update_crates prazo` writes this list from Cargo.lock.
require ${BPN}-crates.inc

CARGO_BUILD_FLAGS += "--package prazo-cli"
RRECOMMENDS:${PN} = "rt-tests stress-ng iperf3 iproute2"
