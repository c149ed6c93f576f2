"""What vendors, keys, endpoints, models and aliases may be called."""

from typing import Annotated

from pydantic import AfterValidator, Field

from weft.infra.errors import NotAModelNameError

# LED-9: somebody else's name for what the vendor itself calls deepseek-chat
NOT_MODEL_NAMES = frozenset({"deepseek-3.2"})
_NAME = r"^[a-z0-9]+([._-][a-z0-9]+)*$"
_MODEL = r"^[A-Za-z0-9][A-Za-z0-9._:@/+-]*$"


def refuse_foreign_name(name: str) -> str:
    """The name, unless it is one that stands for another model's."""
    if name.strip().lower().rpartition("/")[2] in NOT_MODEL_NAMES:
        message = NotAModelNameError(name.strip()).detail
        raise ValueError(message)
    return name


def split_reference(reference: str) -> tuple[str, str]:
    """`vendor/model` as its two parts; a model's name may hold further slashes."""
    vendor, _, model = reference.partition("/")
    return vendor, model


Name = Annotated[str, Field(pattern=_NAME, min_length=1, max_length=60, examples=["main"])]
AliasName = Annotated[
    str, Field(pattern=_NAME, min_length=1, max_length=64, examples=["default"]), AfterValidator(refuse_foreign_name)
]
ModelName = Annotated[
    str,
    Field(pattern=_MODEL, min_length=1, max_length=128, examples=["deepseek-chat"]),
    AfterValidator(refuse_foreign_name),
]
ModelReference = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9]+([._-][a-z0-9]+)*/[A-Za-z0-9][A-Za-z0-9._:@/+-]*$",
        max_length=190,
        examples=["deepseek/deepseek-chat"],
    ),
    AfterValidator(refuse_foreign_name),
]
