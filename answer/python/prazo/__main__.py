"""``python -m prazo`` is the program."""

import os
import sys

from .command import program

os.execv(program(), ["prazo", *sys.argv[1:]])
