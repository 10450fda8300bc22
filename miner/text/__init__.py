"""What a text is: decoding, words, sentences, offsets, and the view that checkers and counters see."""

from miner.text.decoding import decode, normalise
from miner.text.offsets import utf8_to_codepoints, utf16_to_codepoints
from miner.text.sentences import SPLITTER_ID, split_sentences
from miner.text.signs import Characters, characters, storable
from miner.text.views import View, view
from miner.text.words import n_words, words

__all__ = [
    "SPLITTER_ID",
    "Characters",
    "View",
    "characters",
    "decode",
    "n_words",
    "normalise",
    "split_sentences",
    "storable",
    "utf8_to_codepoints",
    "utf16_to_codepoints",
    "view",
    "words",
]
