################################################################################
#
# prazo
#
################################################################################

PRAZO_VERSION = main
# Set PRAZO_SITE to where this repository is.
PRAZO_SITE_METHOD = git
PRAZO_LICENSE = MIT or Apache-2.0, GPL-2.0 (BPF programs)
PRAZO_LICENSE_FILES = LICENSE-MIT LICENSE-APACHE LICENSE-GPL-2.0
PRAZO_SUBDIR = answer/cli

$(eval $(cargo-package))
