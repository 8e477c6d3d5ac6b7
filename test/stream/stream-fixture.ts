// A stream on a log that the test extends: no network, no indexer, and a virtual clock.

import { createServer } from 'node:http'
import { connect as connectSocket } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { networkOf } from '../../src/http/client-address.ts'
import { STREAM_LIMITS } from '../../src/limits.ts'
import type { StreamLimits } from '../../src/limits.ts'
import { applyEvents } from '../../src/projections/apply.ts'
import type { ArchivedEvent } from '../../src/projections/log/archived-event.ts'
import { insertContractVersion, OWN_CODE } from '../../src/projections/state/contract-versions.ts'
import { beginEpochRange, insertEpoch } from '../../src/projections/state/epochs.ts'
import type { Epoch } from '../../src/projections/state/epochs.ts'
import { appendEvents } from '../../src/projections/log/events.ts'
import { createStream } from '../../src/stream/stream.ts'
import type { Stream, StreamOptions } from '../../src/stream/stream.ts'
import { textOf } from '../../src/store/sql.ts'
import { openTestStore } from '../support/database.ts'
import { connectStream } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { anyDeployment } from '../support/deployments.ts'

const START_MS = 1_783_339_200_000
const EPOCH: Epoch = {
  number: 1, epoch: 'e1', chain: 1, contractEpoch: 1, reason: 'first', passphrase: 'test', startLedger: 1, finalCursor: null, name: 'test',
  contracts: { market: 'CMARKET', vault: 'CVAULT', vaultFactory: 'CFACTORY', referral: 'CREFERRAL', usdcToken: 'CUSDC', router: 'CROUTER' },
}
const OTHER_CHAIN: Epoch = { ...EPOCH, number: 2, epoch: 'e2', chain: 2, contractEpoch: 2, reason: 'reset' }
const UPGRADE = [
  'GET /v1/ws HTTP/1.1', 'Host: test', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13',
  '', '',
].join('\r\n')

export interface StreamFixture extends AsyncDisposable {
  readonly stream: Stream
  readonly clock: VirtualClock
  /** Appends trades of BTC to the log without publishing them: each is one frame of `events` and one of `trades.BTC`. */
  append(trades: number): Promise<void>
  /** Appends and publishes trades. */
  publish(trades: number): Promise<void>
  /** Appends an upgrade of the market to the log without publishing it. */
  appendUpgrade(generation: string): Promise<void>
  /** Publishes trades of another chain in an epoch of its own, then continues the first epoch. */
  interrupt(trades: number): Promise<void>
  /** Appends trades of another chain in the epoch e2, without publishing them. */
  appendReset(trades: number): Promise<void>
  /** Connects a client from this address. */
  connect(address?: string): Promise<StreamClient>
  /** Connects a client that never reads its socket. It sends these requests. */
  connectWithoutReading(requests: readonly object[]): Promise<Socket>
}

export interface StreamFixtureOptions {
  readonly limits?: Partial<StreamLimits>
  readonly services?: Partial<StreamOptions['services']>
  /** Called before each read of the stream, which waits for it. */
  readonly beforeRead?: (sql: string) => Promise<void>
}

export async function createStreamFixture({ limits = {}, services = {}, beforeRead }: StreamFixtureOptions = {}): Promise<StreamFixture> {
  await using building = new AsyncDisposableStack()
  const store = building.use(await openTestStore())
  const clock = createVirtualClock(START_MS)
  await store.write.transaction(async (tx) => {
    await insertEpoch(tx, EPOCH, 1, START_MS)
    await tx.query('update idx.cursor set epoch = 1, start_ledger = 1, last_seq = 0, updated_at = $1', [START_MS])
  })
  const stream = createStream({
    deployment: anyDeployment(),
    store: beforeRead === undefined ? store : { ...store, read: { query: (sql, params) => beforeRead(textOf(sql)).then(() => store.read.query(sql, params)) } },
    clock, log: silentLog,
    limits: { ...STREAM_LIMITS, drainMs: 0, ...limits },
    services: {
      login: () => Promise.resolve('invalid_credentials'),
      readAccount: () => Promise.reject(new Error('the fixture has no accounts')),
      readPrices: () => Promise.resolve([]),
      currentPrice: () => undefined,
      onPrices: () => () => {},
      signCheckpoint: () => null,
      loginState: () => ({ secretUntil: null }),
      ...services,
    },
  })
  building.defer(() => stream.drain())
  await stream.publishCommitted()
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    const address = request.headers['x-address']
    const { address: clientAddress, bucket, wide, isWideOneSubscriber } = networkOf(typeof address === 'string' ? address : '192.0.2.1')
    const origin = { address: bucket, clientAddress, network: wide, isNetworkLimited: isWideOneSubscriber, owner: null }
    stream.accept(request, socket, head, { requestId: 'test', origin })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  building.defer(() => void server.close())
  const { port } = server.address() as AddressInfo
  const sockets: { destroy(): void }[] = []
  building.defer(() => sockets.forEach((socket) => socket.destroy()))
  let seq = 0
  const owned = building.move()

  async function append(trades: number, epoch: Epoch = EPOCH): Promise<void> {
    const events = Array.from({ length: trades }, () => openedPosition(++seq))
    await store.write.transaction(async (tx) => {
      await appendEvents(tx, epoch.number, events, START_MS)
      await applyEvents(tx, epoch, events)
      await tx.query('update idx.cursor set last_seq = $1, last_ledger = $1', [seq])
    })
  }

  async function appendReset(trades: number): Promise<void> {
    await store.write.transaction(async (tx) => {
      await insertEpoch(tx, OTHER_CHAIN, seq + 1, START_MS)
      await tx.query('update idx.cursor set epoch = 2')
    })
    await append(trades, OTHER_CHAIN)
  }

  return {
    stream, clock,
    append: (trades) => append(trades),
    async publish(trades) {
      await append(trades)
      await stream.publishCommitted()
    },
    async appendUpgrade(generation) {
      const contract = { address: EPOCH.contracts.market, contract: 'market' as const }
      const version = { ...OWN_CODE, ...contract, fromLedger: ++seq, fromEventId: null, wasmHash: 'ab', noticedAt: START_MS }
      await store.write.transaction(async (tx) => {
        await insertContractVersion(tx, 1, { ...version, generation, seq })
        await tx.query('update idx.cursor set last_seq = $1, last_ledger = $1', [seq])
      })
    },
    appendReset,
    async interrupt(trades) {
      await appendReset(trades)
      await stream.publishCommitted()
      await store.write.transaction(async (tx) => {
        await beginEpochRange(tx, EPOCH.number, seq + 1)
        await tx.query('update idx.cursor set epoch = 1')
      })
      await stream.publishCommitted()
    },
    async connect(address = '192.0.2.1') {
      const client = await connectStream(`http://127.0.0.1:${port}`, { 'x-address': address })
      sockets.push({ destroy: () => client.webSocket.terminate() })
      return client
    },
    async connectWithoutReading(requests) {
      const socket = connectSocket(port, '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => {})
      socket.pause()
      await new Promise<void>((resolve) => void socket.once('connect', resolve))
      socket.write(UPGRADE)
      for (const request of requests) socket.write(maskedFrame(JSON.stringify(request)))
      return socket
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function openedPosition(seq: number): ArchivedEvent {
  const payload = { topic: 'position_opened', positionId: seq, trader: 'GTRADER', asset: 'BTC', direction: 0, size: '1000', entryPrice: '5' }
  return {
    seq, eventId: `e${seq}`, contractId: EPOCH.contracts.market ?? '', contract: 'market', topic: 'position_opened', ledger: seq,
    ledgerCloseTs: START_MS / 1000 + seq, txHash: seq.toString(16).padStart(64, '0'), topicsXdr: [], valueXdr: '', payload, problem: null,
  }
}

/** A text frame masked with zeros, which leaves the text unchanged. */
function maskedFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const header = length < 126 ? [0x81, 0x80 | length] : [0x81, 0x80 | 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([...header, 0, 0, 0, 0]), Buffer.from(text)])
}
