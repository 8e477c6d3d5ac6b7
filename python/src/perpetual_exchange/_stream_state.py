"""The protocol of the stream on a connection, without the connection: positions, duplicates, gaps, and the bounded queue."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from .errors import StreamError
from .keys import Key

HEARTBEAT = "heartbeat"
_CHANNELS_PER_MESSAGE = 200
_CHANNELS_MAX = 500


@dataclass(frozen=True)
class Frame:
    """A frame of a channel. `data` has the wire's members (docs/websocket.md), with amounts as digit strings.

    `seq` is its position in the log and `prev` that of the channel's frame before it; both are None for channels outside the log. `more` is the number of
    frames that follow with the same `seq`. `snapshot`: the state as of `seq`, not a change.
    """

    channel: str
    data: Mapping[str, Any]
    seq: int | None = None
    prev: int | None = None
    more: int = 0
    snapshot: bool = False


@dataclass(frozen=True)
class Gap:
    """Frames of these channels are missing: those after `since`, up to `until`. None: unknown, or a channel outside the log.

    `reason`: `epoch`, `too_far` and `ahead` come from the gateway. `hole`: a frame named an earlier one that a new connection did not bring either. `slow`: the
    queue was full. The frames that follow continue after `until`.
    """

    channels: tuple[str, ...]
    since: int | None
    until: int | None
    reason: str
    epoch: str | None = None


@dataclass(frozen=True)
class Upgrade:
    """A contract was upgraded in place. Frames with a lower `seq` are from the old code. The members are those of the message."""

    contract: str
    generation: str | None
    wasm_hash: str | None
    source: Literal["event", "entries"]
    ledger: int
    after_ledger: int | None
    seq: int


@dataclass(frozen=True)
class Stalled:
    """Nothing arrived for `seconds`. The stream connects again and resumes; until then, prices and positions may be old."""

    seconds: float


@dataclass(frozen=True)
class KeyExpiring:
    """The key's secret stops working at `at`, Unix milliseconds. Use another one before."""

    at: int


Item = Frame | Gap | Upgrade | Stalled | KeyExpiring


def is_log(channel: str) -> bool:
    """True for channels whose frames have a position in the log."""
    return channel in ("events", "corrections") or channel.startswith(("trades.", "account."))


@dataclass
class _Position:
    seq: int
    # The position is a frame of this channel, so the next frame's `prev` must name it.
    is_exact: bool
    # The last frame of an event that has more frames; the position moves with the last of them.
    incomplete: tuple[int, int] | None = None


class StreamState:
    """The state of a stream: its channels, the positions that it has received and delivered, and the items that wait for the reader."""

    def __init__(self, channels: Sequence[str], positions: Mapping[str, Any] | None, queue: int) -> None:
        if not channels or len(channels) > _CHANNELS_MAX:
            raise ValueError(f"A stream has 1 to {_CHANNELS_MAX} channels.")
        if queue < 1:
            raise ValueError("queue must be at least 1.")
        self.channels = list(dict.fromkeys(channels))
        self.items: deque[Item] = deque()
        self._wanted = frozenset(self.channels)
        self.is_ready = False
        self._limit = queue
        self._received: dict[str, _Position] = {}
        self._delivered: dict[str, int] = {}
        self._delivered_epoch: str | None = None
        self._epoch: str | None = None
        self._heads: dict[str, int] = {}
        self._retried: dict[str, int] = {}
        self._resumes: dict[int, bool] = {}
        self._last_id = 0
        self._last_upgrade = 0
        # Channels of which frames were dropped because the queue was full: the position before the first and that of the last.
        self._dropped: dict[str, tuple[int | None, int | None]] = {}
        if positions is not None:
            self._import(positions)

    def _import(self, positions: Mapping[str, Any]) -> None:
        epoch, channels = positions.get("epoch"), positions.get("channels")
        if not (epoch is None or isinstance(epoch, str)) or not isinstance(channels, Mapping):
            raise ValueError("positions must be the value of stream.positions().")
        for channel, seq in cast("Mapping[Any, Any]", channels).items():
            if not isinstance(seq, int) or isinstance(seq, bool) or seq < 0:
                raise ValueError("positions must be the value of stream.positions().")
            if channel in self.channels and is_log(channel):
                self._received[channel] = _Position(seq, False)
                self._delivered[channel] = seq
        self._epoch = self._delivered_epoch = epoch

    def positions(self) -> dict[str, Any]:
        """The position of each log channel up to which the reader has every frame. JSON-ready."""
        return {"epoch": self._delivered_epoch, "channels": dict(self._delivered)}

    # Messages.

    def receive(self, text: str | bytes, key: Key | None) -> list[dict[str, Any]] | None:
        """Handles a message of the gateway. Returns the messages to send; None: connect again. Raises StreamError."""
        try:
            message = json.loads(text)
        except ValueError:
            return None
        if not isinstance(message, dict):
            return None
        fields = cast("dict[str, Any]", message)
        if "channel" in fields:
            return [] if self._on_frame(fields) else None
        match fields.get("type"):
            case "hello":
                return self._on_hello(fields, key)
            case "subscribed":
                self._heads = fields.get("heads") or {}
                self._start_at_heads()
            case "gap":
                self._on_gap(fields)
            case "upgrade":
                self._on_upgrade(fields)
            case "key_expiring":
                self._push(KeyExpiring(int(fields["at"])))
            case "rejected":
                raise StreamError("rejected", f"The gateway rejected {', '.join(fields.get('channels', []))}: no such channel, or not this key's account.")
            case "unsubscribed" if fields.get("reason"):
                raise StreamError(str(fields["reason"]), "The key stopped working. Use another one.")
            case "login" if fields.get("ok") is not True:
                if fields.get("error") == "unavailable":
                    return None
                raise StreamError(str(fields.get("error")), "The gateway did not accept the key.")
            case "draining":
                return None
            case _:
                pass
        return []

    def _on_hello(self, hello: dict[str, Any], key: Key | None) -> list[dict[str, Any]]:
        self.is_ready = True
        messages: list[dict[str, Any]] = []
        if key is not None:
            messages.append({"op": "login", "keyId": key.id, "secret": key.secret})
        new = [HEARTBEAT, *(channel for channel in self.channels if channel not in self._received and channel != HEARTBEAT)]
        known = [channel for channel in self.channels if channel in self._received]
        messages += [{"op": "subscribe", "channels": batch} for batch in _batches(new)]
        for batch in _batches(known):
            # One request resumes all its channels from the earliest position. Each channel drops the frames that it already has.
            self._last_id += 1
            self._resumes[self._last_id] = True
            since = min(self._received[channel].seq for channel in batch)
            request: dict[str, Any] = {"op": "subscribe", "channels": batch, "since": since, "id": self._last_id}
            messages.append(request if self._epoch is None else {**request, "epoch": self._epoch})
        self._epoch = hello.get("epoch")
        if not known:
            self._delivered_epoch = self._epoch
        return messages

    def reset(self) -> None:
        """Drops the state of a lost connection."""
        self.is_ready = False
        self._resumes.clear()

    def _start_at_heads(self) -> None:
        for channel, seq in self._heads.items():
            if channel in self.channels and channel not in self._received:
                self._received[channel] = _Position(seq, True)
                self._delivered.setdefault(channel, seq)

    def _on_gap(self, message: dict[str, Any]) -> None:
        """The gateway cannot send some frames. Resumed channels then continue from the head of the log."""
        self._epoch = message.get("epoch") or self._epoch
        channels = [channel for channel in message.get("channels", []) if channel in self.channels]
        until: int | None = None
        if self._resumes.pop(message.get("id", 0), False):
            for channel in channels:
                until = max(until or 0, self._heads.get(channel, 0))
                self._received[channel] = _Position(self._heads.get(channel, 0), True)
        self._push(Gap(tuple(channels), message.get("since"), until, str(message.get("reason")), self._epoch))

    def _on_upgrade(self, message: dict[str, Any]) -> None:
        """A resume repeats upgrades; each is yielded once."""
        seq = int(message["seq"])
        if seq <= self._last_upgrade:
            return
        self._last_upgrade = seq
        self._push(
            Upgrade(
                message["contract"],
                message.get("generation"),
                message.get("wasmHash"),
                message["source"],
                message["ledger"],
                message.get("afterLedger"),
                seq,
            )
        )

    def _on_frame(self, message: dict[str, Any]) -> bool:
        """False when earlier frames are missing and have to be requested again."""
        channel: str = message["channel"]
        if channel not in self._wanted:
            return True
        seq, prev, more = message.get("seq"), message.get("prev"), message.get("more", 0)
        if seq is not None and prev is not None:
            since = self._received[channel].seq if channel in self._received else 0
            check = self._advance(channel, seq, prev, more)
            if check == "duplicate":
                return True
            if check == "gap":
                # The second time the same frames are missing, they are reported.
                if self._retried.get(channel) != since:
                    self._retried[channel] = since
                    return False
                del self._retried[channel]
                self._received[channel] = _Position(seq, True)
                self._push(Gap((channel,), since, prev, "hole", self._epoch))
        self._push(Frame(channel, message["data"], seq, prev, more, message.get("snapshot", False)))
        return True

    def _advance(self, channel: str, seq: int, prev: int, more: int) -> Literal["next", "duplicate", "gap"]:
        position = self._received.get(channel)
        if position is not None:
            incomplete = position.incomplete
            if seq <= position.seq or (incomplete is not None and incomplete[0] == seq and more >= incomplete[1]):
                return "duplicate"
            if prev != position.seq if position.is_exact else prev > position.seq:
                return "gap"
        self._received[channel] = _Position(seq, True) if more == 0 else _Position(prev, True, (seq, more))
        return "next"

    # The queue.

    def _push(self, item: Item) -> None:
        if isinstance(item, Frame) and (self._dropped.get(item.channel) is not None or len(self.items) >= self._limit):
            first, _ = self._dropped.get(item.channel, (item.prev, None))
            self._dropped[item.channel] = (first, item.seq)
            return
        if len(self.items) >= 2 * self._limit:
            raise StreamError("slow", "The reader is too slow even for the gaps that it caused.")
        self.items.append(item)

    def push_stalled(self, seconds: float) -> None:
        self._push(Stalled(seconds))

    def take(self) -> Item | None:
        """The next item for the reader, None when none waits."""
        if not self.items and self._dropped:
            # The reader has caught up: it learns what it missed, and the frames that follow are queued again.
            for channel, (since, until) in self._dropped.items():
                self.items.append(Gap((channel,), since, until, "slow", self._epoch))
            self._dropped.clear()
        if not self.items:
            return None
        item = self.items.popleft()
        if isinstance(item, Frame):
            if item.seq is not None and item.more == 0 and not (item.snapshot and item.prev is not None):
                self._delivered[item.channel] = item.seq
        elif isinstance(item, Gap):
            self._delivered_epoch = item.epoch
            for channel in item.channels:
                if item.until is not None and is_log(channel):
                    self._delivered[channel] = max(item.until, 0)
        return item


def _batches(channels: list[str]) -> list[list[str]]:
    return [channels[start : start + _CHANNELS_PER_MESSAGE] for start in range(0, len(channels), _CHANNELS_PER_MESSAGE)]
