"""Every number of an explanation is redone from its printed steps and the table of units."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from miner import tables
from miner.commands import main
from miner.evaluate.explained_units import preset_of_run
from miner.evaluate.explaining import explain, explain_units
from miner.learner import select_l1, test_l1
from miner.learner.presets import get_preset

CORRECTIONS = ("none", "bh", "by", "holm", "storey", "max-t")


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(7)
    units, counts = [], []
    for k in range(90):
        l1, learner = ("fr", "de", "ja")[k % 3], f"L{k:02d}"
        prompts = ("p0", "p1") if k % 2 else ("p1", "p2")
        if k in (0, 3):  # a stratum of French learners alone
            prompts = ("p9",)
        for prompt in prompts:
            text_id, words = f"t{k:02d}{prompt}", int(rng.integers(80, 200))
            units.append((text_id, learner, l1, "B", prompt, words, None))
            for j in range(6):
                n = int(rng.poisson(words * (0.05 if (l1, j) == ("fr", 0) else 0.015)))
                if n:
                    counts.append((text_id, f"X{j}", n))
    return (
        tables.conform(pd.DataFrame(counts, columns=tables.COUNTS.names), tables.COUNTS),
        tables.conform(pd.DataFrame(units, columns=tables.UNITS.names), tables.UNITS),
    )


def mined(corpus, **options):
    recipe = get_preset("robust", stability_pairs=0, permutations=999, further_permutations=0, **options)
    tests = test_l1(*corpus, preset=recipe)
    return recipe, tests, select_l1(tests, recipe)


def steps_of(corpus, mine, **where):
    recipe, tests, inventory = mine
    frame = explain(tests, inventory, counts=corpus[0], units=corpus[1], recipe=recipe, **where)
    return frame.set_index("quantity")


@pytest.mark.parametrize(("l1", "contrast"), [("fr", "equal"), ("ja", "pooled")])
def test_effect_is_redone_from_the_table_of_units(corpus, l1, contrast):
    mine = mined(corpus, contrast=contrast)
    steps = steps_of(corpus, mine, l1=l1, feature="X0")
    table = explain_units(mine[1], *corpus, mine[0], l1=l1, feature="X0")
    assert steps.loc["strata", ["target", "reference"]].tolist() == ["2", "1"]
    alone = steps.loc["units in strata with one L1", ["target", "reference"]].tolist()
    assert alone == (["2", "0"] if l1 == "fr" else ["0", "2"])
    # From words and occurrences only: strata are told apart by name.
    use = table[table.groupby("stratum")["l1"].transform("nunique") > 1].copy()
    use["rate"] = 1000 * use["occurrences"].astype(float) / use["words"].astype(float)
    use["e"] = use["rate"] - use.groupby("stratum")["rate"].transform("mean")
    per = {name: part["e"].to_numpy() for name, part in use.groupby("l1")}
    s2 = {name: ((e - e.mean()) ** 2).sum() for name, e in per.items()}
    v0 = sum(s2.values()) / (len(use) - len(per))
    error = {name: (s2[name] + 20 * v0) / (len(e) - 1 + 20) / len(e) for name, e in per.items()}
    size = {name: 1 if contrast == "equal" else len(e) for name, e in per.items() if name != l1}
    weight = {name: k / sum(size.values()) for name, k in size.items()}
    effect = per[l1].mean() - sum(w * per[name].mean() for name, w in weight.items())
    se = np.sqrt(error[l1] + sum(w**2 * error[name] for name, w in weight.items()))
    half = scipy_stats.t.ppf(0.975, len(per[l1]) - 1) * se
    shown = {name: float(steps.loc[name, "target"]) for name in ("effect", "effect by these steps", "standard error")}
    assert shown["effect"] == pytest.approx(effect, rel=1e-9)
    assert shown["effect by these steps"] == pytest.approx(effect, rel=1e-9)
    assert shown["standard error"] == pytest.approx(se, rel=1e-9)
    assert float(steps.loc["studentised statistic", "target"]) == pytest.approx(effect / se, rel=1e-9)
    assert float(steps.loc["pooled variance v0", "target"]) == pytest.approx(v0, rel=1e-9)
    ends = [float(x) for x in steps.loc["95 % interval", "target"].split(" to ")]
    assert ends == pytest.approx([effect - half, effect + half], rel=1e-9)


def test_log_ratio_is_redone_from_the_texts(corpus):
    mine = mined(corpus)
    steps = steps_of(corpus, mine, l1="fr", feature="X0")
    counts, units = corpus
    n = counts[counts["feature"] == "X0"].set_index("text_id")["n"].reindex(units["text_id"]).fillna(0).to_numpy(float)
    frame = pd.DataFrame({"l1": units["l1"], "prompt": units["prompt"], "words": units["words"].astype(float), "n": n})
    words = frame.groupby("l1")["words"].sum()
    mean = (words["de"] + words["ja"]) / 2
    above = below = 0.0
    for _, part in frame.groupby("prompt"):
        sums = part.groupby("l1")[["n", "words"]].sum().reindex(["fr", "de", "ja"]).fillna(0.0)
        o, w = (sum(mean / words[x] * sums.loc[x, c] for x in ("de", "ja")) for c in ("n", "words"))
        both = w + sums.loc["fr", "words"]
        above += sums.loc["fr", "n"] * w / both
        below += o * sums.loc["fr", "words"] / both
    assert [float(steps.loc["sums over prompts", s]) for s in ("target", "reference")] == pytest.approx([above, below])
    assert float(steps.loc["log rate ratio", "target"]) == pytest.approx(np.log(above / below), rel=1e-9)


def test_p_agrees_with_a_permutation_test_of_the_table(corpus):
    mine = mined(corpus)
    _, tests, _ = mine
    row = tests[(tests["p"] > 0.1) & (tests["p"] < 0.9)].iloc[0]
    table = explain_units(tests, *corpus, mine[0], l1=row["l1"], feature=row["feature"])
    use = table[table["informative"].astype(bool)]
    e, label = use["deviation"].to_numpy(float), use["l1"].to_numpy(str)
    blocks = [np.flatnonzero(use["stratum"] == s) for s in use["stratum"].unique()]

    def statistic(who):
        per = {x: e[who == x] for x in ("fr", "de", "ja")}
        s2 = {x: ((v - v.mean()) ** 2).sum() for x, v in per.items()}
        v0 = sum(s2.values()) / (len(e) - 3)
        error = {x: (s2[x] + 20 * v0) / (len(v) + 19) / len(v) for x, v in per.items()}
        others = [x for x in per if x != row["l1"]]
        se = np.sqrt(error[row["l1"]] + sum(error[x] for x in others) / 4)
        return (per[row["l1"]].mean() - sum(per[x].mean() for x in others) / 2) / se

    rng, drawn = np.random.default_rng(3), []
    for _ in range(2000):
        who = label.copy()
        for block in blocks:
            who[block] = rng.permutation(who[block])
        drawn.append(statistic(who))
    centred = np.array(drawn) - np.mean(drawn)
    p = (1 + (np.abs(centred) >= abs(statistic(label) - np.mean(drawn)) - 1e-12).sum()) / 2001
    # Two independent Monte Carlo estimates, of 999 and of 2,000 labellings: four standard errors, and the skewness correction.
    assert p == pytest.approx(row["p"], abs=4 * np.sqrt(0.25 * (1 / 999 + 1 / 2000)))


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_q_is_redone_from_the_steps(corpus, correction):
    mine = mined(corpus, correction=correction, correction_family="all")
    for feature in ("X0", "X1", "X3"):
        steps = steps_of(corpus, mine, l1="fr", feature=feature)
        q, how = float(steps.loc["q", "target"]), steps.loc["q", "how"]
        if correction in ("none", "max-t"):
            assert how.startswith("no correction" if correction == "none" else "max-T")
            expected = float(steps.loc["p", "target"]) if correction == "none" else q
        else:
            product = how.split(": ", 1)[1].split(", at most")[0]
            if "p is over .5" in product:
                assert float(steps.loc["p", "target"]) > 0.5
                product = "1"
            for name in ("sum of 1 / k", "null share"):
                if name in steps.index:
                    product = product.replace(name, steps.loc[name, "target"])
            number = 1.0
            for k, factor in enumerate(product.replace("/", "*/").split("*")):
                value = float(factor.strip().lstrip("/"))
                number = number / value if factor.startswith("/") else number * value if k else value
            expected = min(1.0, number)
        assert q == pytest.approx(expected, rel=1e-9)


def test_each_threshold_has_value_limit_and_verdict(corpus):
    mine = mined(corpus, min_ratio=50.0)
    steps = steps_of(corpus, mine, l1="fr", feature="X0")
    ratio = steps.loc["threshold min_ratio"]
    assert float(ratio["target"]) == pytest.approx(np.exp(float(steps.loc["log rate ratio", "target"])))
    assert ratio["reference"] == ">= 50"
    assert ratio["how"].startswith("failed")
    assert steps.loc["threshold min_users", "how"].startswith("passed")
    assert steps.loc["failed", "target"] == "ratio"


def test_command_writes_units_and_reads_old_runs(corpus, tmp_path, capsys):
    recipe, tests, inventory = mined(corpus)
    run, out = tmp_path / "run", tmp_path / "units.csv"
    run.mkdir()
    frames = {"l1_tests": tests, "l1_inventory": inventory, "counts": corpus[0], "units": corpus[1]}
    for name, frame in frames.items():
        frame.drop(columns=["null_share", "replication"], errors="ignore").to_csv(run / f"{name}.csv", index=False)
    asked = ["explain", str(run), "--l1", "fr", "--feature", "X0"]
    assert main([*asked, "--units", str(out)]) == 1
    assert "run.json" in capsys.readouterr().err
    assert main(asked) == 0
    assert "thresholds are not shown" in capsys.readouterr().err
    written = {"preset": {**recipe.as_dict(), "of_a_later_version": 1}}
    (run / "run.json").write_text(json.dumps(written, default=list), encoding="utf-8")
    assert preset_of_run(json.loads((run / "run.json").read_text(encoding="utf-8"))) == recipe
    assert main([*asked, "--units", str(out)]) == 0
    assert "studentised statistic" in capsys.readouterr().out
    assert list(pd.read_csv(out).columns) == tables.EXPLAINED_UNITS.names
    assert main([*asked[:-1], "X9"]) == 1
    assert main([*asked, "--cefr", "Z"]) == 1
    assert main(["explain", str(tmp_path), "--l1", "fr", "--feature", "X0"]) == 1


def redone_ratio(table, l1, left_out=None):
    """Return the Mantel-Haenszel log ratio with equal weight of the other L1s, from the table of units alone."""
    rows = [
        (unit_l1, prompt, n, words)
        for unit_l1, own, fold in zip(table["l1"], table["by_prompt"], table["fold"], strict=True)
        if fold != left_out
        for prompt, (n, words) in json.loads(own).items()
    ]
    frame = pd.DataFrame(rows, columns=["l1", "prompt", "n", "words"])
    size = frame[frame["l1"] != l1].groupby("l1")["words"].sum()
    factor = frame["l1"].map(size.mean() / size)
    above = below = 0.0
    for _, part in frame.groupby("prompt"):
        own, f = part["l1"] == l1, factor[part.index]
        o_t, w_t = part.loc[own, ["n", "words"]].sum()
        o_r, w_r = (f * part["n"])[~own].sum(), (f * part["words"])[~own].sum()
        above, below = above + o_t * w_r / (w_t + w_r), below + o_r * w_t / (w_t + w_r)
    return np.log(above / below)


def test_interval_of_the_log_ratio_is_redone_from_the_table_of_units(corpus):
    mine = mined(corpus)
    table = explain_units(mine[1], *corpus, mine[0], l1="fr", feature="X0")
    row = mine[1].set_index(["l1", "feature"]).loc[("fr", "X0")]
    folds = sorted(table["fold"].unique())
    replicates = np.array([redone_ratio(table, "fr", fold) for fold in folds])
    se = np.sqrt((len(folds) - 1) / len(folds) * ((replicates - replicates.mean()) ** 2).sum())
    ratio = redone_ratio(table, "fr")
    assert row["log_ratio"] == pytest.approx(ratio, rel=1e-9)
    assert row["log_ratio_se"] == pytest.approx(se, rel=1e-9)
    half = scipy_stats.t.ppf(0.975, row["log_ratio_df"]) * se
    shown = steps_of(corpus, mine, l1="fr", feature="X0").loc["95 % interval of it"]
    assert [float(x) for x in shown["target"].split(" to ")] == pytest.approx([ratio - half, ratio + half], rel=1e-9)
    assert f"{row['log_ratio_se']:.12g}" in shown["how"]


@pytest.mark.parametrize("feature", ["X0", "X1", "X2"])
def test_z_and_the_tail_are_redone_from_the_steps(corpus, feature):
    mine = mined(corpus)
    for l1 in ("fr", "de", "ja"):
        steps = steps_of(corpus, mine, l1=l1, feature=feature)
        raw = float(steps.loc["studentised statistic", "target"])
        said = steps.loc["studentised under permutation", "target"].replace(",", "").split()
        mean, sd, g = (float(said[k]) for k in (1, 3, 5))
        x = (raw - mean) / sd
        assert float(steps.loc["x", "target"]) == pytest.approx(x, rel=1e-6)
        if g * x >= 0:
            # Wilson and Hilferty: the cube root of a gamma variable with this skewness is about normal.
            z = 6 / g * ((g * x / 2 + 1) ** (1 / 3) - 1) + g / 6
        else:
            z = x - g * (x**2 - 1) / 6 if abs(x) > 1 else x
        row = mine[1].set_index(["l1", "feature"]).loc[(l1, feature)]
        assert row["statistic"] == pytest.approx(z, rel=1e-5, abs=1e-6)
        if row["p_method"] == "tail":
            assert row["p"] == pytest.approx(2 * scipy_stats.norm.sf(abs(z)), rel=1e-3)
        else:
            assert row["p"] == pytest.approx((row["extreme"] + 1) / (row["permutations"] + 1))
    assert mine[1]["p_method"].eq("tail").any()


def test_replication_of_the_list_is_redone_from_the_table_of_tests(corpus):
    _, tests, inventory = mined(corpus)
    candidates = tests[tests["replication_list"].notna()]
    assert len(candidates)
    for row in candidates.itertuples():
        better = candidates.loc[candidates["replication"] >= row.replication, "replication"]
        assert row.replication_list == pytest.approx(better.mean(), rel=1e-12)
    chosen = candidates[candidates["replication_list"] >= 0.7]
    assert set(zip(chosen["l1"], chosen["feature"], strict=True)) == set(
        zip(inventory["l1"], inventory["feature"], strict=True)
    )
