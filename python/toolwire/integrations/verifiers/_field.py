"""The field `is_error` of the framework's `ToolMessage`, in place, and in every model that holds such a message."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel, Field, TypeAdapter
from pydantic.dataclasses import is_pydantic_dataclass, rebuild_dataclass
from pydantic.fields import FieldInfo

from toolwire._models import is_unsaid
from toolwire.integrations.verifiers._errors import HostError
from toolwire.integrations.verifiers._seams import Seams, expect, place

NAME = "is_error"
FIELDS = ("role", "tool_call_id", "content", "name")
"""What a `ToolMessage` of the framework holds by itself."""

HOLDERS = {
    "verifiers.v1.types": ("Request",),
    "verifiers.v1.graph": ("MessageNode",),
    "verifiers.v1.task": ("TaskData", "WireTaskData"),
    "verifiers.v1.trace": ("TraceTask", "Branch", "Trace"),
    "verifiers.v1.episode": ("Episode", "WireEpisode"),
}
"""The models of the framework that are known to hold a `ToolMessage`; others are found as well."""

# What building a class or an adapter again writes anew.
_BUILT = (
    "__pydantic_core_schema__",
    "__pydantic_validator__",
    "__pydantic_serializer__",
    "__pydantic_fields__",
    "__pydantic_computed_fields__",
    "__pydantic_extra_info__",
    "__pydantic_complete__",
    "__signature__",
    "core_schema",
    "validator",
    "serializer",
    "pydantic_complete",
)


def install(seams: Seams) -> None:
    """Adds the field: a bool or None, strictly; None, the default, is left out of every dump.

    Models, dataclasses and adapters of pydantic that hold a `ToolMessage` are built again, whoever made them, and live
    messages get the default. A subclass that has such a field of its own keeps that.
    """
    message = seams.look(seams.module("verifiers.v1.types"), "ToolMessage")
    fields = tuple(seams.look(message, "__pydantic_fields__"))
    expect(fields == FIELDS, place(message, "model_fields"), f"the fields {', '.join(FIELDS)}", ", ".join(fields))
    models = [seams.look(seams.module(module), name) for module, names in HOLDERS.items() for name in names]
    cache = seams.look(seams.module("verifiers.v1.utils.trace_store"), "type_adapter")
    expect(hasattr(cache, "cache_clear"), "verifiers.v1.utils.trace_store.type_adapter", "a cache", "none")

    holders = [holder for holder in _holders() if _holds(holder, message)]
    for model in models:
        expect(model in holders, place(model, "model_fields"), "a ToolMessage in one of them", "none")

    kept = [(holder, {name: vars(holder)[name] for name in _BUILT if name in vars(holder)}) for holder in holders]
    seams.undo_with(cache.cache_clear)
    seams.undo_with(lambda: _put_back(message, kept))
    for kind in _with_subclasses(message):
        if NAME not in kind.__pydantic_fields__:
            seams.replace(kind, "__pydantic_fields__", {**kind.__pydantic_fields__, NAME: _field()})
    seams.replace(message, "__annotations__", {**message.__annotations__, NAME: bool | None})
    seams.replace(message, "__setstate__", _completing(message.__setstate__))
    _build(holders)
    _complete_live(message)
    cache.cache_clear()


def _field() -> FieldInfo:
    kind: Any = bool | None
    declared: Any = Field(default=None, strict=True, exclude_if=is_unsaid)
    return FieldInfo.from_annotated_attribute(kind, declared)


def _completing(setstate: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    def __setstate__(self: Any, state: Any) -> None:
        """Pickled by a process without the field, a message says nothing about its outcome."""
        setstate(self, state)
        self.__dict__.setdefault(NAME, None)

    return __setstate__


def _complete_live(message: Any) -> None:
    """A message made before the field was there would equal none that is made now."""
    kinds = set(_with_subclasses(message))
    for found in gc.get_objects():
        if type(found) in kinds:
            found.__dict__.setdefault(NAME, None)


def _put_back(message: Any, kept: list[tuple[Any, dict[str, Any]]]) -> None:
    """Everything as it was; what was made meanwhile is built again, without the field."""
    for holder, built in kept:
        for name, value in built.items():
            setattr(holder, name, value)
    known = {id(holder) for holder, _ in kept}
    later = [holder for holder in _holders() if id(holder) not in known and _holds(holder, message)]
    for kind in _with_subclasses(message):
        if (field := kind.__pydantic_fields__.get(NAME)) is not None and field.exclude_if is is_unsaid:
            del kind.__pydantic_fields__[NAME]
    _build(later)


def _with_subclasses(model: Any) -> Iterator[Any]:
    yield model
    for sub in type.__subclasses__(model):
        yield from _with_subclasses(sub)


def _holders() -> list[Any]:
    """Whatever has a core schema: every model, and the dataclasses and adapters that the collector knows; what builds
    on others comes last."""
    others: list[Any] = []
    adapters: list[Any] = []
    for found in gc.get_objects():
        if type(found) is TypeAdapter:
            adapters.append(found)
        elif issubclass(type(found), type) and is_pydantic_dataclass(found):
            others.append(found)
    return [*dict.fromkeys(_with_subclasses(BaseModel)), *others, *adapters]


def _holds(holder: Any, message: Any) -> bool:
    """Whether a core schema that is built already has the message in it."""
    name = "core_schema" if type(holder) is TypeAdapter else "__pydantic_core_schema__"
    todo: list[Any] = [vars(holder).get(name)]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if type(node) not in (dict, list, tuple) or id(node) in seen:
            continue
        seen.add(id(node))
        if type(node) is dict:
            if isinstance(kind := node.get("cls"), type) and issubclass(kind, message):
                return True
            todo += node.values()
        else:
            todo += node
    return False


def _build(holders: list[Any]) -> None:
    """Builds core schemas again. They are taken from each other where they exist, so all of them go before the first
    one comes: then the order does not matter, nor do circles."""
    classes = [holder for holder in holders if type(holder) is not TypeAdapter]
    for kind in classes:
        del kind.__pydantic_core_schema__
        kind.__pydantic_complete__ = False
    for holder in holders:
        try:
            if type(holder) is TypeAdapter:
                holder.rebuild(force=True, _parent_namespace_depth=0)
            elif issubclass(holder, BaseModel):
                # As one that was complete: its hook for being completed is not called again.
                holder.__pydantic_complete__ = True
                holder.model_rebuild(force=True, _parent_namespace_depth=0)
            else:
                rebuild_dataclass(holder, force=True, _parent_namespace_depth=0)
        except Exception as error:
            where = str(holder) if type(holder) is TypeAdapter else f"{holder.__module__}.{holder.__qualname__}"
            raise HostError(f"{where}: expected to be built again, found {type(error).__name__}") from error
