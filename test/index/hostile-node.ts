// A node that lies over JSON-RPC. Each lie changes honest responses, so two lies can be combined.

import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { RpcFailure } from '../../src/chain/rpc/failure.ts'
import type { RpcObserver } from '../../src/chain/rpc/rpc-observer.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import type { RpcClient } from '../../src/chain/rpc/rpc.ts'
import type { Transport } from '../../src/chain/rpc/transport.ts'
import type { ChainEvent } from '../../src/chain/rpc/responses.ts'
import { KNOWN_PROTOCOL } from '../../src/base/protocol.ts'
import { encodedHeader } from '../support/ledger-headers.ts'
import { endOf } from './node.ts'
import type { FakeNode } from './node.ts'

type Json = Readonly<Record<string, unknown>>

/** A call, and the responses of the honest node and of one that still serves a chain from before a reset. */
interface HostileCall {
  readonly method: string
  readonly node: FakeNode
  readonly oldChain: () => Promise<Json>
}

export interface Lie {
  readonly name: string
  /** The reason why one node cannot be caught lying; `npm run verify` finds these by asking again. */
  readonly undetectable?: string
  /** The reason why the index may advance all the same. */
  readonly harmless?: string
  /** Changes a result; may throw an RpcFailure. */
  alter(result: Json, call: HostileCall): Json | Promise<Json>
}

const DAY_SEC = 86_400
const RAISE = 2_000_000_000
const CLOSE_TIMES = ['latestLedgerCloseTime', 'oldestLedgerCloseTime', 'ledgerCloseTime', 'closeTime']

const itemsOf = (result: Json, key: string): readonly Json[] => (Array.isArray(result[key]) ? result[key] as readonly Json[] : [])
const onEvents = (result: Json, change: (events: readonly Json[]) => readonly Json[]): Json =>
  result['events'] === undefined ? result : { ...result, events: change(itemsOf(result, 'events')) }
const onLedgers = (result: Json, change: (ledger: Json) => Json): Json =>
  result['ledgers'] === undefined ? result : { ...result, ledgers: itemsOf(result, 'ledgers').map(change) }

function raiseId(id: unknown, by: number): string {
  const [toid = '0', index = '0'] = String(id).split('-')
  return `${(BigInt(toid) + (BigInt(by) << 32n)).toString().padStart(19, '0')}-${index}`
}

function raiseLedgers(result: Json, by: number): Json {
  const raised = Object.fromEntries(Object.entries(result).map(([key, value]) => [
    key, ['latestLedger', 'oldestLedger', 'sequence', 'ledger'].includes(key) ? Number(value) + by : value,
  ]))
  const withCursor = typeof raised['cursor'] === 'string' ? { ...raised, cursor: raiseId(raised['cursor'], by) } : raised
  const withEvents = onEvents(withCursor, (events) => events.map((event) => ({ ...raiseLedgers(event, by), id: raiseId(event['id'], by) })))
  return onLedgers(withEvents, (ledger) => raiseLedgers(ledger, by))
}

function shiftTimes(result: Json, seconds: number): Json {
  const shifted = Object.fromEntries(Object.entries(result).map(([key, value]) => {
    if (key === 'ledgerClosedAt') return [key, new Date(Date.parse(String(value)) + seconds * 1000).toISOString()]
    if (!CLOSE_TIMES.includes(key)) return [key, value]
    return [key, typeof value === 'number' ? value + seconds : String(Number(value) + seconds)]
  }))
  return onLedgers(onEvents(shifted, (events) => events.map((event) => shiftTimes(event, seconds))), (ledger) => shiftTimes(ledger, seconds))
}

const inEvents = (change: (events: readonly Json[]) => readonly Json[]): Lie['alter'] => (result) => onEvents(result, change)
const withCursor = (cursorOf: (call: HostileCall) => string): Lie['alter'] => (result, call) =>
  call.method === 'getEvents' ? { ...result, cursor: cursorOf(call) } : result
const outOfRange = (method: string): RpcFailure => new RpcFailure({ method, kind: 'rpc', code: -32600, retryable: false, endpoint: 0 })

/** Every lie. The order is that of the pairs. */
export const LIES: readonly Lie[] = [
  { name: 'ledger numbers raised by 2e9', alter: (result) => raiseLedgers(result, RAISE) },
  { name: 'close times a day ahead', alter: (result) => shiftTimes(result, DAY_SEC) },
  { name: 'close times a day late', alter: (result) => shiftTimes(result, -DAY_SEC) },
  { name: 'other hashes', alter: (result) => onLedgers(result, (ledger) => ({ ...ledger, hash: 'ab'.repeat(32) })) },
  {
    name: 'headers of a later protocol',
    alter: (result) => onLedgers(result, (ledger) => {
      const { xdr, hash } = encodedHeader({ sequence: 0, form: 3, protocol: KNOWN_PROTOCOL + 1, tail: Buffer.alloc(252, 5) })
      return { ...ledger, headerXdr: xdr, hash }
    }),
  },
  {
    name: 'headers with another previous hash',
    alter: (result, { node }) => onLedgers(result, (ledger) => ({ ...ledger, ...node.forgeHeader(Number(ledger['sequence'])) })),
  },
  { name: 'duplicated events', alter: inEvents((events) => events.flatMap((event) => [event, event])) },
  { name: 'reordered events', alter: inEvents((events) => events.toReversed()) },
  { name: 'an omitted event', undetectable: 'another event can be missing just as well', alter: inEvents((events) => events.slice(1)) },
  { name: 'ids of other ledgers', alter: inEvents((events) => events.map((event) => ({ ...event, id: raiseId(event['id'], 1) }))) },
  { name: 'events of other ledgers than their ids', alter: inEvents((events) => events.map((event) => ({ ...event, ledger: Number(event['ledger']) + 1 }))) },
  { name: 'a malformed cursor', alter: withCursor(() => '17') },
  { name: 'a cursor that goes back', alter: withCursor(() => endOf(1)) },
  { name: 'a cursor in the future', alter: withCursor(({ node }) => endOf(node.latest().sequence + 1_000)) },
  {
    name: 'the oldest ledger raised to the latest',
    alter(result, { method }) {
      if (method === 'getEvents') throw outOfRange(method)
      return 'oldestLedger' in result ? { ...result, oldestLedger: result['latestLedger'], oldestLedgerCloseTime: result['latestLedgerCloseTime'] } : result
    },
  },
  {
    name: 'the latest ledger lowered',
    alter(result, { method }) {
      if (method === 'getEvents') throw outOfRange(method)
      return 'latestLedger' in result ? { ...result, latestLedger: result['oldestLedger'], latestLedgerCloseTime: result['oldestLedgerCloseTime'] } : result
    },
  },
  { name: 'an empty range', alter: (result) => ('latestLedger' in result ? { ...result, oldestLedger: Number(result['latestLedger']) + 1 } : result) },
  {
    name: 'the passphrase of another network',
    harmless: 'the ledgers are proven by their hashes',
    alter: (result) => ('passphrase' in result ? { ...result, passphrase: 'Another Network' } : result),
  },
  { name: 'the chain from before a reset', alter: (_result, { oldChain }) => oldChain() },
  {
    name: 'a truncated page', undetectable: 'a page may have few events',
    alter: inEvents((events) => events.slice(0, Math.ceil(events.length / 2))),
  },
  { name: 'events of other contracts', alter: inEvents((events) => events.map((event) => ({ ...event, contractId: OTHER_CONTRACT }))) },
  { name: 'values that are no XDR', alter: inEvents((events) => events.map((event, index) => (index === 1 ? { ...event, value: DAMAGED_XDR } : event))) },
  { name: 'topics that are no XDR', alter: inEvents((events) => events.map((event) => ({ ...event, topic: [DAMAGED_XDR] }))) },
  { name: 'malformed close times', alter: inEvents((events) => events.map((event) => ({ ...event, ledgerClosedAt: 'yesterday' }))) },
]

/** The number of a type, and too little for its value. */
const DAMAGED_XDR = Buffer.from([0, 0, 0, 5, 1]).toString('base64')
const LIAR = 'http://liar'
const OTHER_CONTRACT = 'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM'

interface HostileOptions {
  readonly clock: VirtualClock
  readonly active: readonly Lie[]
  /** The node of an earlier chain. */
  readonly oldChain: FakeNode
  /** Adds a second node that never lies. */
  readonly withHonestNode?: boolean
  readonly observer?: RpcObserver
  readonly log?: Log
}

/** The client of a node that lies while there are lies in `active`. */
export function createHostileRpc(node: FakeNode, { clock, active, oldChain, withHonestNode, observer, log }: HostileOptions): RpcClient {
  const transport: Transport = async (url, body) => {
    const request = JSON.parse(body) as { readonly id: unknown; readonly method: string; readonly params?: Json }
    const answer = async (): Promise<object> => {
      const { method, params = {} } = request
      let result = await respond(node, method, params)
      for (const lie of url === LIAR ? active : []) result = await lie.alter(result, { method, node, oldChain: () => respond(oldChain, method, params) })
      return { result }
    }
    const response = await answer().catch((error: unknown) => {
      if (!(error instanceof RpcFailure)) throw error
      return { error: { code: error.code ?? -32603, message: 'refused' } }
    })
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: request.id, ...response }) }
  }
  const urls = withHonestNode === true ? [LIAR, 'http://honest'] : [LIAR]
  return createRpc({ urls, clock, random: createSeededRandom('hostile'), log: log ?? silentLog, transport, observer: observer ?? null })
}

/** The result of an honest node, as JSON-RPC sends it. */
async function respond(node: FakeNode, method: string, params: Json): Promise<Json> {
  const { rpc } = node
  const { cursor, limit = 100 } = (params['pagination'] ?? {}) as { readonly cursor?: string; readonly limit?: number }
  const startLedger = Number(params['startLedger'] ?? 0)
  switch (method) {
    case 'getNetwork':
      return { ...(await rpc.getNetwork()) }
    case 'getHealth':
      return { status: 'healthy', ledgerRetentionWindow: 120_960, ...rangeOf(await rpc.getHealth()) }
    case 'getLatestLedger':
      return { sequence: node.latest().sequence }
    case 'getLedgers': {
      const { ledgers, ...range } = await rpc.getLedgers({ startLedger, limit })
      const items = ledgers.map(({ sequence, hash, closeSec }) => ({ sequence, hash, ledgerCloseTime: String(closeSec), headerXdr: node.headerXdr(sequence) }))
      return { ledgers: items, ...rangeOf(range) }
    }
    case 'getEvents': {
      const [filter] = params['filters'] as readonly { readonly contractIds: readonly string[] }[]
      const page = await rpc.getEvents({ from: cursor === undefined ? { startLedger } : { cursor }, contractIds: filter?.contractIds ?? [], limit })
      return { events: page.events.map(eventItem), cursor: page.cursor, ...rangeOf(page) }
    }
    default:
      throw new RpcFailure({ method, kind: 'rpc', code: -32601, retryable: false, endpoint: 0 })
  }
}

function rangeOf(range: { latestLedger: number; latestLedgerCloseSec: number | null; oldestLedger: number; oldestLedgerCloseSec: number | null }): Json {
  const { latestLedger, oldestLedger, latestLedgerCloseSec, oldestLedgerCloseSec } = range
  return { latestLedger, oldestLedger, latestLedgerCloseTime: latestLedgerCloseSec, oldestLedgerCloseTime: oldestLedgerCloseSec }
}

function eventItem({ id, ledger, closeSec, contractId, txHash, topicsXdr, valueXdr }: ChainEvent): Json {
  return { id, ledger, ledgerClosedAt: new Date(closeSec * 1000).toISOString(), contractId, txHash, topic: topicsXdr, value: valueXdr }
}
