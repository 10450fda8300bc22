"""Run ``python -m miner.commands``."""

import sys

from miner.commands import main

sys.exit(main())
