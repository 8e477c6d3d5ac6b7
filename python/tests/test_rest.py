"""Every operation, lists, results, errors, and what the package keeps secret."""

import json
import logging
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from conftest import Answer, Gateway, scripted
from stellar_sdk import Keypair

from perpetual_exchange import ApiError, AsyncClient, Client, Key, RateLimited, UnexpectedAnswer, Unreachable, amount, models, show

DOCUMENT = json.loads((Path(__file__).resolve().parents[2] / "docs" / "openapi.json").read_text())
SECRET = "5ec2e7" * 10


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, source) for path, methods in DOCUMENT["paths"].items() for method, source in methods.items()]


def snake(name: str) -> str:
    import re

    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def test_amounts_are_integers_in_seven_decimals() -> None:
    assert [amount("12.5"), amount("-0.0000001"), amount(100), amount("0")] == [125_000_000, -1, 1_000_000_000, 0]
    assert [show(125_000_000), show(-1), show(0), show(1_000_000_000)] == ["12.5", "-0.0000001", "0", "100"]
    for text in ("", "1.", ".5", "1e3", "1.00000001", "NaN", "1_000", "\u0661"):
        with pytest.raises(ValueError, match="is not a decimal number"):
            amount(text)
    for value in (12.5, True, None):
        with pytest.raises(TypeError):
            amount(value)  # type: ignore[arg-type]


def test_both_clients_have_a_method_for_every_operation_as_the_typescript_client_has() -> None:
    table = (Path(__file__).resolve().parents[2] / "client" / "src" / "generated" / "endpoint-table.ts").read_text()
    for _path, _method, source in operations():
        content = source["responses"].get("200", {}).get("content", {})
        if "text/event-stream" in content:
            continue
        name = source["operationId"]
        assert f"  {name}: '" in table, name
        for kind in (AsyncClient, Client):
            method = getattr(kind, snake(name), None)
            assert callable(method) and method.__doc__, f"{kind.__name__}.{snake(name)}"
            if any(parameter["name"] == "cursor" for parameter in source.get("parameters", [])):
                walk = snake(name).removeprefix("list_").removeprefix("get_")
                assert callable(getattr(kind, walk, None)), f"{kind.__name__}.{walk}"


async def test_every_read_without_a_parameter_answers_with_the_state_that_it_was_read_from(client: AsyncClient) -> None:
    from_index = 0
    for _path, method, source in operations():
        required = [parameter for parameter in source.get("parameters", []) if parameter.get("required")]
        if method != "get" or required or "text/event-stream" in source["responses"]["200"]["content"]:
            continue
        # This gateway has no signing key.
        if source["operationId"] == "getCheckpoint":
            continue
        result = await getattr(client, snake(source["operationId"]))()
        assert result.request_id, source["operationId"]
        if "x-seq" in source["responses"]["200"].get("headers", {}):
            from_index += 1
            assert result.ledger and result.seq and result.epoch, source["operationId"]
    assert from_index > 15


async def test_the_checkpoint_of_the_log_is_text_and_a_tile_is_bytes(client: AsyncClient) -> None:
    def respond(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/v1/log/checkpoint"
        return httpx.Response(200, headers={"content-type": "text/plain; charset=utf-8"}, text="localhost/local/local\n1\n")

    async with client_of(httpx.MockTransport(respond)) as scripted_client:
        assert (await scripted_client.get_checkpoint()).data == "localhost/local/local\n1\n"
    assert len((await client.get_log_tile("0/000.p/1")).data) == 32


async def test_amounts_of_a_result_are_integers_and_floats_stay_floats(client: AsyncClient) -> None:
    price = (await client.get_market_price("BTC")).data
    assert isinstance(price.price, int)
    assert price.price / 10**7 == pytest.approx(price.price_float)
    order = models.OpenPositionRequest(asset="BTC", collateral=amount("100"), leverage=5, direction="Long", slippage_bps=50)
    prepared = (await client.prepare_order(order)).data
    assert prepared.preview.size == pytest.approx(amount("500"), rel=0.01)


async def test_a_walk_yields_every_row_once_and_in_order(client: AsyncClient) -> None:
    known = [event.event_id for event in (await client.list_events(limit=500)).data.events]
    walked: list[str] = []
    async for event in client.events(limit=7):
        walked.append(event.event_id)
        if len(walked) == 60:
            break
    # Events that arrived since the first read come first.
    start = walked.index(known[0])
    assert walked[start:] == known[: len(walked) - start]
    assert len(set(walked)) == len(walked)


def test_the_synchronous_client_reads_and_walks(gateway: Gateway, key: Key) -> None:
    with Client(gateway.url, key) as client:
        identity = client.get_account_identity().data
        assert identity.key_id == key.id
        walked = [event.seq for event, _ in zip(client.events(limit=5), range(12), strict=False)]
        assert walked == sorted(set(walked), reverse=True)
        assert len(walked) == 12


async def test_an_error_carries_code_status_and_request_id(client: AsyncClient) -> None:
    with pytest.raises(ApiError) as raised:
        await client.get_order(999_999_999)
    error = raised.value
    assert (error.code, error.status, error.outcome) == ("order_not_found", 404, None)
    assert error.request_id and error.message and error.message in str(error)


def client_of(transport: httpx.MockTransport, **options: Any) -> AsyncClient:
    options = {"max_wait": 0.0, "attempts": 1, **options}
    return AsyncClient("http://gateway.test", Key("nk_1", SECRET), transport=transport, **options)


PRICE = {"asset": "BTC", "price": "10000000", "priceFloat": 1, "timestamp": 1, "stale": False, "ageSec": 1, "ledger": 1}


async def test_unknown_members_are_left_out_and_a_missing_one_is_an_error() -> None:
    headers = {"x-ledger": "7", "x-seq": "9", "x-epoch": "e1", "x-request-id": "r1"}
    scripts: list[Answer] = [(200, headers, {**PRICE, "newer": 1}), (200, {}, {"asset": "BTC"})]
    answers = iter(scripts)
    async with client_of(scripted(lambda request: next(answers))) as client:
        result = await client.get_market_price("BTC")
        assert (result.ledger, result.seq, result.epoch, result.request_id) == (7, 9, "e1", "r1")
        assert not hasattr(result.data, "newer")
        with pytest.raises(UnexpectedAnswer, match="Price lacks price"):
            await client.get_market_price("BTC")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    cast(
        "list[Any]",
        [
            ((400, {}, {"error": "submission_rejected", "message": "no"}), "rejected"),
            ((429, {"retry-after": "3"}, {"error": "rate_limited", "message": "wait"}), "unknown"),
            ((500, {}, {"error": "Internal Server Error", "message": "oops"}), "unknown"),
            ((502, {}, {"error": "rpc_error", "message": "away"}), "unknown"),
            ((503, {}, {"error": "try_again_later", "message": "full"}), "unknown"),
            (httpx.ReadTimeout("slow"), "unknown"),
            (httpx.ConnectError("refused"), "unknown"),
            (httpx.RemoteProtocolError("cut"), "unknown"),
            ((302, {"location": "http://elsewhere.test"}, {}), "unknown"),
        ],
    ),
)
async def test_only_a_certain_rejection_of_a_submission_is_rejected(answer: Any, outcome: str) -> None:
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> Any:
        requests.append(request)
        return answer

    async with client_of(scripted(respond)) as client:
        with pytest.raises(ApiError) as raised:
            await client.submit_transaction(signed_xdr="AAAA")
        assert raised.value.outcome == outcome
        with pytest.raises(ApiError) as read:
            await client.get_health()
        assert read.value.outcome is None
    # No redirect was followed.
    assert {request.url.host for request in requests} == {"gateway.test"}


async def test_reads_are_repeated_after_passing_failures_and_issuing_a_key_is_not() -> None:
    seen: list[str] = []

    def respond(request: httpx.Request) -> Any:
        seen.append(request.url.path)
        if request.method == "POST" or len(seen) < 3:
            return (503, {"retry-after": "0"}, {"error": "restart", "message": "later"})
        return (200, {}, PRICE)

    async with client_of(scripted(respond), attempts=4, max_wait=10.0) as client:
        assert (await client.get_market_price("BTC")).data.price == 10_000_000
        assert len(seen) == 3
        with pytest.raises(ApiError):
            await client.issue_key(address="G", challenge="00", signature="AA")
        assert len(seen) == 4


async def test_a_rate_limit_longer_than_the_patience_is_raised_with_its_delay() -> None:
    async with client_of(scripted(lambda request: (429, {"retry-after": "30"}, {"error": "rate_limited", "message": "wait"})), attempts=4) as client:
        with pytest.raises(RateLimited) as raised:
            await client.list_markets()
    assert raised.value.retry_after == 30


async def test_no_secret_is_shown_or_logged(gateway: Gateway, wallet: Keypair, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger().setLevel(logging.DEBUG)
    texts: list[str] = []
    async with AsyncClient(gateway.url) as client:
        issued = await client.create_key(wallet)
        secret = issued.data.secret
        texts += [repr(client), str(client), repr(client.key), repr(issued), repr(client.__dict__), repr(client.trade(wallet))]
        async with client.stream([f"account.events.{wallet.public_key}", "heartbeat"]) as stream:
            async for _ in stream:
                break
        await client.revoke_key(issued.data.key_id)
    with pytest.raises(Unreachable) as raised:
        async with client_of(scripted(lambda request: httpx.ConnectError("refused"))) as failing:
            await failing.get_health()
    texts += [repr(raised.value), str(raised.value), repr(raised.value.__cause__), caplog.text, *capsys.readouterr()]
    assert len(secret) == 64
    for text in texts:
        assert secret not in text
        assert SECRET not in text
        assert wallet.secret not in text


def test_an_address_with_credentials_or_another_scheme_is_refused() -> None:
    for address in ("ftp://gateway.test", "http://user:pass@gateway.test", "gateway.test"):
        with pytest.raises(ValueError, match="base_url must be"):
            Client(address)
