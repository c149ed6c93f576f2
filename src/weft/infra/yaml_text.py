"""The infrastructure as YAML: read strictly, with the line where something is wrong, and written for people."""

from collections.abc import Hashable
from typing import Any

import yaml
from pydantic import ValidationError

from weft.infra.errors import InfraInvalidError
from weft.infra.items import plain
from weft.infra.shapes import Document
from weft.kit.text import replace_unstorable

LARGEST = 4 << 20  # characters
_DEEPEST = 20


class _Strict(yaml.SafeLoader):
    """Refuses what makes a file mean something else than it shows: aliases, and a key that stands twice."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not read here", self._here())
        self._depth += 1
        if self._depth > _DEEPEST:
            raise yaml.composer.ComposerError(None, None, f"is nested more than {_DEEPEST} levels", self._here())
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def _here(self) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        return event.start_mark

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key, _ in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if name is not None and name in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{name!r} stands here twice", key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


def read_document(text: str, source: str) -> Document:
    """The document a file holds, or what is wrong with it: the path, the value, and what would be right."""
    if len(text) > LARGEST:
        raise InfraInvalidError(f"{source} has more than {LARGEST} characters; import it in parts", field="document")
    try:
        raw = yaml.load(text, Loader=_Strict)  # noqa: S506 - a SafeLoader, only stricter
    except yaml.YAMLError as error:
        raise InfraInvalidError(f"{source} is not YAML that is read here: {_words(error)}", field="document") from None
    except (ValueError, RecursionError) as error:  # for example a date that no calendar has
        raise InfraInvalidError(f"{source} is not YAML that is read here: {error}", field="document") from None
    try:
        return Document.model_validate(raw if raw is not None else {})
    except ValidationError as error:
        raise InfraInvalidError.of(error) from None


def _words(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    where = "" if mark is None else f" (line {mark.line + 1}, column {mark.column + 1})"
    return replace_unstorable(f"{getattr(error, 'problem', None) or 'it breaks off'}{where}")


class _Careful(yaml.SafeDumper):
    """Quotes whatever a reader of YAML might take for something else, or for a line's end."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    odd = not text.isprintable() or text != text.strip() or any(character > "\ud7ff" for character in text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if odd else None)


_Careful.add_representer(str, _text)


def write_document(document: Document) -> str:
    """The document as YAML: what it sets, and only that."""
    shown = plain(document.model_dump(exclude_unset=True)) | {"version": document.version}
    order = {"version": 0, "vendors": 1, "aliases": 2}
    ordered = dict(sorted(shown.items(), key=lambda pair: order[pair[0]]))
    text: str = yaml.dump(ordered, Dumper=_Careful, allow_unicode=True, sort_keys=False, width=1 << 20)
    return text
