"""The stream: resuming, gaps, duplicates, the bounded queue, positions, and a gateway that is killed."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Gateway, LocalNetwork, free_port
from websockets.asyncio.server import ServerConnection, serve

from perpetual_exchange import AsyncClient, Client, Frame, Gap, Key, KeyExpiring, Stalled, StreamError, Upgrade
from perpetual_exchange._stream_state import StreamState

HELLO = {"type": "hello", "ts": 1, "epoch": "e1", "head": 5, "ledger": 3}


def frame(seq: int, prev: int, channel: str = "events", **more: object) -> dict[str, Any]:
    return {"channel": channel, "seq": seq, "prev": prev, "data": {"n": seq}, **more}


def state_with(*messages: dict[str, Any], channels: tuple[str, ...] = ("events",), queue: int = 100, positions: Any = None) -> StreamState:
    state = StreamState(channels, positions, queue)
    for message in messages:
        state.receive(json.dumps(message), None)
    return state


def items_of(state: StreamState) -> list[Any]:
    found: list[Any] = []
    while (item := state.take()) is not None:
        found.append(item)
    return found


def seqs(items: list[Any]) -> list[int | None]:
    return [item.seq for item in items if isinstance(item, Frame)]


SUBSCRIBED = {"type": "subscribed", "channels": ["events"], "heads": {"events": 5}}


def test_a_frame_is_yielded_once_even_if_the_gateway_repeats_it() -> None:
    state = state_with(HELLO, SUBSCRIBED, frame(6, 5), frame(6, 5), frame(8, 6), frame(6, 5))
    assert seqs(items_of(state)) == [6, 8]


def test_frames_of_one_event_count_as_received_only_with_the_last_of_them() -> None:
    state = state_with(HELLO, SUBSCRIBED, frame(6, 5, more=1))
    items_of(state)
    assert state.positions()["channels"] == {"events": 5}
    # After a reconnect both come again, and the first is not yielded twice.
    state.reset()
    for message in (HELLO, frame(6, 5, more=1), frame(6, 5)):
        state.receive(json.dumps(message), None)
    assert [item.more for item in items_of(state)] == [0]
    assert state.positions()["channels"] == {"events": 6}


def test_a_missing_frame_causes_a_new_connection_and_then_a_gap() -> None:
    state = state_with(HELLO, SUBSCRIBED, frame(6, 5))
    hole = json.dumps(frame(9, 8))
    assert state.receive(hole, None) is None
    state.reset()
    resumed = state.receive(json.dumps(HELLO), None)
    assert resumed is not None
    assert resumed[-1] == {"op": "subscribe", "channels": ["events"], "since": 6, "id": 1, "epoch": "e1"}
    assert state.receive(hole, None) == []
    found = items_of(state)
    assert found[1] == Gap(("events",), 6, 8, "hole", "e1")
    assert seqs(found) == [6, 9]


def test_positions_continue_in_another_process_and_survive_json() -> None:
    first = state_with(HELLO, SUBSCRIBED, frame(6, 5), frame(7, 6))
    assert first.take() is not None
    # Frame 7 has been received but not yielded, so it is not part of the position.
    positions = json.loads(json.dumps(first.positions()))
    assert positions == {"epoch": "e1", "channels": {"events": 6}}
    second = StreamState(["events"], positions, 10)
    sent = second.receive(json.dumps(HELLO), None)
    assert sent is not None
    assert {"since": 6, "epoch": "e1"}.items() <= sent[-1].items()
    for message in (frame(6, 5), frame(7, 6)):
        second.receive(json.dumps(message), None)
    assert seqs(items_of(second)) == [7]
    wrong: list[dict[str, Any]] = [{}, {"epoch": 1, "channels": {}}, {"epoch": "e1", "channels": {"events": "6"}}, {"epoch": "e1", "channels": {"events": -1}}]
    for invalid in wrong:
        with pytest.raises(ValueError, match="positions must be"):
            StreamState(["events"], invalid, 10)


def test_a_slow_reader_gets_a_gap_with_the_bounds_of_what_it_missed_and_continues() -> None:
    state = state_with(HELLO, SUBSCRIBED, *(frame(seq, seq - 1) for seq in range(6, 20)), queue=4)
    assert len(state.items) == 4
    found = items_of(state)
    assert seqs(found) == [6, 7, 8, 9]
    assert found[-1] == Gap(("events",), 9, 19, "slow", "e1")
    assert state.positions()["channels"] == {"events": 19}
    state.receive(json.dumps(frame(20, 19)), None)
    assert seqs(items_of(state)) == [20]


def test_a_gap_of_another_epoch_names_it_and_the_channel_continues_at_the_head() -> None:
    state = state_with(positions={"epoch": "e0", "channels": {"events": 2}})
    sent = state.receive(json.dumps(HELLO), None)
    assert sent is not None
    assert sent[-1]["epoch"] == "e0"
    for message in (
        {**SUBSCRIBED, "id": 1},
        {"type": "gap", "channels": ["events"], "since": 2, "oldest": 4, "reason": "epoch", "id": 1},
        frame(6, 5),
    ):
        state.receive(json.dumps(message), None)
    found = items_of(state)
    assert found[0] == Gap(("events",), 2, 5, "epoch", "e1")
    assert seqs(found) == [6]
    assert state.positions() == {"epoch": "e1", "channels": {"events": 6}}


def test_upgrades_and_expiring_keys_are_values_and_an_upgrade_is_yielded_once() -> None:
    upgrade = {"type": "upgrade", "contract": "market", "generation": "2.3", "wasmHash": "ab", "source": "event", "ledger": 7, "afterLedger": None, "seq": 6}
    state = state_with(HELLO, SUBSCRIBED, upgrade, upgrade, {"type": "key_expiring", "at": 1_800_000_000_000})
    assert items_of(state) == [Upgrade("market", "2.3", "ab", "event", 7, None, 6), KeyExpiring(1_800_000_000_000)]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "rejected", "channels": ["account.events.G"]}, "rejected"),
        ({"type": "login", "ok": False, "error": "invalid_credentials"}, "invalid_credentials"),
        ({"type": "unsubscribed", "channels": ["account.events.G"], "reason": "key_expired"}, "key_expired"),
    ],
)
def test_a_channel_or_key_that_is_not_accepted_ends_the_stream(message: dict[str, Any], code: str) -> None:
    with pytest.raises(StreamError) as raised:
        state_with(HELLO, message)
    assert raised.value.code == code


@asynccontextmanager
async def scripted(handler: Callable[[ServerConnection, int], Awaitable[None]]) -> AsyncGenerator[str]:
    """A server whose connections the test scripts; they are counted from 1."""
    count = 0

    async def handle(connection: ServerConnection) -> None:
        nonlocal count
        count += 1
        await handler(connection, count)

    async with serve(handle, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"http://127.0.0.1:{port}"


async def send(connection: ServerConnection, *messages: dict[str, Any]) -> None:
    for message in messages:
        await connection.send(json.dumps(message))


async def test_silence_yields_stalled_and_a_new_connection_resumes() -> None:
    resumed: list[int] = []

    async def handle(connection: ServerConnection, number: int) -> None:
        await send(connection, HELLO)
        async for text in connection:
            request = json.loads(text)
            if "events" not in request["channels"]:
                continue
            since = request.get("since", 5)
            if "since" in request:
                resumed.append(since)
            else:
                await send(connection, SUBSCRIBED)
            await send(connection, frame(since + 1, since))

    async with scripted(handle) as url, AsyncClient(url) as client, client.stream(["events"], silence=0.3) as stream:
        found: list[Any] = []
        while len(seqs(found)) < 2:
            found.append(await anext(stream))
    assert Stalled(0.3) in found
    assert seqs(found) == [6, 7]
    assert 6 in resumed


async def test_a_revoked_key_ends_the_stream_with_its_reason() -> None:
    async def handle(connection: ServerConnection, number: int) -> None:
        await send(connection, HELLO)
        await connection.close(4401, "key_revoked")

    async with scripted(handle) as url, AsyncClient(url, Key("nk_1", "s")) as client, client.stream(["events"]) as stream:
        with pytest.raises(StreamError) as raised:
            await anext(stream)
    assert raised.value.code == "key_revoked"


async def test_a_kill_of_the_gateway_during_a_stream_loses_and_repeats_nothing(network: LocalNetwork, tmp_path: Path) -> None:
    own = Gateway(network, tmp_path, free_port())
    try:
        async with AsyncClient(own.url) as client:
            await client.list_events(min_ledger=network.control("local_info")["ledger"])
            seen: list[Frame] = []
            # The silence of a gateway that starts is not the subject here.
            async with client.stream(["events"], silence=600.0) as stream:
                async for item in stream:
                    assert isinstance(item, Frame), item
                    seen.append(item)
                    if len(seen) == 3:
                        await asyncio.to_thread(own.kill)
                        await asyncio.to_thread(network.control, "local_closeLedger", count=3)
                        await asyncio.to_thread(own.start)
                    if len(seen) >= 8:
                        break
                positions = stream.positions()
            numbers = [item.seq for item in seen]
            # The archive is the log: it has exactly these events in between.
            archived = [event.seq async for event in client.events(limit=200)]
            expected = sorted(seq for seq in archived if numbers[0] is not None and numbers[-1] is not None and numbers[0] <= seq <= numbers[-1])
            assert numbers == expected
            # Another stream continues exactly there.
            async with client.stream(["events"], positions=positions, silence=600.0) as continued:
                following = await anext(continued)
            assert isinstance(following, Frame)
            assert following.prev == numbers[-1]
    finally:
        own.kill()


def test_the_synchronous_stream_yields_frames_and_closes(gateway: Gateway, key: Key) -> None:
    with Client(gateway.url, key) as client:
        owner = client.get_account_identity().data.owner
        with client.stream(["heartbeat", "ticker.BTC", f"account.orders.{owner}"]) as stream:
            found = next(stream)
            assert isinstance(found, Frame)
            assert found.channel in ("heartbeat", "ticker.BTC")
            assert list(stream.positions()["channels"]) == [f"account.orders.{owner}"]
        with pytest.raises(StreamError):
            next(stream)
