"""Which pydantic models hold just what they dump, so that they can be read field by field."""

from __future__ import annotations

from typing import Any

import pydantic.main
from pydantic import BaseModel
from pydantic_core import SchemaSerializer

# Per node of a core schema that dumps a JSON value as it stands: the keys that hold further nodes, and the keys that
# change nothing about a dump. A node that is not here, or has another key (an alias, an exclusion, a computed field, a
# serializer, extra fields), makes its model one that only pydantic can dump.
_NODES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "any": ((), ()),
    "bool": ((), ("strict",)),
    "str": ((), ()),
    "literal": ((), ("expected",)),
    "default": (("schema",), ("default", "default_factory")),
    "nullable": (("schema",), ()),
    "union": (("choices",), ()),
    "tagged-union": (("choices",), ("discriminator", "strict", "from_attributes")),
    "list": (("items_schema",), ()),
    "dict": (("keys_schema", "values_schema"), ()),
    "model": ((), ("cls", "schema", "config", "custom_init", "root_model")),
    "model-fields": ((), ("fields", "model_name", "computed_fields")),
    "model-field": (("schema",), ("serialization_exclude_if",)),
}
_SAID_NOTHING = ("type", "ref", "metadata")

# A model's fields by name, each with the models that may stand in it.
Fields = tuple[tuple[str, tuple[tuple[type, "Fields"], ...]], ...]


def is_unsaid(value: object) -> bool:
    """The one `exclude_if` that may stand at a field of a plain model: nobody said, so the dump says nothing."""
    return value is None


class _Unplain(Exception):
    """Only pydantic can dump this model."""


def plain_fields(cls: Any) -> Fields | None:
    """The fields of a model whose `model_dump` gives what they hold; None where that is not certain."""
    try:
        if not issubclass(cls, BaseModel) or cls.model_dump is not BaseModel.model_dump:
            return None
        # Whoever puts another function in its place, be it before this module loads, has it from elsewhere.
        if cls.model_dump.__globals__ is not vars(pydantic.main):
            return None
        if type(cls.__pydantic_serializer__) is not SchemaSerializer:
            return None
        models = _models(cls.__pydantic_core_schema__)
    except (_Unplain, AttributeError, TypeError):
        return None
    return models[0][1] if len(models) == 1 and models[0][0] is cls else None


def _models(node: Any) -> tuple[tuple[type, Fields], ...]:
    """The models in a node of a core schema."""
    inner = _inner(node)
    if node["type"] == "model":
        fields = node["schema"]
        _inner(fields)
        if node.get("root_model") or node.get("config", {}).keys() - {"title"} or fields["type"] != "model-fields":
            raise _Unplain
        if fields.get("computed_fields"):
            raise _Unplain
        return ((node["cls"], tuple((name, _models(field)) for name, field in fields["fields"].items())),)
    return tuple(model for part in inner for model in _models(part))


def _inner(node: Any) -> list[Any]:
    """The nodes right below a node, which must be of a kind that changes nothing."""
    holds, harmless = _NODES.get(node["type"], (None, ()))
    if holds is None or not node.keys() <= {*_SAID_NOTHING, *holds, *harmless}:
        raise _Unplain
    if node.get("serialization_exclude_if", is_unsaid) is not is_unsaid:
        raise _Unplain
    found: list[Any] = []
    for key in holds:
        below = node.get(key, [])
        found += below.values() if key == "choices" and isinstance(below, dict) else [below]
        if isinstance(below, list):
            found[-1:] = below
    return found
