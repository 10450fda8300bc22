"""Which column plays which role: as given, or recognised from names that leave no doubt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from miner.errors import InputError, OptionError, listed, nearest

#: Role -> groups of normalised column names; the first group that has a column decides, if it has exactly one.
KNOWN: dict[str, tuple[tuple[str, ...], ...]] = {
    "text": (
        ("text",),
        ("answer", "answertext", "essay", "essaytext", "response", "fulltext", "studenttext", "learnertext"),
    ),
    "l1": (
        (
            "l1",
            "nativelanguage",
            "mothersnativelanguage",
            "nativelang",
            "mothertongue",
            "firstlanguage",
            "motherlanguage",
        ),
    ),
    "cefr": (("cefr", "cefrlevel", "cefrl"), ("level", "levelcefr", "proficiency", "proficiencylevel")),
    "learner": (
        ("learner", "learnerid", "idlearner"),
        (
            "student",
            "studentid",
            "userid",
            "author",
            "authorid",
            "writer",
            "writerid",
            "participant",
            "participantid",
            "anonid",
        ),
    ),
    "prompt": (("prompt", "promptid"), ("task", "taskid", "topicid", "questionid"), ("topic", "question")),
    "id": (("textid",), ("id", "doc", "docid", "documentid", "essayid", "answerid", "writingid")),
    "nationality": (("nationality",),),
    "country": (("country",),),
    "task_type": (("tasktype",), ("genre",)),
    "site": (("site", "institution"),),
}
ROLES = tuple(KNOWN)


def plain(name: str) -> str:
    """Return a column name in lower case, letters and digits only."""
    return re.sub(r"[\W_]+", "", name.casefold())


def assign(columns: Sequence[str], given: Mapping[str, str], *, place: str) -> dict[str, str]:
    """Return role -> column; ``text`` is always among the roles.

    Raises
    ------
    OptionError
        If a role is not known.
    InputError
        If a column that was named is not there (with the nearest name), or no column, or several, can be the text.
    """
    for role in given:
        if role not in KNOWN:
            msg = f"Unknown column role '{role}'{nearest(role, KNOWN)}; roles are {listed(ROLES, most=20)}"
            raise OptionError(msg)
    found: dict[str, str] = {}
    for role, groups in KNOWN.items():
        column = (
            _named(role, given[role], columns, place) if role in given else _recognised(role, groups, columns, place)
        )
        if column:
            found[role] = column
    if "text" not in found:
        msg = f"{place}: no column is recognised as the text; columns are {listed(list(columns), most=40)}. Name it with the role 'text'"
        raise InputError(msg)
    return found


def _named(role: str, wanted: str, columns: Sequence[str], place: str) -> str:
    if wanted in columns:
        return wanted
    close = [c for c in columns if plain(c) == plain(wanted)]
    if len(close) == 1:
        return close[0]
    near = {c.casefold(): c for c in columns}
    hint = nearest(wanted.casefold(), near)
    for low, column in near.items():
        hint = hint.replace(f"'{low}'", f"'{column}'")
    msg = f"{place}: there is no column '{wanted}' for the role '{role}'{hint}; columns are {listed(list(columns), most=40)}"
    raise InputError(msg)


def _recognised(role: str, groups: tuple[tuple[str, ...], ...], columns: Sequence[str], place: str) -> str:
    for group in groups:
        fitting = [c for c in columns if plain(c) in group]
        if len(fitting) > 1:
            msg = f"{place}: the columns {listed(fitting)} could all be the role '{role}'; name one (all columns: {listed(list(columns), most=40)})"
            raise InputError(msg)
        if fitting:
            return fitting[0]
    return ""
