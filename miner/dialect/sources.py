"""The forms in which eWAVE ratings come: CLDF, miner's own folder, Multi-VALUE's and Trans-EnV's tables, a user's table.

Each reader returns a :class:`Raw`: cells as the file has them, and what the source itself says about varieties and
features. A further form is one function and one line in :func:`read_raw`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from miner.errors import InputError, listed

VARIETY_COLUMNS = ("variety_id", "variety", "abbr", "type", "region", "latitude", "longitude")
FEATURE_COLUMNS = ("feature_id", "feature", "area")
_METADATA = "*-metadata.json"


@dataclass(frozen=True)
class Raw:
    """What a source holds, nothing interpreted.

    Parameters
    ----------
    cells : DataFrame
        ``row``, ``variety_id``, ``feature_id``, ``value``, ``code``.
    varieties, features : DataFrame or None
        The source's own tables; None where it has ids (or names) only.
    form : str
        Name of the form, e.g. ``"cldf"``.
    place : str
        File name for messages.
    """

    cells: pd.DataFrame
    varieties: pd.DataFrame | None
    features: pd.DataFrame | None
    form: str
    place: str


def read_raw(path: Path) -> Raw:
    """Read ratings of any known form.

    Raises
    ------
    InputError
        If the path does not exist, or holds none of the known forms.
    """
    if not path.exists():
        msg = f"There is no ratings table at {path}; give a folder with eWAVE's CLDF, a values.csv, or leave the path out for the bundled table"
        raise InputError(msg)
    if path.name.endswith("-metadata.json"):
        return _cldf(path)
    if path.is_dir():
        return _folder(path)
    return _table(path)


def _folder(path: Path) -> Raw:
    metadata = sorted(path.glob(_METADATA))
    if metadata:
        return _cldf(metadata[0])
    if (path / "ratings.csv").is_file() and (path / "varieties.csv").is_file():
        return _own(path)
    for name in ("values.csv", "ratings.csv", "ewave.csv"):
        if (path / name).is_file():
            return _table(path / name)
    msg = f"{path} holds no ratings: expected CLDF metadata ({_METADATA}), values.csv, ratings.csv or ewave.csv. Found {listed(sorted(p.name for p in path.iterdir())) or 'nothing'}"
    raise InputError(msg)


def _cldf(metadata: Path) -> Raw:
    # pycldf resolves file and column names; pandas reads the rows (pycldf's own row reader is slow).
    from pycldf import Dataset

    try:
        data = Dataset.from_metadata(metadata)
        columns = {t: data["ValueTable", t].name for t in ("languageReference", "parameterReference", "value")}
        url = str(data["ValueTable"].url)
    except (KeyError, ValueError) as err:
        msg = f"{metadata}: not the metadata of a CLDF dataset with a ValueTable ({err})"
        raise InputError(msg) from err
    names = {
        "variety_id": columns["languageReference"],
        "feature_id": columns["parameterReference"],
        "value": columns["value"],
    }
    if ("ValueTable", "codeReference") in data:
        names["code"] = data["ValueTable", "codeReference"].name
    file = metadata.parent / url
    cells = _cells(read_strings(file), names, file.name)
    varieties = _cldf_names(data, metadata.parent, "LanguageTable", ("variety_id", "variety"))
    features = _cldf_names(data, metadata.parent, "ParameterTable", ("feature_id", "feature"))
    return Raw(cells, varieties, features, "cldf", file.name)


def _cldf_names(data: object, folder: Path, component: str, roles: tuple[str, str]) -> pd.DataFrame | None:
    if component not in data:  # type: ignore[operator]
        return None
    table = data[component]  # type: ignore[index]
    columns = {data[component, "id"].name: roles[0], data[component, "name"].name: roles[1]}  # type: ignore[index]
    for term, role in (("latitude", "latitude"), ("longitude", "longitude")):
        if (component, term) in data:  # type: ignore[operator]
            columns[data[component, term].name] = role  # type: ignore[index]
    frame = read_strings(folder / str(table.url)).rename(columns=columns)
    return _described(frame, folder)


def _described(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    # eWAVE's own columns have no CLDF term: type, region and grammar area are references to small tables.
    frame = frame.rename(columns={"Type_ID": "type"})
    for reference, role, file in (
        ("Region_ID", "region", "regions.csv"),
        ("Category_ID", "area", "featurecategories.csv"),
    ):
        if reference in frame:
            labels: Mapping[str, str] = {}
            if (folder / file).is_file():
                table = read_strings(folder / file)
                labels = dict(zip(table["ID"], table["Name"], strict=True))
            frame[role] = [labels.get(v, v) for v in frame[reference]]
    return frame


def _own(folder: Path) -> Raw:
    file = folder / "ratings.csv"
    features = read_strings(folder / "features.csv") if (folder / "features.csv").is_file() else None
    return Raw(
        _wide(read_strings(file), file.name), read_strings(folder / "varieties.csv"), features, "miner", file.name
    )


def _table(file: Path) -> Raw:
    frame = read_strings(file, separator="\t" if file.suffix.lower() in (".tsv", ".tab") else ",")
    columns = set(frame.columns)
    if {"language_pk", "parameter_pk", "attestation"} <= columns:
        return _multi_value(frame, file.name)
    for names in (
        {"variety_id": "Language_ID", "feature_id": "Parameter_ID", "value": "Value", "code": "Code_ID"},
        {"variety_id": "variety_id", "feature_id": "feature_id", "value": "rating"},
        {"variety_id": "variety", "feature_id": "feature", "value": "rating"},
    ):
        if {names["variety_id"], names["feature_id"], names["value"]} <= columns:
            folder = file.parent
            languages, parameters = folder / "languages.csv", folder / "parameters.csv"
            beside = "code" in names and languages.is_file() and parameters.is_file()
            return Raw(
                _cells(frame, names, file.name),
                _described(
                    read_strings(languages).rename(
                        columns={
                            "ID": "variety_id",
                            "Name": "variety",
                            "Latitude": "latitude",
                            "Longitude": "longitude",
                        }
                    ),
                    folder,
                )
                if beside
                else None,
                _described(read_strings(parameters).rename(columns={"ID": "feature_id", "Name": "feature"}), folder)
                if beside
                else None,
                "values",
                file.name,
            )
    if (
        frame.columns[0] in ("variety_id", "variety", "Language_ID", "language", "dialect", "name", "ID")
        and len(frame.columns) > 1
    ):
        return Raw(_wide(frame, file.name), None, None, "wide", file.name)
    msg = (
        f"{file}: the columns are {listed(list(frame.columns))}; expected Language_ID, Parameter_ID and Value, or variety_id, "
        "feature_id and rating, or language_pk, parameter_pk and attestation, or one row per variety with its id or name in "
        "a first column 'variety' and one column per feature"
    )
    raise InputError(msg)


def _multi_value(frame: pd.DataFrame, place: str) -> Raw:
    cells = _cells(frame, {"variety_id": "language_pk", "feature_id": "parameter_pk", "value": "attestation"}, place)
    renamed = frame.rename(
        columns={
            "language_pk": "variety_id",
            "language_name": "variety",
            "variety_type": "type",
            "parameter_pk": "feature_id",
            "parameter_name": "feature",
        }
    )
    varieties = renamed.drop_duplicates("variety_id").reindex(columns=["variety_id", "variety", "abbr", "type"])
    features = renamed.drop_duplicates("feature_id").reindex(columns=["feature_id", "feature"])
    return Raw(cells, varieties, features, "multi-value", place)


def _cells(frame: pd.DataFrame, names: Mapping[str, str], place: str) -> pd.DataFrame:
    missing = [n for role, n in names.items() if n not in frame and role != "code"]
    if missing:
        msg = f"{place}: the columns {listed(missing)} are missing; found {listed(list(frame.columns))}"
        raise InputError(msg)
    cells = pd.DataFrame({role: frame[n] for role, n in names.items() if n in frame})
    if "code" not in cells:
        cells["code"] = ""
    cells.insert(0, "row", range(2, len(cells) + 2))
    for role in ("variety_id", "feature_id"):
        cells[role] = cells[role].str.strip()
        if (cells[role] == "").any():
            rows = [str(r) for r in cells.loc[cells[role] == "", "row"].head(10)]
            msg = f"{place}: '{names[role]}' is blank in row {', '.join(rows)}; every rating needs its variety and feature"
            raise InputError(msg)
    return cells


def _wide(frame: pd.DataFrame, place: str) -> pd.DataFrame:
    first, columns = frame.columns[0], list(frame.columns[1:])
    frame = frame.set_index(first)
    cells = pd.DataFrame(
        {
            "row": [r for r in range(2, len(frame) + 2) for _ in columns],
            "variety_id": [str(v).strip() for v in frame.index for _ in columns],
            "feature_id": [str(c).strip() for c in columns] * len(frame),
            "value": frame.to_numpy(dtype=object).ravel(),
            "code": "",
        }
    )
    if (cells["variety_id"] == "").any():
        msg = f"{place}: a row has no variety in its first column '{first}'"
        raise InputError(msg)
    return cells


def read_strings(file: Path, *, separator: str = ",") -> pd.DataFrame:
    """Read a CSV as strings, nothing interpreted as missing.

    Raises
    ------
    InputError
        If the file is missing, empty, not UTF-8 or no table.
    """
    try:
        frame = pd.read_csv(file, sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except FileNotFoundError as err:
        msg = f"There is no file {file}"
        raise InputError(msg) from err
    except UnicodeDecodeError as err:
        msg = f"{file}: byte {err.start} is not UTF-8; save the table as UTF-8"
        raise InputError(msg) from err
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as err:
        msg = f"{file}: not a readable table ({err})"
        raise InputError(msg) from err
    header = pd.read_csv(
        file, sep=separator, dtype=str, keep_default_na=False, header=None, nrows=1, encoding="utf-8-sig"
    )
    names = header.iloc[0].tolist()
    if twice := sorted({n for n in names if names.count(n) > 1}):
        msg = f"{file}: the column {listed(twice)} occurs more than once; keep one of each"
        raise InputError(msg)
    if frame.empty:
        msg = f"{file}: the table has no rows"
        raise InputError(msg)
    return frame.fillna("")
