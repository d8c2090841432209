"""What Gemini and Bedrock have and the others have not: the model in the URL, media as bytes, objects of their SDKs."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

import pytest
import toolwire
from toolwire import BedrockDialect, ChatDialect, GeminiDialect, ImagePart, Rendered, ShapeError, TextPart, convert

MEDIA = bytes(range(250, 256)) * 3
TEXT = base64.b64encode(MEDIA).decode()
IMAGE = ImagePart(f"data:image/png;base64,{TEXT}")


def gemini(data: Any, key: str = "inlineData", kind: str = "mimeType") -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": "look"}, {key: {"data": data, kind: "image/png"}}]}]}


def bedrock(data: Any) -> dict[str, Any]:
    image = {"image": {"format": "png", "source": {"bytes": data}}}
    return {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "look"}, image]}]}


@pytest.mark.parametrize(("dialect", "body"), [(GeminiDialect(), gemini), (BedrockDialect(), bedrock)])
def test_bytes_read_as_base64_and_stay_bytes_where_nothing_changes(dialect: Any, body: Any) -> None:
    assert "+" in TEXT
    assert "/" in TEXT
    for data in (MEDIA, bytearray(MEDIA), TEXT):
        given = body(data)
        before = copy.deepcopy(given)
        request = dialect.parse_request(given)
        assert request.messages[0].content == (TextPart("look"), IMAGE)
        assert dialect.render_request(request).body == body(TEXT)
        assert dialect.seal(given) == given == before
        changed = dialect.apply_overrides(given, "n", {"temperature": 1})
        conversation = "contents" if "contents" in given else "messages"
        assert changed[conversation] == given[conversation]
        assert given == before


def test_a_body_as_boto3_takes_it() -> None:
    for given in (bedrock(TEXT), bedrock(MEDIA)):
        assert BedrockDialect().to_boto(given) == bedrock(MEDIA)
    with pytest.raises(ShapeError, match=r"^messages\[0\].content\[1\].image.source.bytes: "):
        BedrockDialect().to_boto(bedrock("?"))


def test_other_wires_have_no_bytes() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": MEDIA}]}
    for act in (ChatDialect().parse_request, ChatDialect().seal):
        with pytest.raises(ShapeError, match=r"^messages\[0\].content: expected JSON, not bytes$"):
            act(body)


def test_objects_of_google_genai_in_every_form() -> None:
    types = pytest.importorskip("google.genai.types")
    blob = types.Blob(data=MEDIA, mime_type="image/png")
    content = types.Content(role="user", parts=[types.Part(text="look"), types.Part(inline_data=blob)])
    # As objects and as JSON they spell bytes with the letters for URLs.
    dumps = [content, content.to_json_dict(), content.model_dump(exclude_none=True)]
    for form in [*dumps, content.model_dump(exclude_none=True, by_alias=True)]:
        read = GeminiDialect().parse_request({"contents": [form]})
        assert read.messages[0].content == (TextPart("look"), IMAGE)
        assert GeminiDialect().render_request(read).body["contents"][0]["parts"][0] == {"text": "look"}
        sent = ChatDialect().render_request(read).body["messages"][0]["content"][1]
        assert sent == {"type": "image_url", "image_url": {"url": IMAGE.url}}


@pytest.mark.parametrize("form", [dict, json.dumps, lambda body: json.dumps(body).encode()])
def test_the_model_that_stands_in_the_url_is_not_lost(form: Any) -> None:
    chat = {"model": "gemini-3-pro", "messages": [{"role": "user", "content": "hi"}]}
    for target in ("gemini", GeminiDialect, GeminiDialect(), "gemini-2", GeminiDialect("gemini-2")):
        made = convert(form(chat), source="chat", target=target)
        assert made.model == "gemini-3-pro"
        assert "model" not in json.loads(made.to_json())
        assert type(made.body) is type(form(chat))
    assert convert(form({**chat, "model": "m"}), source="chat", target="bedrock").model is None
    assert convert(form(chat), source="chat", target="anthropic").model is None


def test_the_model_is_a_field_like_the_others() -> None:
    made = Rendered({"contents": []}, model="m")
    assert made.to_dict() == {"body": {"contents": []}, "losses": [], "model": "m"}
    assert "model" not in Rendered({"contents": []}).to_dict()
    assert made != made.replace(model=None) == Rendered({"contents": []})
    assert repr(made) == "Rendered(body={'contents': []}, losses=(), model='m')"
    # What a pickle of an earlier version says.
    assert Rendered._from_json('{"contents":[]}', ()) == Rendered({"contents": []})
    with pytest.raises(ShapeError, match=r"^model: "):
        Rendered({}, model=3)  # type: ignore[arg-type]


def test_a_target_decides_what_is_written() -> None:
    chat = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "probe", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "bad", "_vf_is_error": True},
        ],
    }
    request = ChatDialect().parse_request(chat)
    for dialect, target, says in (
        (BedrockDialect(), "bedrock", True),
        (BedrockDialect("palmyra"), "palmyra", False),
        (BedrockDialect("palmyra"), BedrockDialect("palmyra"), False),
    ):
        made = dialect.render_request(request)
        assert made == convert(chat, source="chat", target=target)
        result = made.body["messages"][2]["content"][0]["toolResult"]
        assert ("status" in result) == says
        assert [loss.code for loss in made.losses if loss.code.startswith("outcome")] == ["outcome.labelled"] * (
            not says
        )
        alone = dialect.message_to_wire(request.messages[2])
        assert alone["content"][0]["toolResult"] == result
    assert json.loads(convert(json.dumps(chat), source="chat", target="palmyra").body) == made.body


def test_a_rollout_is_of_no_named_target() -> None:
    for name in toolwire.TARGETS:
        with pytest.raises(toolwire.UnsupportedError, match=r"^dialect: "):
            toolwire.Rollout(name)
