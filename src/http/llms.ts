// GET /llms.txt: an overview of the API for language models.

import { RATE_LIMIT_PER_WINDOW } from '../limits.ts'
import { CACHE_REVALIDATE } from './response.ts'
import type { App } from './app.ts'
import { lazyDocument } from './documents.ts'
import type { Documents } from './documents.ts'

const TEXT = `# Perpetual Exchange Gateway

> Public REST and WebSocket API of a perpetual-futures exchange that runs as Soroban smart contracts on a Stellar test network. Test funds only.
> It serves prices, markets and the full history of the exchange, and it prepares and submits orders that the client signs. It never holds a private key.

Amounts, prices and sizes are digit strings in 7-decimal fixed point: "10000000" is 1.0. Times are in Unix seconds unless a field says milliseconds.
Direction 0 is long and 1 is short. Lists have hasMore and nextCursor, which is sent as cursor; the Link header has the URL of the next page.
Every response has x-request-id; responses from the index have x-ledger.
Without a key the limit is ${RATE_LIMIT_PER_WINDOW.public} requests per minute, with a key ${RATE_LIMIT_PER_WINDOW.standard} reads and as many for trading;
a 429 response has the seconds to wait in retry-after. To read your own writes, send the ledger of your transaction as X-Min-Ledger.
A key can be limited to scopes, an end, networks and daily caps: name restrictions in POST /v1/keys/challenge. GET /v1/keys/current shows what a key may do.
Caps bind what passes this gateway. Who holds the secret of the wallet needs no gateway.

## Reference

- [OpenAPI document](/docs/json): every endpoint, parameter, response and error, with examples
- [Interactive documentation](/docs)
- [AsyncAPI document](/docs/stream.json): every message of the WebSocket stream at /v1/ws
- Server-sent events: GET /v1/stream?channels=trades.BTC,ticker.BTC has the same frames; Last-Event-ID resumes
- [Guides](/docs/guides): a first order, bots, front ends, operation, and [how the exchange works](/docs/guides/how-the-exchange-works)
- [Health](/v1/health): contract addresses, index progress and gaps

## Clients

- npm install perpetual-exchange-client: [for TypeScript and JavaScript](/docs/guides/bot-author), with CCXT's interface and a command line
- pip install "perpetual-exchange-client[trade]": [for Python](/docs/guides/python), asynchronous and synchronous, with CCXT's interface
- Both verify each transaction before they sign it, submit it once, and resume the stream without loss

## Read

- [Prices](/v1/oracle/prices), [markets](/v1/markets), [open interest and volume](/v1/markets/stats): GET, no key
- [Trades](/v1/trades), [events](/v1/events), [open positions](/v1/positions/open), [leaderboard](/v1/leaderboard)
- [Vaults](/v1/vaults), [liquidity pool](/v1/pool), [funding](/v1/funding)
- [Candles](/v1/candles?asset=BTC&interval=1h): OHLC of oracle prices; [TradingView datafeed](/udf/config)

## Trade

1. POST /v1/keys/challenge {address} returns challengeHex. Put it into a transaction of the account as [documented](/docs/json) and sign it; it is never
   submitted to the network. POST /v1/keys {address, challenge, signature} returns an API key, shown once. Send it as Authorization: Bearer keyId:secret
2. POST /v1/orders/prepare {op, ...} returns an unsigned transaction (xdr) for the account of the key. op selects one of ten operations
3. Verify source, contract, function and arguments, then sign it with the key of the account
4. POST /v1/tx/submit {signedXdr} submits it and waits. It returns SUCCESS, FAILED with the contract error, or PENDING if the outcome is not known yet: submit
   the same signedXdr again
5. POST /v1/actions/prepare {op, ...} does the same for cross margin, liquidity, vaults and referral

Errors are {error: code, message, ...}. Validation errors are {statusCode: 400, code: "FST_ERR_VALIDATION", error, message, reason, parameter}. Unknown query
parameters are ignored and named in the header x-ignored-parameters.
`

export function serveLlmsText(app: App, documents: Documents): void {
  const document = lazyDocument(() => TEXT, 'text/plain; charset=utf-8')
  app.get('/llms.txt', { schema: { hide: true }, config: { rateLimited: false } }, async (request, reply) =>
    documents.send(request, reply, await document(), { 'cache-control': CACHE_REVALIDATE }))
}
