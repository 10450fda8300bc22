"""The readers, one module per corpus format; :mod:`miner.corpora.registry` lists them."""
