"""Closes an SDK's request type: what it does not name is refused.

A plain `TypeAdapter(SdkTypedDict)` finds next to nothing: it ignores unknown keys, never visits the items of
an `Iterable` field, lets any dict through the response models that request unions list, and takes every field
for optional where annotations are postponed. `closed` builds the type anew without these holes: TypedDicts
forbid extra keys, iterables become lists, models leave the unions, and a union whose members each have their
own literal `type` is told apart by it, so that an error names the key instead of every failed branch.
"""

from __future__ import annotations

import collections.abc
import types
import typing
from typing import Any

import pydantic
import typing_extensions as te

Allowed = dict[str, dict[str, Any]]

# Called with types that exist only at run time, which a type checker cannot follow.
_TYPED_DICT: Any = te.TypedDict
_UNION: Any = typing.Union

_REQUIRED: tuple[Any, ...] = (typing.Required, te.Required) if hasattr(typing, "Required") else (te.Required,)
_OPTIONAL: tuple[Any, ...] = (
    (typing.NotRequired, te.NotRequired) if hasattr(typing, "NotRequired") else (te.NotRequired,)
)
_ANNOTATED: tuple[Any, ...] = (typing.Annotated, te.Annotated)
_LITERALS: tuple[Any, ...] = (typing.Literal, te.Literal)
_UNIONS: tuple[Any, ...] = (typing.Union, types.UnionType)
_LISTS: tuple[Any, ...] = (collections.abc.Iterable, collections.abc.Sequence, list)

_built: dict[Any, Any] = {}


def closed(annotation: Any, allowed: Allowed | None = None) -> Any:
    """`allowed` names keys of some TypedDicts that are admitted beyond the SDK's own."""
    allowed = allowed or {}
    origin, arguments = te.get_origin(annotation), te.get_args(annotation)
    if te.is_typeddict(annotation):
        return _closed_dict(annotation, allowed)
    if isinstance(annotation, te.TypeAliasType):
        return closed(annotation.__value__, allowed)
    if origin in _ANNOTATED:
        return closed(arguments[0], allowed)
    if origin in _UNIONS:
        return _closed_union(annotation, allowed)
    if origin in _LISTS or getattr(origin, "__name__", "") == "SequenceNotStr":
        return types.GenericAlias(list, (closed(arguments[0], allowed),))
    if origin in (dict, collections.abc.Mapping):
        return types.GenericAlias(dict, (arguments[0], closed(arguments[1], allowed)))
    if "Base64FileInput" in (getattr(annotation, "__name__", ""), type(annotation).__name__):
        return te.Never
    return Any if annotation is object else annotation


def _closed_dict(source: Any, allowed: Allowed) -> Any:
    key = (source, tuple(sorted((name, *sorted(fields)) for name, fields in allowed.items())))
    if key in _built:
        return _built[key]
    _built[key] = dict[str, Any]  # what a TypedDict that holds itself sees of itself
    fields: dict[str, Any] = {}
    for name, annotation in te.get_type_hints(source, include_extras=True).items():
        inner = closed(_bare(annotation), allowed)
        fields[name] = te.Required[inner] if _is_required(source, name, annotation) else te.NotRequired[inner]
    for name, annotation in allowed.get(source.__name__, {}).items():
        fields[name] = te.NotRequired[annotation]
    built = _TYPED_DICT(source.__name__, fields, total=False)
    open_source = (getattr(source, "__pydantic_config__", None) or {}).get("extra") == "allow"
    built.__pydantic_config__ = pydantic.ConfigDict(
        extra="allow" if open_source else "forbid", arbitrary_types_allowed=True
    )
    _built[key] = built
    return built


def _closed_union(annotation: Any, allowed: Allowed) -> Any:
    members = [member for member in _flat(annotation) if not _is_model(member)]
    dicts = [member for member in members if te.is_typeddict(member)]
    others = [closed(member, allowed) for member in members if not te.is_typeddict(member)]
    closed_dicts = [closed(member, allowed) for member in dicts]
    kinds = [_literal_types(member) for member in dicts]
    if len(dicts) > 1 and all(kinds) and sum(map(len, kinds)) == len(set().union(*kinds)):
        by_type = _UNION[tuple(closed_dicts)]
        closed_dicts = [te.Annotated[by_type, pydantic.Field(discriminator="type")]]
    return _UNION[tuple(closed_dicts + others)]


def _flat(annotation: Any) -> list[Any]:
    if isinstance(annotation, te.TypeAliasType):
        return _flat(annotation.__value__)
    origin = te.get_origin(annotation)
    if origin in _ANNOTATED:
        return _flat(te.get_args(annotation)[0])
    if origin in _UNIONS:
        return [inner for member in te.get_args(annotation) for inner in _flat(member)]
    return [annotation]


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel)


def _is_required(source: Any, name: str, annotation: Any) -> bool:
    """Read off the hint: `__required_keys__` is wrong where the metaclass saw `Required[…]` as a string."""
    origin = te.get_origin(annotation)
    if origin in _REQUIRED + _OPTIONAL:
        return origin in _REQUIRED
    return name in source.__required_keys__


def _bare(annotation: Any) -> Any:
    while te.get_origin(annotation) in (*_REQUIRED, *_OPTIONAL, te.ReadOnly):
        annotation = te.get_args(annotation)[0]
    return annotation


def _literal_types(source: Any) -> set[str]:
    """The values of a required literal `type`; none where there is no such field."""
    annotation = te.get_type_hints(source, include_extras=True).get("type")
    if annotation is None or not _is_required(source, "type", annotation):
        return set()
    annotation = _bare(annotation)
    is_literal = te.get_origin(annotation) in _LITERALS
    return {v for v in te.get_args(annotation) if isinstance(v, str)} if is_literal else set()
