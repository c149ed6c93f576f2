"""What can be wrong with a question put to a computation; the caller can put all of it right."""

from collections.abc import Sequence

from weft.kit.errors import ConflictError, InvalidError


class BirthDataError(InvalidError):
    """Birth data that cannot be computed with."""

    code = "birth_data_invalid"
    title = "The birth data cannot be computed with"


class ComputeOptionError(InvalidError):
    """A school, a house system or a spread that does not exist."""

    code = "compute_option_invalid"
    title = "There is no such option for this computation"


class DrawRecordError(InvalidError):
    """A recorded draw that its own seed does not lead to."""

    code = "draw_record_invalid"
    title = "The recorded draw does not follow from its seed"


class ComputeDataMissingError(ConflictError):
    """What a computation needs of the user is not there yet; `missing` names it."""

    code = "compute_data_missing"
    title = "Something that the computation needs was not given yet"

    def __init__(self, compute_type: str, missing: Sequence[str], how: str) -> None:
        super().__init__(f"{compute_type} needs {', '.join(missing)}, which is not there: {how}", field=missing[0])
        self.missing = tuple(missing)


def one_of(value: str, known: tuple[str, ...], field: str) -> None:
    """Refuse an option that is not known, naming those that are."""
    if value not in known:
        raise ComputeOptionError(f"{field} {value!r:.40} is not known; write one of {', '.join(known)}", field=field)
