"""Each file of `tests/hostile` as a chat body: refused with the sentence beside it, or read; the core reads the same files."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from toolwire import ChatDialect, ToolwireError

FOLDER = Path(__file__).parents[1] / "hostile"
SENTENCES: dict[str, str | None] = json.loads((FOLDER / "expected" / "sentences.json").read_bytes())


@pytest.mark.parametrize("name", SENTENCES)
def test_every_file_has_its_sentence(name: str) -> None:
    body = (FOLDER / name).read_bytes()
    sentence = SENTENCES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if sentence is None:
            assert ChatDialect().parse_request(body).messages is not None
            return
        with pytest.raises(ToolwireError) as caught:
            ChatDialect().parse_request(body)
    assert str(caught.value) == sentence
    assert caught.value.path == sentence.split(": ")[0]
