"""Write the bundled simulated corpus, corpora/sample: what `miner simulate --texts 1200 --seed 20250101` makes."""

from __future__ import annotations

from pathlib import Path

from miner.simulate import simulate, write_corpus

TEXTS, SEED = 1200, 20250101


def main() -> None:
    """Write the four files of the corpus; the study beside them is left as it is."""
    write_corpus(simulate(TEXTS, seed=SEED), Path(__file__).resolve().parents[1] / "corpora" / "sample")


if __name__ == "__main__":
    main()
