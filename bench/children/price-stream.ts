// Prices from a network behind a socket to a WebSocket: through the whole gateway, or by a bare loop that polls one entry and sends what changed.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { readFootprint } from '../../src/chain/codec/footprint.ts'
import { readShimPriceWithFootprint } from '../../src/chain/views/prices.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { createFetchTransport } from '../../src/chain/rpc/transport.ts'
import type { Transport } from '../../src/chain/rpc/transport.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { openStore } from '../../src/store/open.ts'
import { serveParent } from '../support/in-child.ts'
import { machineMs } from '../support/machine-clock.ts'
import type { NetworkDetails } from './network.ts'
import { currentDeploymentOf } from '../../test/support/deployments.ts'

/** Interval of the bare loop: that of the gateway around the close of a ledger. */
const BARE_POLL_MS = 200
const ASSET = 'BTC'
/** Answers of polls that the parent may ask for. */
const ANSWERS_MAX = 1_000

const disposables = new AsyncDisposableStack()
const [clock, random, log] = [createSystemClock(), createSystemRandom(), silentLog]
/** Time at which the first answer with each ledger arrived. */
const answers = new Map<number, number>()

function recordAnswer(body: string): void {
  const atMs = machineMs()
  const ledger = Number(/"latestLedger":(\d+)/.exec(body)?.[1])
  if (answers.has(ledger)) return
  answers.set(ledger, atMs)
  for (const old of answers.keys()) {
    if (answers.size <= ANSWERS_MAX) break
    answers.delete(old)
  }
}

function recordingTransport(): Transport {
  const fetching = createFetchTransport()
  return async (url, body, signal, maxBytes) => {
    const response = await fetching(url, body, signal, maxBytes)
    if (readsPrice(body)) recordAnswer(typeof response.body === 'string' ? response.body : Buffer.from(response.body).toString())
    return response
  }
}

/** True if the request reads the entries of all prices, or simulates the measured one. */
function readsPrice(body: string): boolean {
  if (body.includes('getLedgerEntries')) return true
  const { params } = JSON.parse(body) as { params?: { transaction?: string } }
  return Buffer.from(params?.transaction ?? '', 'base64').includes(ASSET)
}

async function serveGateway({ rpcUrl, passphrase, contracts }: NetworkDetails): Promise<number> {
  const store = disposables.use(await openStore({ databaseUrl: null, dataDir: null, clock, log }))
  const gateway = await createGateway({
    store, clock, random, log,
    rpc: createRpc({ urls: [rpcUrl], clock, random, log, transport: recordingTransport() }),
    deployment: currentDeploymentOf(contracts, { passphrase }),
    webOrigins: [], trustProxy: false, klinesUrls: [], redis: null, regionGuard: null,
  })
  gateway.stream.start()
  const stop = new AbortController()
  const running = gateway.oracle.run(stop.signal)
  disposables.defer(async () => {
    stop.abort()
    await running
    await gateway.close()
  })
  return Number(new URL(await gateway.listen({ host: '127.0.0.1', port: 0 })).port)
}

async function serveBare({ rpcUrl, contracts }: NetworkDetails): Promise<number> {
  const rpc = createRpc({ urls: [rpcUrl], clock, random, log })
  const { transactionDataXdr } = await readShimPriceWithFootprint(rpc, { shim: contracts['oracleShim'] ?? '', asset: ASSET })
  const keys = readFootprint(transactionDataXdr ?? '').readOnly
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLedgerEntries', params: { keys } })
  const server = createServer()
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  let last = ''
  const poll = async (): Promise<void> => {
    const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const text = await response.text()
    recordAnswer(text)
    const { result } = JSON.parse(text) as { result: { latestLedger: number; entries: readonly { xdr: string }[] } }
    const entries = result.entries.map(({ xdr }) => xdr).join()
    if (entries !== last) for (const client of sockets.clients) client.send(JSON.stringify({ ledger: result.latestLedger, entries }))
    last = entries
  }
  const timer = setInterval(() => void poll(), BARE_POLL_MS)
  disposables.defer(() => {
    clearInterval(timer)
    for (const client of sockets.clients) client.terminate()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

serveParent(
  {
    /** Serves the channels of prices and returns the port. */
    serve: serveGateway,
    /** Serves the bare loop and returns the port. */
    serveBare,
    /** Returns when the first answer of this ledger arrived, on the clock that all processes share; null: never. */
    answeredAt: (ledger: number): number | null => answers.get(ledger) ?? null,
  },
  () => disposables.disposeAsync(),
)
