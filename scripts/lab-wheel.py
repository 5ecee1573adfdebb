#!/usr/bin/env python3
"""Packs the guests' agents as the wheel `prazo-lab`: scripts/lab-wheel.py AGENTS VERSION FOLDER

`cargo xtask wheel` calls it. The wheel has one file, which `prazo` finds at share/prazo/agents beside the folder of its program. Its bytes depend on
AGENTS and VERSION alone. Prints the wheel's path.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

METADATA = """Metadata-Version: 2.4
Name: prazo-lab
Version: {version}
Summary: Programs that run inside the virtual machines of prazo's lab; `pip install prazo[lab]` installs both.
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: prazo\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ROOT = Path(__file__).resolve().parent.parent


def main():
    agents, version, folder = sys.argv[1:]
    info = f"prazo_lab-{version}.dist-info"
    files = {
        f"prazo_lab-{version}.data/data/share/prazo/agents": Path(agents).read_bytes(),
        f"{info}/licenses/LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_bytes(),
        f"{info}/licenses/LICENSE-MIT": (ROOT / "LICENSE-MIT").read_bytes(),
        f"{info}/METADATA": METADATA.format(version=version).encode(),
        f"{info}/WHEEL": WHEEL.encode(),
    }
    record = f"{info}/RECORD"
    digest = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() for name, data in files.items()}
    lines = [f"{name},sha256={digest[name]},{len(data)}" for name, data in files.items()]
    files[record] = "".join(line + "\n" for line in [*lines, f"{record},,"]).encode()
    wheel = Path(folder) / f"prazo_lab-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            # The agents are compressed already.
            entry.compress_type = zipfile.ZIP_STORED if name.endswith("/agents") else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main()
