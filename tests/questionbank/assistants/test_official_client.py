"""The official client of the Model Context Protocol, over HTTP: what a person asks an assistant, with tools alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from questionbank.models import Worksheet
from tests.factories import ConceptFactory, QuestionFactory
from tests.questionbank.api_client import Assistant
from tests.questionbank.small_bank import add_set, store_vectors

DOCS = Path(__file__).resolve().parents[3] / "docs"
WISH = (
    "find five questions like this one, easier, and make a worksheet: Solve the equation $5(x - 2) = 3x + 8$ for $x$."
)
LINEAR = (  # with their difficulty, 1 to 5
    ("Solve the equation $5(x - 2) = 3x + 8$ for $x$.", 5),
    ("Solve the equation $4x - 1 = 2x + 7$ for $x$.", 4),
    ("Solve the equation $3(x + 1) = 15$ for $x$.", 3),
    ("Solve the equation $2x + 3 = 11$ for $x$.", 3),
    (r"Solve the equation $\frac{x}{2} = 6$ for $x$.", 2),
    ("Solve the equation $x + 4 = 9$ for $x$.", 1),
    ("Solve the equation $5(x - 2)(x + 1) = 3x + 8$ for $x$ and name both solutions.", 5),
)
OTHERS = (("Find the area of a circle with radius $7$ cm.", 1), (r"Work out $\frac{3}{4} + \frac{1}{6}$.", 2))

Session = Callable[[Client], Awaitable[Any]]

pytestmark = [
    pytest.mark.django_db(transaction=True, reset_sequences=True),
    pytest.mark.usefixtures("without_running_loop"),
]


@pytest.fixture
def linear(teacher) -> SimpleNamespace:
    topic, other = ConceptFactory(names=("Algebra", "Linear equations")), ConceptFactory(names=("Number",))
    questions = [
        QuestionFactory(text=text, difficulty=difficulty, difficulty_scale="1-5", concepts=[concept])
        for rows, concept in ((LINEAR, topic), (OTHERS, other))
        for text, difficulty in rows
    ]
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens), questions)
    return SimpleNamespace(questions=questions, assistant=Assistant(teacher, name="Assistant"))


def converse(url: str, secret: str, session: Session, **options: Any) -> Any:
    """Connect to a server, do what a session does, and return its result."""

    async def run() -> Any:
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:  # the first request loads every page
            transport = streamable_http_client(f"{url}/mcp", http_client=http)
            async with Client(transport, **options) as client:
                return await session(client)

    return asyncio.run(run())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_client_connects_and_reads_the_tools(live_server, linear, mode) -> None:
    async def session(client: Client) -> Any:
        return await client.list_tools(), client.protocol_version, client.instructions

    listed, version, instructions = converse(live_server.url, linear.assistant.secret, session, mode=mode)
    assert version == "2025-11-25"
    assert f"{live_server.url}/questions/" in instructions
    by_name = {tool.name: tool for tool in listed.tools}
    assert by_name["search_questions"].annotations.read_only_hint
    assert not by_name["make_worksheet"].annotations.read_only_hint


def test_the_client_shows_our_sentences(live_server, linear) -> None:
    async def session(client: Client) -> Any:
        refused = await client.call_tool("get_question", {"question": 10**6})
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("steal_keys", {})
        return refused, unknown.value.error

    refused, unknown = converse(live_server.url, linear.assistant.secret, session)
    assert (refused.is_error, refused.content[0].text) == (True, "There is no question 1000000.")
    assert (unknown.code, unknown.message) == (-32602, "Unknown tool: steal_keys")
    with pytest.raises(ExceptionGroup) as group:
        converse(live_server.url, "kdr_wrong", session)
    assert group.group_contains(MCPError, match="Send a valid key")


def test_five_easier_questions_make_a_worksheet_with_tools_alone(live_server, linear, teacher) -> None:
    """The client checks each result against the tool's schema; docs/api.md shows this conversation."""
    said = [f"> {WISH}"]

    async def session(client: Client) -> None:
        async def use(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result.content
            assert json.loads(result.content[0].text) == result.structured_content
            said.append(f"{tool} {json.dumps(arguments, ensure_ascii=False)}")
            return result.structured_content["data"]

        await client.list_tools()
        found = await use("search_questions", query=WISH.partition(": ")[2], limit=1)
        this = found["items"][0]["question"]
        said.append(f"  {this['id']}: difficulty {this['difficulty_percent']:.0f}%")
        easier = await use("find_similar", question=this["id"], difficulty="easier", k=5)
        # What follows the first sentence depends on what this process has read before.
        said.extend(f"  {item['id']}: {item['reason'].partition('. ')[0].rstrip('.')}." for item in easier["items"])
        numbers = [item["id"] for item in easier["items"]]
        made = await use("make_worksheet", name="Linear equations, easier", questions=numbers)
        said.append(f"  {json.dumps(made)}")

    converse(live_server.url, linear.assistant.secret, session)
    worksheet = Worksheet.objects.get()
    numbers = [item.question_id for item in worksheet.items.all()]
    assert worksheet.owner == teacher
    assert sorted(numbers) == [question.pk for question in linear.questions[1:6]]
    transcript = "\n".join(said).replace(live_server.url, "https://kindred.school.example")
    assert transcript in (DOCS / "api.md").read_text(encoding="utf-8"), transcript
