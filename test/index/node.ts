// A Soroban RPC node for the indexer's tests: ledgers with events, kept in memory, served with the documented window, cursor and range rules.

import { Address, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import type { EventsPage, LedgerRange } from '../../src/chain/responses.ts'
import { RpcFailure } from '../../src/chain/failure.ts'
import type { Rpc } from '../../src/chain/rpc.ts'
import { numberedKey } from '../../src/chain/market-entries.ts'

/** An event before it is placed: its contract and its XDR. */
export interface NodeEvent {
  readonly contractId: string
  readonly topicsXdr: readonly string[]
  readonly valueXdr: string
  /** Events of the same transaction share it. */
  readonly transaction: number
}

interface NodeLedger {
  readonly sequence: number
  readonly closeSec: number
  readonly events: readonly NodeEvent[]
}

/** A position as its ledger entry tells it. */
export interface NodePosition {
  readonly market: string
  readonly id: number
  readonly mode: 'isolated' | 'cross'
}

/** An order as its ledger entry tells it. */
export interface NodeOrder {
  readonly market: string
  readonly id: number
  readonly trader: string
  /** Null: in no ledger yet. */
  readonly placedSec: number | null
  readonly pending: boolean
}

/** getEvents scans so many ledgers a call. */
const WINDOW = 10_000

export interface FakeNode {
  readonly rpc: Rpc
  passphrase: string
  /** Ledgers below are gone. */
  oldest: number
  /** The node lags: it knows no ledger above. */
  visibleUntil: number
  /** A provider that serves fewer events a page than it is asked for. */
  pageCap: number
  /** Changes the next pages of getEvents, one each; may throw. */
  readonly pageFaults: ((page: EventsPage) => EventsPage)[]
  /** Its latest ledger is old: it tells no health, and answers everything else. */
  unhealthy: boolean
  /** Everything fails while set. */
  failure: RpcFailure | undefined
  positions: NodePosition[]
  orders: NodeOrder[]
  /** How often each method was called. */
  readonly calls: Record<string, number>
  latest(): NodeLedger
  /** Closes one ledger and returns its sequence. */
  close(closeSec: number, events?: readonly NodeEvent[]): number
  /** A reset: the same network from ledger `first` on. */
  reset(first?: number): void
}

export function createFakeNode(options: { firstLedger?: number; passphrase?: string } = {}): FakeNode {
  let ledgers: NodeLedger[] = []
  let first = options.firstLedger ?? 1
  /** Which network this is, by its ledgers' hashes. */
  let incarnation = 1

  function range(): { oldest: NodeLedger; latest: NodeLedger } {
    const latest = node.latest()
    const oldest = ledgers.find((ledger) => ledger.sequence >= node.oldest) ?? latest
    return { oldest, latest }
  }

  function rangeResponse(): LedgerRange {
    const { oldest, latest } = range()
    return { latestLedger: latest.sequence, latestLedgerCloseSec: latest.closeSec, oldestLedger: oldest.sequence, oldestLedgerCloseSec: oldest.closeSec }
  }

  function countCall(method: string): void {
    node.calls[method] = (node.calls[method] ?? 0) + 1
    if (node.failure !== undefined) throw node.failure
    if (ledgers.length === 0) throw new RpcFailure({ method, kind: 'rpc', code: -32603, retryable: true, endpoint: 0 })
  }

  function rejectRange(method: string): never {
    throw new RpcFailure({ method, kind: 'rpc', code: -32600, retryable: false, endpoint: 0, detail: 'startLedger must be within the ledger range' })
  }

  const rpc: Rpc = {
    endpoints: 1,
    async getHealth() {
      countCall('getHealth')
      if (node.unhealthy) throw new RpcFailure({ method: 'getHealth', kind: 'rpc', code: -32603, retryable: true, endpoint: 0 })
      return { ...rangeResponse(), retentionLedgers: 120_960 }
    },
    async getNetwork() {
      countCall('getNetwork')
      return { passphrase: node.passphrase, protocolVersion: 27 }
    },
    async getLedgers(request) {
      countCall('getLedgers')
      const { oldest, latest } = range()
      if (request.startLedger < oldest.sequence || request.startLedger > latest.sequence) rejectRange('getLedgers')
      return {
        ledgers: ledgers
          .filter((ledger) => ledger.sequence >= request.startLedger && ledger.sequence <= latest.sequence)
          .slice(0, request.limit)
          .map((ledger) => ({ sequence: ledger.sequence, hash: `${incarnation}`.padStart(2, '0').repeat(32), closeSec: ledger.closeSec })),
        ...rangeResponse(),
      }
    },
    async getLatestLedger() {
      countCall('getLatestLedger')
      return node.latest().sequence
    },
    async getEvents(request) {
      countCall('getEvents')
      const { oldest, latest } = range()
      const after = 'cursor' in request.from ? request.from.cursor : endOf(request.from.startLedger - 1)
      const from = 'cursor' in request.from ? Number(BigInt(after.slice(0, 19)) >> 32n) : request.from.startLedger
      if (from < oldest.sequence || from > latest.sequence) rejectRange('getEvents')
      const until = Math.min(latest.sequence, from + WINDOW - 1)
      const events = ledgers
        .filter((ledger) => ledger.sequence >= from && ledger.sequence <= until)
        .flatMap(eventsOf)
        .filter((event) => event.id > after && request.contractIds.includes(event.contractId))
      const limit = Math.min(request.limit, node.pageCap)
      const kept = events.slice(0, limit)
      const page: EventsPage = {
        events: kept,
        cursor: kept.length === limit ? (kept.at(-1)?.id ?? after) : endOf(until),
        ...rangeResponse(),
      }
      return node.pageFaults.shift()?.(page) ?? page
    },
    async getLedgerEntries(keysXdr) {
      countCall('getLedgerEntries')
      const stored = [
        ...node.positions.map((position) => ({ keyXdr: numberedKey(position.market, 'Position', position.id), write: () => positionEntry(position) })),
        ...node.orders.map((order) => ({ keyXdr: numberedKey(order.market, 'Order', order.id), write: () => orderEntry(order) })),
      ]
      const entries = stored
        .filter(({ keyXdr }) => keysXdr.includes(keyXdr))
        .map(({ keyXdr, write }) => ({ keyXdr, dataXdr: write(), lastModifiedLedger: 1, liveUntilLedger: 1_000_000 }))
      return { entries, latestLedger: node.latest().sequence }
    },
    async simulateTransaction() {
      throw new Error('this node simulates nothing')
    },
    async sendTransaction() {
      throw new Error('this node takes nothing')
    },
    async getTransaction() {
      throw new Error('this node knows no transaction')
    },
  }

  const node: FakeNode = {
    rpc,
    passphrase: options.passphrase ?? 'a network',
    oldest: first,
    visibleUntil: Number.MAX_SAFE_INTEGER,
    pageCap: Number.MAX_SAFE_INTEGER,
    pageFaults: [],
    unhealthy: false,
    failure: undefined,
    positions: [],
    orders: [],
    calls: {},
    latest() {
      const latest = ledgers.findLast((ledger) => ledger.sequence <= node.visibleUntil)
      if (latest === undefined) throw new Error('no ledger yet')
      return latest
    },
    close(closeSec, events = []) {
      const sequence = (ledgers.at(-1)?.sequence ?? first - 1) + 1
      ledgers.push({ sequence, closeSec, events })
      return sequence
    },
    reset(from = 1) {
      ledgers = []
      first = from
      incarnation += 1
      node.oldest = from
      node.positions = []
      node.orders = []
    },
  }
  return node
}

/** The same chain through a node that has dropped only what `oldest` says, and that fails while `failure` tells how. */
export function withOlderHistory(node: FakeNode, view: { readonly oldest: number; readonly failure?: () => RpcFailure | undefined }): Rpc {
  const withOldest = <Args extends readonly unknown[], Answer>(method: (...args: Args) => Promise<Answer>) => async (...args: Args): Promise<Answer> => {
    const failure = view.failure?.()
    if (failure !== undefined) throw failure
    const { oldest } = node
    node.oldest = view.oldest
    try {
      return await method(...args)
    } finally {
      node.oldest = oldest
    }
  }
  const { rpc } = node
  return {
    ...rpc,
    getHealth: withOldest(rpc.getHealth), getNetwork: withOldest(rpc.getNetwork), getEvents: withOldest(rpc.getEvents), getLedgers: withOldest(rpc.getLedgers),
  }
}

/** The cursor at the end of a ledger, as the node writes it. */
export function endOf(ledger: number): string {
  return `${(((BigInt(ledger) + 1n) << 32n) - 1n).toString().padStart(19, '0')}-4294967295`
}

function eventsOf(ledger: NodeLedger): EventsPage['events'] {
  return ledger.events.map((event, index) => ({
    id: eventId(ledger.sequence, event.transaction, index),
    ledger: ledger.sequence,
    closeSec: ledger.closeSec,
    contractId: event.contractId,
    txHash: transactionHash(ledger.sequence, event.transaction),
    topicsXdr: event.topicsXdr,
    valueXdr: event.valueXdr,
  }))
}

/** The id of an event of this node: `index` counts through its ledger. */
export function eventId(ledger: number, transaction: number, index: number): string {
  const toid = (BigInt(ledger) << 32n) | (BigInt(transaction + 1) << 12n)
  return `${toid.toString().padStart(19, '0')}-${index.toString().padStart(10, '0')}`
}

/** The hash of a transaction of this node. */
export function transactionHash(ledger: number, transaction: number): string {
  return `${ledger.toString(16).padStart(8, '0')}${transaction.toString(16).padStart(8, '0')}`.padStart(64, '0')
}

function positionEntry({ market, id, mode }: NodePosition): string {
  return numberedEntry(market, 'Position', id, {
    id: nativeToScVal(id, { type: 'u64' }),
    margin_mode: nativeToScVal(mode === 'cross' ? 1 : 0, { type: 'u32' }),
  })
}

function orderEntry({ market, id, trader, placedSec, pending }: NodeOrder): string {
  return numberedEntry(market, 'Order', id, {
    created_at: nativeToScVal(placedSec ?? 0, { type: 'u64' }),
    id: nativeToScVal(id, { type: 'u64' }),
    status: nativeToScVal(pending ? 0 : 1, { type: 'u32' }),
    trader: new Address(trader).toScVal(),
  })
}

/** An entry under [name, id]; the fields come in the order of their names. */
function numberedEntry(market: string, name: string, id: number, fields: Readonly<Record<string, xdr.ScVal>>): string {
  const val = xdr.ScVal.scvMap(
    Object.entries(fields).map(([field, value]) => new xdr.ScMapEntry({ key: nativeToScVal(field, { type: 'symbol' }), val: value })),
  )
  const key = xdr.ScVal.scvVec([nativeToScVal(name, { type: 'symbol' }), nativeToScVal(id, { type: 'u64' })])
  return xdr.LedgerEntryData.contractData(
    new xdr.ContractDataEntry({
      ext: xdr.ExtensionPoint.v0(), contract: new Address(market).toScAddress(), key, durability: xdr.ContractDataDurability.persistent, val,
    }),
  ).toXdr('base64')
}
