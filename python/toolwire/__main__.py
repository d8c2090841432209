"""``python -m toolwire`` is the command line."""

import sys

from toolwire.cli import main

sys.exit(main())
