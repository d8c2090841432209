"""``python -m toolwire`` is the command line."""

import sys

from toolwire.cli import main

if __name__ == "__main__":
    sys.exit(main())
