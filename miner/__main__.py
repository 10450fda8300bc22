"""Run ``python -m miner``."""

import sys

from miner.commands import main

sys.exit(main())
