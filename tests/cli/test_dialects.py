"""The commands dialects, distance and ewave: exit codes, files, messages, and the same bytes whatever the order."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from miner.commands import main
from miner.dialect import read_ratings

QUICK = ["--starts", "300", "--no-figures"]


def read(folder, name):
    return pd.read_csv(folder / f"{name}.csv", dtype={"variety_id": str, "feature_id": str})


def shuffled(tmp_path, seed):
    long = read_ratings().ratings.sample(frac=1, random_state=np.random.RandomState(seed))
    long = long.rename(columns={"variety_id": "Language_ID", "feature_id": "Parameter_ID", "rating": "Value"})
    folder = tmp_path / str(seed)
    folder.mkdir()
    long.to_csv(folder / "values.csv", index=False)
    return folder / "values.csv"


def test_dialects_writes_its_tables(tmp_path, capsys):
    assert main(["dialects", "--out", str(tmp_path / "out"), *QUICK]) == 0
    assert "18 dialects of 77 varieties" in capsys.readouterr().err
    assert read(tmp_path / "out", "dialect_clusters")["in_dialect_set"].sum() == 18
    inventory = read(tmp_path / "out", "dialect_inventory")
    assert (len(inventory), inventory["feature_id"].nunique()) == (329, 104)
    assert inventory["variety"].nunique() == 18
    facts = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))["dialects"]
    assert facts["components"] == 39
    apart = read(tmp_path / "out", "distinctive")
    assert {"2", "region Africa", "type L2", "cluster 1"} <= set(apart["group"])


def test_dialects_draws_its_figures(tmp_path):
    assert main(["dialects", "--out", str(tmp_path / "out"), "--starts", "300"]) == 0
    names = {p.name for p in (tmp_path / "out" / "figures").iterdir()}
    assert {"varieties.svg", "varieties.png", "k_selection.svg"} <= names


def test_rows_in_another_order_give_the_same_bytes(tmp_path):
    for seed in (1, 2):
        out = tmp_path / f"out{seed}"
        assert main(["dialects", str(shuffled(tmp_path, seed)), "--out", str(out), *QUICK]) == 0
        assert (
            main(
                [
                    "distance",
                    str(tmp_path / str(seed) / "values.csv"),
                    "--out",
                    f"{out}d",
                    "--resamples",
                    "20",
                    "--no-figures",
                ]
            )
            == 0
        )
    for name in ("out{}", "out{}d"):
        one, two = (tmp_path / name.format(s) for s in (1, 2))
        files = sorted(p.name for p in one.iterdir() if p.name != "run.json")
        assert files == sorted(p.name for p in two.iterdir() if p.name != "run.json")
        for file in files:
            assert (one / file).read_bytes() == (two / file).read_bytes(), file


def test_consensus_preset(tmp_path, capsys):
    small = read_ratings().take(range(0, 77, 3))
    wide = small.ratings.pivot(index="variety_id", columns="feature_id", values="rating")
    wide.rename_axis("variety").to_csv(tmp_path / "small.csv")
    arguments = [
        str(tmp_path / "small.csv"),
        "--preset",
        "consensus",
        "--resamples",
        "10",
        "--nulls",
        "2",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(["dialects", *arguments]) == 0
    assert "stable" in capsys.readouterr().err
    for name in (
        "stability",
        "membership",
        "comembership",
        "agreement",
        "clusterings",
        "dialect_clusters",
        "dialect_inventory",
    ):
        assert (tmp_path / "out" / f"{name}.csv").is_file()
    assert main(["dialects", *arguments, "--k", "3"]) == 1
    assert "leave --k" in capsys.readouterr().err


def test_distance_writes_distances_and_exchange_forms(tmp_path, capsys):
    out = tmp_path / "out"
    arguments = ["--metric", "manhattan", "--encoding", "multi-value", "--resamples", "20"]
    assert main(["distance", *arguments, "--out", str(out)]) == 0
    frame = read(out, "distances").set_index("variety")["distance"].round(4)
    # Multi-VALUE's weights on today's ratings, over 235 features.
    assert frame["Chicano English"] == 0.1409
    assert frame["Colloquial Singapore English (Singlish)"] == 0.2855
    assert frame["Indian English"] == 0.2745
    assert frame["Urban African American Vernacular English"] == 0.2438
    assert (out / "distances.nex").read_text(encoding="utf-8").startswith("#NEXUS\n[distance|")
    assert (out / "tree.nwk").read_text(encoding="utf-8").endswith(";\n")
    assert (out / "figures" / "dendrogram.svg").is_file()
    assert len(read(out, "tree")) == 76
    assert "Chicano English 0.1409 on 235 features" in capsys.readouterr().err


def test_distance_against_scores(tmp_path, capsys):
    scores = tmp_path / "invented_scores.csv"
    scores.write_text("variety,score,model\nScE,80,m\nWelE,70,m\nIrE,60,m\nManxE,65,m\nNowhere,1,m\n", encoding="utf-8")
    arguments = [
        "--scores",
        str(scores),
        "--by",
        "model",
        "--resamples",
        "0",
        "--no-figures",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(["distance", *arguments]) == 0
    assert "n 4 varieties" in capsys.readouterr().err
    assert read(tmp_path / "out", "performance")["n"].tolist() == [4]
    assert len(read(tmp_path / "out", "influence")) == 4
    accounts = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))["accounts"]
    assert {"not a variety of the ratings": 1} in [a["dropped"] for a in accounts]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["dialects", "none.csv"], "no ratings table"),
        (["dialects", "--preset", "transenv"], "did you mean 'trans-env'"),
        (["distance", "--from", "Scotish English"], "did you mean 'Scottish English'"),
        (["distance", "--from", "Singapore"], "did you mean 'Colloquial Singapore English (Singlish)'"),
        (["distance", "--encoding", "ordnal"], "did you mean 'ordinal'"),
        (["distance", "--missing", "zeros"], "did you mean 'zero'"),
        (["ewave", "diff", "bundled", "none.csv"], "no ratings table"),
    ],
)
def test_mistakes_are_told(tmp_path, capsys, arguments, part):
    where = [] if arguments[0] == "ewave" else ["--out", str(tmp_path / "out")]
    assert main([*arguments, *where]) == 1
    assert part in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["Foolish", "Xyz English", "English"])
def test_names_that_are_like_none_get_no_suggestion(tmp_path, capsys, name):
    assert main(["distance", "--from", name, "--out", str(tmp_path / "out")]) == 1
    assert "did you mean" not in capsys.readouterr().err


def test_one_variety_cannot_be_compared(tmp_path, capsys):
    (tmp_path / "one.csv").write_text("variety,F1,F2,F3\nV1,A,B,C\n", encoding="utf-8")
    for metric in ("manhattan", "euclidean"):
        arguments = ["distance", str(tmp_path / "one.csv"), "--from", "V1", "--metric", metric]
        assert main([*arguments, "--out", str(tmp_path / "out")]) == 1
        assert "Distances need ratings of two or more varieties. Got 1: 'V1'" in capsys.readouterr().err


def test_scores_without_a_match_are_told(tmp_path, capsys):
    scores = tmp_path / "p.csv"
    arguments = [
        "distance",
        "--scores",
        str(scores),
        "--resamples",
        "0",
        "--no-figures",
        "--out",
        str(tmp_path / "out"),
    ]
    scores.write_text("variety,score\nFoo,3\n", encoding="utf-8")
    assert main(arguments) == 1
    assert "None of the 1 varieties of p.csv is in the ratings: 'Foo'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    for text, part in (("ScE,", "expected a number"), ("ScE,inf", "expected a number")):
        scores.write_text(f"variety,score\n{text}\n", encoding="utf-8")
        assert main(arguments) == 1
        assert part in capsys.readouterr().err
    for n, text in enumerate(("ScE,1\n", "ScE,1\nWelE,2\n"), start=1):
        scores.write_text(f"variety,score\n{text}", encoding="utf-8")
        assert main(arguments) == 0
        told = capsys.readouterr().err
        assert f"scores: {n} varieties with a distance and a score; a correlation needs 3" in told
        assert "figures" not in told


def test_unknown_rating_and_missing_cell(cases, tmp_path, capsys):
    assert main(["distance", str(cases / "ewave" / "e04_unknown_ratings.csv"), "--out", str(tmp_path / "out")]) == 1
    assert "6 cells are not a rating" in capsys.readouterr().err
    file = cases / "ewave" / "e03d_missing_cell.csv"
    assert (
        main(
            ["distance", str(file), "--from", "V1", "--resamples", "0", "--no-figures", "--out", str(tmp_path / "out")]
        )
        == 0
    )
    assert read(tmp_path / "out", "distances").set_index("variety_id").loc["V2", "n_shared"] == 3


def test_ewave_actions(tmp_path, capsys):
    assert main(["ewave", "profile", "--show", "csv", "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith("variety_id,variety,type,region,n_a")
    assert (tmp_path / "out" / "feature_profile.csv").is_file()
    assert main(["ewave", "coverage", "--show", "csv"]) == 0
    assert "Chicano English" in capsys.readouterr().out
    assert main(["ewave", "wheel", "ScE", "Welsh English", "--out", str(tmp_path / "wheel")]) == 0
    assert {"wheel.svg", "wheel.png", "wheel.csv"} <= {p.name for p in (tmp_path / "wheel").iterdir()}
    assert main(["ewave", "diff", "bundled", "bundled"]) == 0
    file = shuffled(tmp_path, 5)
    text = file.read_text(encoding="utf-8").splitlines()
    text[1] = ",".join([*text[1].split(",")[:2], "?"])
    file.write_text("\n".join(text) + "\n", encoding="utf-8")
    assert main(["ewave", "diff", "bundled", str(file)]) == 3
    assert "1 of 18095 cells differ" in capsys.readouterr().err


def test_threads_and_processes_change_nothing(tmp_path):
    import os
    import subprocess
    import sys

    small = read_ratings().take(range(0, 77, 4))
    wide = small.ratings.pivot(index="variety_id", columns="feature_id", values="rating")
    wide.rename_axis("variety").to_csv(tmp_path / "small.csv")

    def run(name, threads):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, threads), "PYTHONHASHSEED": threads}
        command = [sys.executable, "-m", "miner", "dialects", str(tmp_path / "small.csv")]
        command += ["--preset", "consensus", "--no-figures"]
        command += ["--resamples", "10", "--nulls", "1", "--out", str(tmp_path / name)]
        subprocess.run(command, check=True, env=environment, capture_output=True)

    run("one", "1")
    run("four", "4")
    for file in sorted(p.name for p in (tmp_path / "one").iterdir() if p.name != "run.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "four" / file).read_bytes(), file


def test_a_table_without_the_default_reference_point(cases, tmp_path, capsys):
    file = cases / "ewave" / "e01_values.csv"
    assert main(["distance", str(file), "--out", str(tmp_path / "out")]) == 1
    assert "default reference point 'Colloquial American English' is not in these ratings" in capsys.readouterr().err


def test_plain_preset_on_a_small_table(cases, tmp_path, capsys):
    # E07: five varieties, three different ones.
    file, out = str(cases / "ewave" / "e07_values.csv"), str(tmp_path / "out")
    arguments = ["--preset", "plain", "--encoding", "trans-env", "--variance", "1", "--out", out]
    assert main(["dialects", file, *arguments, "--k", "3"]) == 0
    clusters = read(tmp_path / "out", "dialect_clusters").set_index("variety_id")
    assert clusters["silhouette"].mean() == pytest.approx(0.8)
    assert clusters.loc["V5", "reason"] == "the only member of its cluster"
    table = read(tmp_path / "out", "k_selection").set_index("k")
    assert table.loc[2, "silhouette"] == pytest.approx(0.689446, abs=5e-7)
    assert "tie" in table.loc[2, "reason"]
    assert main(["dialects", file, *arguments, "--k", "4"]) == 1
    assert "only 3 different vectors" in capsys.readouterr().err


def test_components_at_exactly_ninety_percent(cases, tmp_path):
    # E06: two components hold exactly 90 %.
    file, out = str(cases / "ewave" / "e06_values.csv"), str(tmp_path / "out")
    arguments = ["--metric", "euclidean", "--encoding", "binary", "--from", "V1", "--resamples", "0", "--no-figures"]
    assert main(["distance", file, *arguments, "--out", out]) == 0
    assert read(tmp_path / "out", "distances")["distance"].tolist() == pytest.approx([0, 2**0.5, 7**0.5, 3])
    assert main(["distance", file, *arguments, "--variance", "1", "--out", out]) == 0
    assert read(tmp_path / "out", "distances")["distance"].tolist() == pytest.approx([0, 3**0.5, 8**0.5, 3])


@pytest.mark.shared_data
def test_all_files_of_the_cldf_shuffled(shared_data, tmp_path):
    import shutil

    def copy(name, seed):
        folder = tmp_path / name
        folder.mkdir()
        for file in (shared_data / "ewave").iterdir():
            if file.name in (
                "values.csv",
                "languages.csv",
                "parameters.csv",
                "codes.csv",
                "regions.csv",
                "featurecategories.csv",
            ):
                frame = pd.read_csv(file, dtype=str, keep_default_na=False)
                frame.sample(frac=1, random_state=np.random.RandomState(seed)).to_csv(folder / file.name, index=False)
            elif file.suffix == ".json":
                shutil.copy(file, folder / file.name)
        return folder

    for name, seed in (("a", 1), ("b", 2)):
        assert main(["dialects", str(copy(name, seed)), "--out", str(tmp_path / f"out_{name}"), *QUICK]) == 0
    for file in sorted(p.name for p in (tmp_path / "out_a").iterdir() if p.name != "run.json"):
        assert (tmp_path / "out_a" / file).read_bytes() == (tmp_path / "out_b" / file).read_bytes(), file


def test_varieties_without_ratings_take_part_only_when_asked(cases, tmp_path):
    # E02: V3 is all ?, V4 all X.
    file = str(cases / "ewave" / "e02_values.csv")
    arguments = ["--preset", "plain", "--missing", "zero", "--no-figures", "--out", str(tmp_path / "out")]
    assert main(["dialects", file, *arguments]) == 0
    assert read(tmp_path / "out", "dialect_clusters").set_index("variety_id")["cluster"].isna().to_dict() == {
        "V1": False, "V2": False, "V3": True, "V4": True, "V5": False,
    }  # fmt: skip
    assert main(["dialects", file, *arguments, "--keep-unrated"]) == 0
    assert read(tmp_path / "out", "dialect_clusters")["cluster"].notna().all()
