"""Bodies: what comes in as one type goes out as it, and a dict shares what did not change."""

from __future__ import annotations

import collections
import json
import threading
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
import toolwire
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from toolwire import (
    AnthropicDialect,
    BedrockDialect,
    ChatDialect,
    GeminiDialect,
    LossWarning,
    ResponsesDialect,
    ShapeError,
    UserMessage,
    convert,
)

LABEL = "Tool execution failed:\n"
CHAT, RESPONSES, ANTHROPIC = ChatDialect(), ResponsesDialect(), AnthropicDialect()
GEMINI, BEDROCK = GeminiDialect(), BedrockDialect()

FAILED = {"role": "tool", "tool_call_id": "c", "content": "x", "_vf_is_error": True}
SEALED = {"role": "tool", "tool_call_id": "c", "content": LABEL + "x"}


def chat(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **fields}


def test_a_body_without_a_marker_comes_back_as_it_is() -> None:
    text = json.dumps(chat({"role": "user", "content": "hi"}))
    raw = text.encode()
    assert CHAT.seal(raw) is raw
    assert CHAT.seal(text) is text
    body = chat({"role": "user", "content": "hi"})
    sealed = CHAT.seal(body)
    assert sealed == body
    assert sealed is not body
    assert sealed["messages"] is body["messages"]


def gemini(response: dict[str, Any]) -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": "hi"}, {"functionResponse": {"name": "f", **response}}]}]}


def bedrock(**result: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [], **result}}]}]}


# A model that takes no status, and what a failure becomes for it.
PALMYRA = {"modelId": "writer.palmyra-x5-v1:0"}
LABELLED = bedrock(content=[{"text": LABEL}])


@pytest.mark.parametrize(
    ("dialect", "body", "expected"),
    [
        (
            CHAT,
            chat({"role": "user", "content": "hi"}, FAILED, temperature=1.0),
            chat({"role": "user", "content": "hi"}, SEALED, temperature=1.0),
        ),
        (
            GEMINI,
            gemini({"response": {"output": "x"}, "_vf_is_error": True}),
            gemini({"response": {"error": "x"}}),
        ),
        (
            GEMINI,
            gemini({"response": {"n": 1}, "_vf_is_error": False}),
            gemini({"response": {"output": {"n": 1}}}),
        ),
        (BEDROCK, bedrock(_vf_is_error=True), bedrock(status="error")),
        (BEDROCK, bedrock(_vf_is_error=False), bedrock(status="success")),
        (BedrockDialect("palmyra"), bedrock(_vf_is_error=False), bedrock()),
        (BedrockDialect("palmyra"), bedrock(_vf_is_error=True), LABELLED),
        (BEDROCK, PALMYRA | bedrock(_vf_is_error=True), PALMYRA | LABELLED),
    ],
    ids=[
        "chat",
        "gemini, failed",
        "gemini, worked",
        "bedrock, failed",
        "bedrock, worked",
        "palmyra, worked",
        "palmyra, failed",
        "palmyra by its model",
    ],
)
def test_every_type_gives_the_same_sealed_body(dialect: Any, body: dict[str, Any], expected: dict[str, Any]) -> None:
    text = json.dumps(body)
    for given_body, kind in (
        (body, dict),
        (MappingProxyType(body), dict),
        (text, str),
        (text.encode(), bytes),
        (bytearray(text.encode()), bytearray),
        (memoryview(text.encode()), bytes),
    ):
        sealed: Any = dialect.seal(given_body)
        assert type(sealed) is kind
        assert (sealed if kind is dict else json.loads(sealed)) == expected
        again: Any = dialect.seal(sealed)
        assert again == sealed
    assert json.dumps(body) == text


def test_a_dict_shares_what_did_not_change() -> None:
    class Opaque:
        pass

    user = {"role": "user", "content": Opaque()}
    tools = [{"type": "function", "x": Decimal(1)}]
    body = chat(user, FAILED, user, tools=tools, temperature=1, weird=Opaque(), when=Decimal("1.5"))
    sealed = CHAT.seal(body)
    assert list(sealed) == list(body)
    assert sealed["messages"] == [user, SEALED, user]
    assert sealed["messages"][0] is user
    assert sealed["tools"] is tools
    assert sealed["weird"] is body["weird"]
    assert sealed["when"] is body["when"]
    assert type(sealed["temperature"]) is int
    steered = CHAT.apply_overrides(body, "n", {"temperature": 0.5, "top_k": 3})
    assert steered["messages"] == sealed["messages"]
    assert steered["tools"] is tools
    assert steered["weird"] is body["weird"]
    assert (steered["model"], steered["temperature"], steered["top_k"]) == ("n", 0.5, 3)
    assert body["model"] == "m"


def test_a_contradiction_is_refused_by_its_place() -> None:
    said = r"^contents\[0\]\.parts\[1\]\.functionResponse\._vf_is_error: says something else than error"
    with pytest.raises(toolwire.MarkerError, match=said):
        GEMINI.seal(gemini({"response": {"error": "x"}, "_vf_is_error": False}))
    said = r"^messages\[0\]\.content\[0\]\.toolResult\._vf_is_error: says something else than status"
    with pytest.raises(toolwire.MarkerError, match=said):
        BEDROCK.seal(bedrock(status="success", _vf_is_error=True))


def test_losses_and_errors_name_the_place_in_the_whole_body() -> None:
    user = {"role": "user", "content": "x"}
    with pytest.warns(LossWarning, match=r"^messages\[2\]\._vf_is_error: marker\.misplaced"):
        sealed = CHAT.seal(chat(user, user, {**user, "_vf_is_error": True}))
    assert sealed == chat(user, user, user)
    with pytest.raises(toolwire.MarkerError, match=r"^messages\[1\]\._vf_is_error: "):
        CHAT.seal(chat(user, {**FAILED, "_vf_is_error": "yes"}))
    with pytest.raises(ShapeError, match=r"^messages\[1\]\.content\[0\]: expected JSON, not set"):
        CHAT.seal(chat(user, {**FAILED, "content": [{1}]}))


def test_a_marker_elsewhere_is_removed_from_dicts_as_from_bytes() -> None:
    body = chat(FAILED, metadata={"a": [{"_vf_is_error": False, "b": 1}]}, _vf_is_error=True)
    with pytest.warns(LossWarning):
        sealed = CHAT.seal(body)
    with pytest.warns(LossWarning):
        raw = CHAT.seal(json.dumps(body))
    assert sealed == json.loads(raw) == chat(SEALED, metadata={"a": [{"b": 1}]})


SCALAR = (
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(0, 2, allow_subnormal=False) | st.text("ab", max_size=3)
)
CONTENT = st.text("xT ", max_size=5) | st.just(LABEL) | st.just([{"type": "text", "text": "t"}]) | st.none()
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "tool", "assistant"]), "content": CONTENT},
    optional={"_vf_is_error": st.booleans() | st.none(), "tool_call_id": st.just("c"), "x": SCALAR},
)
ITEM = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "function_call_output", "custom_tool_call_output"]), "output": CONTENT},
    optional={"_vf_is_error": st.booleans() | st.none(), "call_id": st.just("c")},
)
BLOCKS = st.fixed_dictionaries(
    {
        "role": st.just("user"),
        "content": st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from(["text", "tool_result"])},
                optional={"_vf_is_error": st.booleans(), "content": CONTENT},
            ),
            max_size=3,
        ),
    }
)
RESPONSE = st.dictionaries(st.sampled_from(["error", "output", "n"]), SCALAR | st.just({"output": None}), max_size=3)
PARTS = st.fixed_dictionaries(
    {"role": st.just("user")},
    optional={
        "parts": st.lists(
            st.dictionaries(
                st.sampled_from(["text", "functionResponse", "function_response", "_vf_is_error"]),
                st.just("x")
                | st.fixed_dictionaries(
                    {"name": st.just("f")},
                    optional={
                        "response": RESPONSE | st.none() | st.just("x"),
                        "_vf_is_error": st.booleans() | st.none(),
                    },
                ),
                max_size=2,
            ),
            max_size=3,
        )
    },
)
RESULTS = st.fixed_dictionaries(
    {"role": st.just("user")},
    optional={
        "content": st.lists(
            st.dictionaries(
                st.sampled_from(["text", "toolResult"]),
                st.fixed_dictionaries(
                    {"toolUseId": st.just("c")},
                    optional={
                        "status": st.sampled_from(["success", "error", None]),
                        "_vf_is_error": st.booleans() | st.none(),
                    },
                ),
                max_size=2,
            ),
            max_size=3,
        )
    },
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "temperature": SCALAR,
        "top_p": SCALAR,
        "max_tokens": SCALAR,
        "max_completion_tokens": SCALAR,
        "max_output_tokens": SCALAR,
        "reasoning": st.none()
        | st.fixed_dictionaries({}, optional={"effort": st.just("low"), "summary": st.just("auto")}),
        "output_config": st.none() | st.fixed_dictionaries({}, optional={"effort": st.just("low"), "format": SCALAR}),
        "generationConfig": st.none() | st.fixed_dictionaries({}, optional={"topP": SCALAR, "stopSequences": SCALAR}),
        "inferenceConfig": st.none() | st.fixed_dictionaries({}, optional={"topP": SCALAR, "maxTokens": SCALAR}),
        "modelId": st.just("old"),
        "include": st.none() | st.lists(st.sampled_from(["a", "reasoning.encrypted_content"]), max_size=2),
        "tools": st.none() | st.lists(st.fixed_dictionaries({"name": SCALAR}), max_size=2),
        "model": st.just("old"),
        "system": st.just("s" * 500),
        "_vf_is_error": st.booleans(),
    },
)
SAMPLING = st.fixed_dictionaries(
    {},
    optional={
        "temperature": SCALAR,
        "top_p": SCALAR,
        "max_tokens": st.integers(1, 9),
        "reasoning_effort": st.sampled_from(["low", "high"]),
        "tools": st.just([]),
        "extra_body": st.fixed_dictionaries({}, optional={"top_k": st.just(1), "max_completion_tokens": st.just(4)}),
    },
)


@pytest.mark.parametrize(
    ("dialect", "key", "message"),
    [
        (CHAT, "messages", MESSAGE),
        (RESPONSES, "input", ITEM),
        (ANTHROPIC, "messages", BLOCKS),
        (GEMINI, "contents", PARTS),
        (BEDROCK, "messages", RESULTS),
        (ChatDialect("cohere"), "messages", MESSAGE),
        (ChatDialect("mistral"), "messages", MESSAGE),
        (BedrockDialect("palmyra"), "messages", RESULTS),
    ],
    ids=["chat", "responses", "anthropic", "gemini", "bedrock", "cohere", "mistral", "palmyra"],
)
@pytest.mark.filterwarnings("ignore::toolwire.LossWarning")
def test_dicts_and_bytes_agree(dialect: Any, key: str, message: Any) -> None:
    model = st.sampled_from(["gpt-5", "claude", "openai/o3", "writer.palmyra-x5"])

    @given(st.lists(message, max_size=4), FIELDS, SAMPLING, model)
    def agree(messages: list[Any], fields: dict[str, Any], sampling: dict[str, Any], model: str) -> None:
        body = {**fields, key: messages}
        before = json.dumps(body)

        def outcome(act: Any) -> Any:
            try:
                value = act()
            except toolwire.ToolwireError as error:
                return type(error), str(error)
            value = value if isinstance(value, dict) else json.loads(value)
            return json.dumps(value)

        assert outcome(lambda: dialect.seal(body)) == outcome(lambda: dialect.seal(before.encode()))
        assert outcome(lambda: dialect.apply_overrides(body, model, sampling)) == outcome(
            lambda: dialect.apply_overrides(before.encode(), model, sampling)
        )
        assert json.dumps(body) == before

    agree()


def test_knobs_get_the_names_of_the_server() -> None:
    body = chat(top_p=1, max_completion_tokens=9)
    steered = ChatDialect("cohere").apply_overrides(body, "n", {"top_p": 0.5, "stop": "x"})
    assert steered == {"model": "n", "messages": [], "p": 0.5, "stop_sequences": ["x"], "max_tokens": 9}
    steered = ChatDialect("mistral").apply_overrides(body, "n", {"seed": 7, "max_tokens": 5})
    assert steered == {"model": "n", "messages": [], "top_p": 1, "random_seed": 7, "max_tokens": 5}


class Sampling(BaseModel):
    temperature: float | None = None
    max_tokens: int | None = None


def test_sampling_may_be_a_model() -> None:
    body = chat(temperature=1.0, max_completion_tokens=5)
    steered = CHAT.apply_overrides(body, "n", Sampling(max_tokens=9))
    assert steered == {"model": "n", "messages": [], "temperature": 1.0, "max_tokens": 9}
    assert CHAT.apply_overrides(body, "n") == {**body, "model": "n"}
    assert CHAT.apply_overrides(body, "n", None) == {**body, "model": "n"}
    for wrong in ([], "x", 3):
        with pytest.raises(ShapeError, match=r"^sampling: "):
            CHAT.apply_overrides(body, "n", wrong)  # type: ignore[call-overload]
    with pytest.raises(ShapeError, match=r"^model: "):
        CHAT.apply_overrides(body, 3)  # type: ignore[call-overload]
    with pytest.raises(ShapeError, match=r"^sampling\.temperature: "):
        CHAT.apply_overrides(body, "n", {"temperature": float("nan")})


def test_convert_gives_what_it_got() -> None:
    body = chat({"role": "user", "content": "hi"})
    text = json.dumps(body)
    made = convert(body, source="chat", target="chat")
    assert made.body == body
    assert type(made.body) is dict
    assert convert(text, source=CHAT, target="chat").body == json.dumps(body, separators=(",", ":"))
    raw = convert(text.encode(), source=ChatDialect, target=CHAT)  # type: ignore[arg-type]
    assert raw.body == json.dumps(body, separators=(",", ":")).encode()
    assert raw.to_bytes() is raw.body
    assert made.to_bytes() == raw.body
    assert made.to_json() == raw.to_json()


def test_sdk_objects_may_stand_in_a_body() -> None:
    from openai.types.chat import ChatCompletionMessage

    turn = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        }
    )
    request = CHAT.parse_request(chat({"role": "user", "content": "hi"}, turn))
    assert request.messages[1] == toolwire.AssistantMessage(tool_calls=[toolwire.ToolCall("c", "f", "{}")])


class TextBlock(BaseModel):
    type: str = "text"
    text: str = ""
    note: str = "a default"


class HostMessage(BaseModel):
    role: str = "user"
    content: str | list[TextBlock] = ""
    name: str | None = None


def test_a_tag_that_is_a_default_is_kept_and_other_defaults_are_not() -> None:
    request = CHAT.parse_request(chat(HostMessage(content=[TextBlock(text="x")])))
    assert request.messages == (UserMessage([{"type": "text", "text": "x"}]),)


def test_hashes_take_host_objects() -> None:
    ours = UserMessage("x")
    for same in (ours, {"role": "user", "content": "x"}, {"role": "user", "content": "x", "name": None}):
        assert toolwire.message_hash(same) == ours.identity
    assert toolwire.message_hash(HostMessage(content="x")) == ours.identity
    assert toolwire.prefix_hashes([ours, HostMessage(content="x")]) == toolwire.prefix_hashes((ours, ours))
    assert len(toolwire.prefix_hashes([ours, ours])) == 2
    assert toolwire.tools_hash(None) == toolwire.tools_hash([])
    tool = toolwire.Tool("f", parameters={"type": "object"})
    assert toolwire.tools_hash([tool]) == toolwire.tools_hash([tool.to_dict()])
    with pytest.raises(ShapeError, match=r"^messages\[1\]\.content: "):
        toolwire.prefix_hashes([ours, {"role": "user"}])


def test_other_threads_run_while_a_large_body_is_read() -> None:
    raw = json.dumps(
        chat(*[{"role": "user", "content": ["x" * 10] * 0 or "\n" * 4_000_000} for _ in range(4)])
    ).encode()
    started, ticks, done = threading.Event(), [], threading.Event()

    def tick() -> None:
        started.set()
        while not done.is_set():
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    started.wait()
    before = len(ticks)
    CHAT.parse_request(raw)
    done.set()
    thread.join()
    assert len(ticks) > before


def test_no_container_hides_a_marker() -> None:
    """What a serializer could send is looked through, or refused."""
    assert CHAT.seal({"messages": [MappingProxyType(FAILED)]})["messages"] == [SEALED]
    odd: list[Any] = [
        collections.UserList([FAILED]),
        collections.deque([FAILED]),
        [MappingProxyType({**FAILED, "n": float("nan")})],
        [collections.deque([FAILED])],
        [{**FAILED, "n": b"x"}],
    ]
    for messages in odd:
        with pytest.raises(ShapeError, match=r"^messages"):
            CHAT.seal({"messages": messages})
    # What is not sent with the messages is left alone.
    kept = object()
    assert CHAT.seal({"messages": [FAILED], "client": kept})["client"] is kept


def test_an_added_message_obeys_the_rules() -> None:
    use = {"type": "tool_use", "id": "c", "name": "f", "input": {}}
    body = {"max_tokens": 5, "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": [use]}]}
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    bad = toolwire.ToolMessage.from_mcp({"content": [image], "isError": True}, tool_call_id="c")
    request = ANTHROPIC.parse_request(body)
    rendered = ANTHROPIC.render_request(request.replace(messages=[*request.messages, bad]))
    result, *rest = rendered.body["messages"][2]["content"]
    assert result["is_error"] is True
    assert [part["type"] for part in result["content"]] == ["text"]
    assert [part["type"] for part in rest] == ["text", "image"]
    with pytest.raises(toolwire.PairingError):
        ANTHROPIC.render_request(request.replace(messages=[*request.messages, bad.replace(tool_call_id="d")]))
