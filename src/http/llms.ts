// GET /llms.txt: where a language model, or a person in a hurry, finds what the gateway offers.

import { CACHE_REVALIDATE } from './response.ts'
import type { App } from './app.ts'

const TEXT = `# Perpetual Exchange Gateway

> Public REST and WebSocket gateway of a perpetual-futures exchange that runs as Soroban smart contracts on a Stellar test network. Test funds only.
> It serves prices, markets and the exchange's whole history, and prepares and relays orders that the client signs: it never holds a private key.

Amounts, prices and sizes are strings that hold integers in 7-decimal fixed point: "10000000" is 1.0. Times are unix seconds unless a field says milliseconds.
Direction 0 is long and 1 is short. Lists continue with the Link header (rel="next"). Every answer has x-request-id, those from the index x-ledger.
Without a key 60 requests a minute are free; a 429 says when to come again. To read what a transaction of yours did, send its ledger as X-Min-Ledger.

## Reference

- [OpenAPI document](/docs/json): every endpoint, parameter, answer and error, with examples
- [Pages to try it on](/docs)
- [AsyncAPI document](/docs/stream.json): every message of the stream at /v1/ws
- [State](/v1/health): contracts' addresses, how far the index is, what it lacks

## Read

- [Prices](/v1/oracle/prices), [markets](/v1/markets), [open interest and volume](/v1/markets/stats): GET, no key
- [Trades](/v1/trades), [events](/v1/events), [open positions](/v1/positions/open), [leaderboard](/v1/leaderboard)
- [Vaults](/v1/vaults), [the pool](/v1/pool), [funding](/v1/funding)
- [Candles](/v1/candles?asset=BTC&interval=1h): OHLC of the oracle's prices; [for TradingView's charts](/udf/config)

## Trade

1. POST /v1/keys/challenge {address}: a challengeHex; put it into a transaction of the account as [documented](/docs/json), sign that (it is never sent to the
   network), POST /v1/keys {address, challenge, signature}: an API key, shown once, sent from then on as Authorization: Bearer keyId:secret
2. POST /v1/orders/prepare {op, ...}: ten operations, told apart by op; answers an unsigned transaction (xdr) for the key's account
3. Sign it with the account's own key. Check before what it does: source, contract, function, arguments
4. POST /v1/tx/submit {signedXdr}: sends it once and waits; SUCCESS, FAILED with the contract's error, or PENDING when nobody knows yet: submit the same
   signedXdr again to ask
5. POST /v1/actions/prepare {op, ...}: cross margin, liquidity, vaults, referral, in the same way

Errors are {error: code, ...}; validation errors are {statusCode: 400, code: "FST_ERR_VALIDATION", error, message} and name the parameter.
`

export function serveLlmsText(app: App): void {
  app.get('/llms.txt', { schema: { hide: true }, config: { rateLimited: false } }, (_request, reply) => {
    reply.header('cache-control', CACHE_REVALIDATE).type('text/plain; charset=utf-8').send(TEXT)
  })
}
