"""Study files: known keys, right types, paths that start at the file."""

from __future__ import annotations

import pytest

from miner.errors import InputError, OptionError
from miner.run.study import read_study


def _study(tmp_path, text: str):
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    return read_study(tmp_path / "s.toml")


def test_paths_start_at_the_study_file_and_the_name_is_the_files(tmp_path) -> None:
    study = _study(tmp_path, '[[corpora]]\npath = "a.csv"\nroles = {text = "essay"}\n[distances]\nfrom = "zero"\n')
    assert study.name == "s"
    assert study.corpora[0].path == tmp_path / "a.csv"
    assert study.corpora[0].roles == {"text": "essay"}
    assert study.distances.origin == "zero"
    assert study.seed == 20250101


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('cheker = "auto"', "the key 'cheker' is not known; did you mean 'checker'\\?"),
        ('[[corpora]]\npath = "a"\nrole = {}', "'role' is not known; did you mean 'roles'"),
        ("[[corpora]]\nname = 'x'", "'path' is missing"),
        ("[distances]\nmetric = 'x'", "did you mean 'metrics'"),
        ('seed = "1"', "'seed' must be a whole number. Got '1'"),
        ("seed = true", "'seed' must be a whole number"),
        ('exports = "trans-env"', "'exports' must be a list of names"),
        ('corpora = "a.csv"', r"must be tables \(\[\[corpora\]\]"),
        ('ratings = "none"', "nothing to do"),
        ('name = "../../elsewhere"', "'name' becomes the name of a folder"),
        ('name = ""', "must hold a name"),
        ('[[corpora]]\npath = "a"\nname = "a|b"', "'name' becomes"),
        ('[[corpora]]\npath = ""', "must hold a name"),
        ('[[corpora]]\npath = "a"\nroles = {text = 5}', "'roles' must hold names, not empty ones. Got 5"),
        ("[policies]\nduplicates = 1", "'policies' must hold names"),
        ("exports = [1]", "'exports' must hold names"),
    ],
)
def test_what_is_not_known_is_refused_with_the_next_step(tmp_path, text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        _study(tmp_path, text)


def test_a_file_that_is_absent_or_no_toml_is_told(tmp_path) -> None:
    with pytest.raises(InputError, match="There is no study file"):
        read_study(tmp_path / "absent.toml")
    with pytest.raises(InputError, match="is not valid TOML.*line 1"):
        _study(tmp_path, "a = ]\nb = 1\n")
    (tmp_path / "s.toml").write_bytes(b"a = '\xff'")
    with pytest.raises(InputError, match="cannot be read"):
        read_study(tmp_path / "s.toml")


def test_the_page_on_studies_names_every_key(root) -> None:
    from dataclasses import fields

    from miner.run.study import CorpusSpec, DistanceSpec, Study

    page = (root / "docs" / "studies.md").read_text(encoding="utf-8")
    names = {f.name for record in (Study, CorpusSpec, DistanceSpec) for f in fields(record)}
    assert [n for n in sorted(names) if f"`{'from' if n == 'origin' else n}`" not in page] == []


def test_the_default_recipe_is_the_same_everywhere(root) -> None:
    from miner.commands import build_parser
    from miner.learner import DEFAULT_PRESET
    from miner.run.study import Study

    assert Study("x").preset == DEFAULT_PRESET
    assert f'| `preset` | `"{DEFAULT_PRESET}"` |' in (root / "docs" / "studies.md").read_text(encoding="utf-8")
    subparsers = next(a for a in build_parser()._actions if a.choices)
    assert f"(default: {DEFAULT_PRESET})" in " ".join(subparsers.choices["mine"].format_help().split())


def test_a_folder_is_no_study(tmp_path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        read_study(tmp_path)


def test_levels_may_come_from_scores(tmp_path) -> None:
    (tmp_path / "steps.csv").write_text("from,cefr\n0,B1\n20,B2\n", encoding="utf-8")
    corpus = '[[corpora]]\npath = "a"\nscore_table = "steps.csv"\n'
    study = _study(tmp_path, corpus + 'score_column = "score"\nambiguous_l1 = "default"\n')
    assert study.corpora[0].scores is not None
    assert study.corpora[0].scores.level(25) == "B2"
    with pytest.raises(OptionError, match="go together"):
        _study(tmp_path, corpus)


@pytest.mark.parametrize("line", ["limit = 0", "sample = -5", "examples = -1", "seed = -1"])
def test_numbers_that_make_no_sense_are_refused_before_anything_is_read(tmp_path, line: str) -> None:
    with pytest.raises(OptionError, match="must be at least"):
        _study(tmp_path, f'{line}\n[[corpora]]\npath = "a"\n')


def test_one_engine_is_chosen_that_knows_the_varieties_of_all_corpora(monkeypatch) -> None:
    from contextlib import ExitStack, nullcontext
    from types import SimpleNamespace

    from miner.learner import get_preset
    from miner.run import choosing
    from miner.run.executor import LocalExecutor
    from miner.run.study import CorpusSpec, Study
    from miner.store import MemoryStore

    def opened(name: str, *, language: str, **_: object) -> object:
        found = name if name != "auto" else next(n for n, own in known.items() if language in own)
        assert language in known[found]
        checker = SimpleNamespace(name=found, fingerprint="f", language=language)
        return nullcontext(checker)

    known = {"small": ("en-GB", "en-US"), "large": ("en-AU", "en-GB", "en-US", "en-ZA")}
    monkeypatch.setattr(choosing, "engines", lambda: [SimpleNamespace(languages=own) for own in known.values()])
    monkeypatch.setattr(choosing, "open_checker", opened)
    corpora = [SimpleNamespace(name=n) for n in ("a", "b")]
    specs = tuple(CorpusSpec(tmp, language=v) for tmp, v in (("a", "en-GB"), ("b", "en-ZA")))
    work = choosing.Work(LocalExecutor(MemoryStore()), None)
    with ExitStack() as stack:
        (source,) = choosing.sources_of(Study("s", specs), corpora, get_preset("trans-env"), work, stack)
    assert {c.name for c in source.checkers.values()} == {"large"}


def test_a_dry_run_whose_sample_has_no_words_says_so(capsys) -> None:
    from miner.commands.run import _tell
    from miner.run.estimating import Estimate

    _tell([Estimate("Checking (x)", 1, 0, 0, float("nan"), float("nan"), 0.0)])
    assert "unknown" in capsys.readouterr().out
