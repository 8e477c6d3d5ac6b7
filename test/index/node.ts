// An in-memory Soroban RPC node for the indexer's tests. It serves ledgers and events with the documented window, cursor and range rules.

import { decodeHeader } from '../../src/chain/codec/ledger-header.ts'
import type { LedgerHeader } from '../../src/chain/codec/ledger-header.ts'
import { NewerThanKnown } from '../../src/chain/codec/newer-than-known.ts'
import type { ChainEvent, EventsPage, LedgerRange } from '../../src/chain/rpc/responses.ts'
import { RpcFailure } from '../../src/chain/rpc/failure.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { isTransferOf } from '../../src/chain/codec/token-transfers.ts'
import { encodedHeader, usualForm } from '../support/ledger-headers.ts'
import type { HeaderFields } from '../support/ledger-headers.ts'
import { TEST_PROTOCOL } from '../support/protocol.ts'
import { readEntries } from './node-entries.ts'
import type { NodeInstance, NodeOrder, NodePosition, NodeTag } from './node-entries.ts'

/** An event before it is part of a ledger: its contract and its XDR. */
export interface NodeEvent {
  readonly contractId: string
  readonly topicsXdr: readonly string[]
  readonly valueXdr: string
  /** An event of the host. */
  readonly isSystem?: true
  /** Number of its transaction within the ledger. */
  readonly transaction: number
}

interface NodeLedger {
  readonly sequence: number
  readonly closeSec: number
  readonly closeMs: number
  readonly events: readonly NodeEvent[]
  readonly hash: string
  readonly previousHash: string
  /** LedgerHeaderHistoryEntry, base64. */
  readonly headerXdr: string
}

/** Ledgers that getEvents scans per call. */
const SCAN_WINDOW = 10_000

/** The node's chain and its switches for tests. */
interface NodeState {
  passphrase: string
  /** The protocol of the next ledger. */
  protocol: number
  /** Ledgers below this one are dropped. */
  oldest: number
  /** Ledgers above this one are invisible, as on a lagging node. */
  visibleUntil: number
  /** The node returns at most this many events per page, whatever the request's limit. */
  pageCap: number
  /** Each changes one of the next getEvents pages; may throw. */
  readonly pageFaults: ((page: EventsPage) => EventsPage)[]
  /** From this ledger on, the gateway under test is older than the headers. */
  newerFrom: number
  /** getHealth fails, as on a node whose latest ledger is old; all other methods work. */
  unhealthy: boolean
  /** Every call fails with this error while it is set. */
  failure: RpcFailure | undefined
  positions: NodePosition[]
  orders: NodeOrder[]
  /** The code of contracts, by address, and every module that the node has. */
  readonly instances: Map<string, NodeInstance>
  /** The entries that references name. */
  tags: NodeTag[]
  modules: Uint8Array[]
  /** Number of calls by method. */
  readonly calls: Record<string, number>
}

export interface FakeNode extends NodeState {
  readonly rpc: Rpc
  latest(): NodeLedger
  /** The header of a ledger, LedgerHeaderHistoryEntry in base64. */
  headerXdr(sequence: number): string
  /** A valid header and hash of this ledger that follow no ledger of the chain. */
  forgeHeader(sequence: number): { readonly hash: string; readonly headerXdr: string }
  ledgerCount(): number
  /** Saves the chain; the returned function makes the node serve it again. */
  saveChain(): () => void
  /** Closes one ledger and returns its sequence. Without a header of its own, it has the usual form, and within the same second closes a millisecond later. */
  close(closeSec: number, events?: readonly NodeEvent[], header?: Partial<HeaderFields>): number
  /** Closes the ledger that upgrades the network: it has the new protocol and the old form. */
  upgrade(closeSec: number, protocol: number): number
  /** Resets the network: the same passphrase, a new chain from ledger `first`. */
  reset(first?: number): void
}

interface Chain {
  ledgers: NodeLedger[]
  first: number
  /** Counts resets; ledger hashes depend on it. */
  incarnation: number
}

export function createFakeNode(options: { firstLedger?: number; passphrase?: string } = {}): FakeNode {
  const first = options.firstLedger ?? 1
  const chain: Chain = { ledgers: [], first, incarnation: 1 }
  const state: NodeState = {
    passphrase: options.passphrase ?? 'a network',
    protocol: TEST_PROTOCOL,
    oldest: first,
    visibleUntil: Number.MAX_SAFE_INTEGER,
    pageCap: Number.MAX_SAFE_INTEGER,
    pageFaults: [],
    newerFrom: Number.MAX_SAFE_INTEGER,
    unhealthy: false,
    failure: undefined,
    positions: [],
    orders: [],
    instances: new Map(),
    tags: [],
    modules: [],
    calls: {},
  }

  function close(closeSec: number, events: readonly NodeEvent[] = [], header: Partial<HeaderFields> = {}): number {
    const { protocol } = state
    const last = chain.ledgers.at(-1)
    const sequence = (last?.sequence ?? chain.first - 1) + 1
    const previousHash = last?.hash ?? '0'.repeat(64)
    const closeMs = last?.closeSec === closeSec ? last.closeMs + 1 : closeSec * 1_000
    const fields = { sequence, previousHash, closeSec, closeMs, protocol, form: usualForm(protocol), state: chain.incarnation, ...header }
    const { xdr, hash } = encodedHeader(fields)
    chain.ledgers.push({ sequence, closeSec, closeMs: fields.closeMs, events, previousHash, hash, headerXdr: xdr })
    return sequence
  }

  return Object.assign(state, {
    rpc: createNodeRpc(chain, state),
    latest: () => latestLedger(chain, state),
    ledgerCount: () => chain.ledgers.length,
    saveChain() {
      const saved = { ...chain, ledgers: [...chain.ledgers] }
      const { oldest, positions, orders } = state
      return () => {
        Object.assign(chain, saved)
        Object.assign(state, { oldest, positions, orders })
      }
    },
    forgeHeader(sequence: number) {
      const { closeSec = 0, closeMs = 0 } = chain.ledgers.find((ledger) => ledger.sequence === sequence) ?? {}
      const { protocol } = state
      const { xdr, hash } = encodedHeader({ sequence, closeSec, closeMs, protocol, form: usualForm(protocol), previousHash: 'cd'.repeat(32) })
      return { headerXdr: xdr, hash }
    },
    headerXdr: (sequence: number) => chain.ledgers.find((ledger) => ledger.sequence === sequence)?.headerXdr ?? '',
    close,
    upgrade(closeSec: number, protocol: number) {
      const sequence = close(closeSec, [], { protocol, upgrades: [Buffer.from([0, 0, 0, 1, 0, 0, 0, protocol])] })
      state.protocol = protocol
      return sequence
    },
    reset(from = 1) {
      Object.assign(chain, { ledgers: [], first: from, incarnation: chain.incarnation + 1 })
      Object.assign(state, { oldest: from, positions: [], orders: [] })
    },
  })
}

/** The RPC of a node. Every method counts its calls and fails while `failure` is set. */
function createNodeRpc(chain: Chain, state: NodeState): Rpc {
  function countCall(method: string): void {
    state.calls[method] = (state.calls[method] ?? 0) + 1
    if (state.failure !== undefined) throw state.failure
    if (chain.ledgers.length === 0) throw internalError(method)
  }

  return {
    endpoints: 1,
    async getHealth() {
      countCall('getHealth')
      if (state.unhealthy) throw internalError('getHealth')
      return { ...rangeResponse(chain, state), retentionLedgers: 120_960 }
    },
    async getNetwork() {
      countCall('getNetwork')
      return { passphrase: state.passphrase, protocolVersion: state.protocol }
    },
    async getLedgers(request) {
      countCall('getLedgers')
      return { ledgers: ledgersResponse(chain, state, request), ...rangeResponse(chain, state) }
    },
    async getLatestLedger() {
      countCall('getLatestLedger')
      return latestLedger(chain, state).sequence
    },
    async getEvents(request) {
      countCall('getEvents')
      const page = eventsResponse(chain, state, request)
      return state.pageFaults.shift()?.(page) ?? page
    },
    async getLedgerEntries(keysXdr) {
      countCall('getLedgerEntries')
      return { entries: readEntries(state, keysXdr), latestLedger: latestLedger(chain, state).sequence }
    },
    async simulateTransaction() {
      throw new Error('the fake node does not simulate transactions')
    },
    async sendTransaction() {
      throw new Error('the fake node does not accept transactions')
    },
    async getTransaction() {
      throw new Error('the fake node does not store transactions')
    },
    async getTransactions() {
      return { transactions: [], cursor: '0', latestLedger: latestLedger(chain, state).sequence }
    },
  }
}

function latestLedger({ ledgers }: Chain, { visibleUntil }: NodeState): NodeLedger {
  const latest = ledgers.findLast(({ sequence }) => sequence <= visibleUntil)
  if (latest === undefined) throw new Error('no ledger has closed yet')
  return latest
}

function visibleRange(chain: Chain, state: NodeState): { oldest: NodeLedger; latest: NodeLedger } {
  const latest = latestLedger(chain, state)
  return { oldest: chain.ledgers.find(({ sequence }) => sequence >= state.oldest) ?? latest, latest }
}

function rangeResponse(chain: Chain, state: NodeState): LedgerRange {
  const { oldest, latest } = visibleRange(chain, state)
  return { latestLedger: latest.sequence, latestLedgerCloseSec: latest.closeSec, oldestLedger: oldest.sequence, oldestLedgerCloseSec: oldest.closeSec }
}

function ledgersResponse(chain: Chain, state: NodeState, { startLedger, limit }: Parameters<Rpc['getLedgers']>[0]): LedgerHeader[] {
  const { oldest, latest } = visibleRange(chain, state)
  if (startLedger < oldest.sequence || startLedger > latest.sequence) throw outOfRange('getLedgers')
  return chain.ledgers
    .filter(({ sequence }) => sequence >= startLedger && sequence <= latest.sequence)
    .slice(0, limit)
    .map((ledger) => readHeader(ledger, state))
}

function readHeader({ sequence, headerXdr }: NodeLedger, { newerFrom }: NodeState): LedgerHeader {
  try {
    if (sequence >= newerFrom) throw new NewerThanKnown('ledger header of the future', headerXdr)
    return decodeHeader(headerXdr)
  } catch (error) {
    if (!(error instanceof NewerThanKnown)) throw error
    throw new RpcFailure({ method: 'getLedgers', kind: 'newer', retryable: true, endpoint: 0, newer: { what: error.what, xdr: error.xdr } })
  }
}

function eventsResponse(chain: Chain, state: NodeState, request: Parameters<Rpc['getEvents']>[0]): EventsPage {
  const { oldest, latest } = visibleRange(chain, state)
  const after = 'cursor' in request.from ? request.from.cursor : endOf(request.from.startLedger - 1)
  const from = 'cursor' in request.from ? Number(BigInt(after.slice(0, 19)) >> 32n) : request.from.startLedger
  if (from < oldest.sequence || from > latest.sequence) throw outOfRange('getEvents')
  const until = Math.min(latest.sequence, from + SCAN_WINDOW - 1)
  const limit = Math.min(request.limit, state.pageCap)
  const events = chain.ledgers
    .filter(({ sequence }) => sequence >= from && sequence <= until)
    .flatMap(eventsOf)
    .filter((event) => event.id > after && isRequested(request, event))
    .slice(0, limit)
  const isFull = events.length === limit
  return { events, cursor: isFull ? (events.at(-1)?.id ?? after) : endOf(until), ...rangeResponse(chain, state) }
}

function isRequested({ contractIds, upgradesOf = [], transfers = [] }: Parameters<Rpc['getEvents']>[0], event: ChainEvent): boolean {
  const { contractId, isSystem } = event
  return contractIds.includes(contractId) || (isSystem === true && upgradesOf.includes(contractId)) ||
    transfers.some((each) => isTransferOf(each)(event))
}

function internalError(method: string): RpcFailure {
  return new RpcFailure({ method, kind: 'rpc', code: -32603, retryable: true, endpoint: 0 })
}

function outOfRange(method: string): RpcFailure {
  return new RpcFailure({ method, kind: 'rpc', code: -32600, retryable: false, endpoint: 0, detail: 'startLedger must be within the ledger range' })
}

/** The RPC of a node on the same chain with a longer history; its calls fail while `failure` returns an error. */
export function withOlderHistory(node: FakeNode, view: { readonly oldest: number; readonly failure?: () => RpcFailure | undefined }): Rpc {
  const withOldest = <Args extends readonly unknown[], Result>(method: (...args: Args) => Promise<Result>) => async (...args: Args): Promise<Result> => {
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

/** The node's cursor at the end of a ledger. */
export function endOf(ledger: number): string {
  return `${(((BigInt(ledger) + 1n) << 32n) - 1n).toString().padStart(19, '0')}-4294967295`
}

function eventsOf(ledger: NodeLedger): EventsPage['events'] {
  return ledger.events.map((event, index) => ({
    id: eventId(ledger.sequence, event.transaction, index),
    ledger: ledger.sequence,
    closeSec: ledger.closeSec,
    contractId: event.contractId,
    ...(event.isSystem === true ? { isSystem: true } : {}),
    txHash: transactionHash(ledger.sequence, event.transaction),
    topicsXdr: event.topicsXdr,
    valueXdr: event.valueXdr,
  }))
}

/** The id of an event; `index` counts the events of its ledger. */
export function eventId(ledger: number, transaction: number, index: number): string {
  const toid = (BigInt(ledger) << 32n) | (BigInt(transaction + 1) << 12n)
  return `${toid.toString().padStart(19, '0')}-${index.toString().padStart(10, '0')}`
}

/** The hash of a transaction. */
function transactionHash(ledger: number, transaction: number): string {
  return `${ledger.toString(16).padStart(8, '0')}${transaction.toString(16).padStart(8, '0')}`.padStart(64, '0')
}
