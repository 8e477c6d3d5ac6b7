// The table of faults. Each reproduces a failure of real nodes (soroban-rpc, "Failure modes").

import { MILLISECONDS_SINCE } from '../src/base/protocol.ts'
import { DROPPED_SETS_SINCE } from './ledger/protocol.ts'

export type FaultValue = number | string | boolean
export type FaultValues = Readonly<Record<string, FaultValue>>

/** A parameter of a fault. Integers have both bounds. */
export interface FaultParameter {
  readonly type: 'integer' | 'string' | 'boolean'
  readonly default: FaultValue
  readonly min?: number
  readonly max?: number
  readonly description: string
}

/** A kind of fault. */
export interface FaultKind {
  readonly name: string
  readonly description: string
  /** The methods that it applies to; null: every method of a real node. None for a fault of ledgers. */
  readonly methods: readonly string[] | null
  /** The first protocol whose ledgers it affects, for a fault of ledgers. */
  readonly sinceProtocol?: number
  readonly parameters: Readonly<Record<string, FaultParameter>>
  /** The default number of calls or ledgers that it affects; null: until cleared. */
  readonly countDefault: number | null
}

const EXECUTED: FaultParameter = {
  type: 'boolean',
  default: false,
  description: 'whether the call takes effect although its response is lost',
}

function milliseconds(value: number): FaultParameter {
  return { type: 'integer', default: value, min: 0, max: 600_000, description: 'duration in milliseconds' }
}

function ledgers(value: number, description: string): FaultParameter {
  return { type: 'integer', default: value, min: 1, max: 1_000_000, description }
}

/** The faults of the network itself: they affect ledgers, not calls. Every node shows them. */
export const LEDGER_FAULTS = [
  {
    name: 'dropped_transactions',
    description: 'the validators agree on a ledger without its transactions, which stay queued; from protocol 28 on',
    methods: [],
    sinceProtocol: DROPPED_SETS_SINCE,
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'equal_seconds',
    description: 'a ledger closes in the same second as the one before; from protocol 30 on',
    methods: [],
    sinceProtocol: MILLISECONDS_SINCE,
    parameters: {},
    countDefault: 1,
  },
] as const satisfies readonly FaultKind[]

export type LedgerFault = (typeof LEDGER_FAULTS)[number]['name']

/** The ledger before one that faults may affect. */
export interface PreviousLedger {
  readonly protocol: number
  readonly closeTimeMs: number
}

/** Faults of the connection and of proxies: they affect the whole HTTP response. */
export const HTTP_FAULTS: readonly FaultKind[] = [
  {
    name: 'http_status',
    description: 'an HTTP error without a JSON-RPC body: 503 (too many requests in flight), 429 and 502 (from a proxy), 504 (took too long)',
    methods: null,
    parameters: {
      status: { type: 'integer', default: 503, min: 400, max: 599, description: 'the HTTP status' },
      retryAfterSec: { type: 'integer', default: 0, min: 0, max: 3_600, description: 'retry-after header; 0 omits it' },
      executed: EXECUTED,
    },
    countDefault: 1,
  },
  {
    name: 'rate_limited',
    description: '429 from a provider, with an HTML page and a retry-after header',
    methods: null,
    parameters: { retryAfterSec: { type: 'integer', default: 2, min: 0, max: 3_600, description: 'retry-after header' } },
    countDefault: 1,
  },
  {
    name: 'timeout',
    description: 'no response; the connection is cut when the client gives up or after the given time',
    methods: null,
    parameters: { ms: milliseconds(60_000), executed: EXECUTED },
    countDefault: 1,
  },
  { name: 'slow', description: 'a correct but late response', methods: null, parameters: { ms: milliseconds(3_000) }, countDefault: 1 },
  {
    name: 'connection_reset',
    description: 'the connection is cut without a response',
    methods: null,
    parameters: { executed: EXECUTED },
    countDefault: 1,
  },
  {
    name: 'html_200',
    description: 'a proxy responds 200 with an HTML page',
    methods: null,
    parameters: { executed: EXECUTED },
    countDefault: 1,
  },
  {
    name: 'torn_json',
    description: 'a correct response with status 200, truncated',
    methods: null,
    parameters: { keepPercent: { type: 'integer', default: 50, min: 1, max: 99, description: 'how much of the body is sent, in percent' } },
    countDefault: 1,
  },
  { name: 'empty_204', description: '204 and no body', methods: null, parameters: { executed: EXECUTED }, countDefault: 1 },
]

/** Faults by which a node or a proxy returns well-formed but wrong responses. */
const RESPONSE_FAULTS: readonly FaultKind[] = [
  {
    name: 'short_scan',
    description: 'the node scans few ledgers per call: pages may be empty, and only their cursor advances',
    methods: ['getEvents'],
    parameters: { ledgers: ledgers(3, 'ledgers scanned per call') },
    countDefault: null,
  },
  {
    name: 'slow_scan',
    description: '-32001: a larger page exceeds the processing limit of the node',
    methods: ['getEvents'],
    parameters: { events: { type: 'integer', default: 100, min: 1, max: 10_000, description: 'the largest page limit that succeeds' } },
    countDefault: null,
  },
  {
    name: 'mixed_filters_lose',
    description: 'an older node: of several filters with different fields, only the first finds anything',
    methods: ['getEvents'],
    parameters: {},
    countDefault: null,
  },
  { name: 'duplicated_event', description: 'a page contains its first event twice', methods: ['getEvents'], parameters: {}, countDefault: 1 },
  {
    name: 'renumbered_events',
    description: 'a node of another release: the same events with other ids',
    methods: ['getEvents'],
    parameters: { by: { type: 'integer', default: 3, min: 1, max: 1_000, description: 'added to the last part of each id' } },
    countDefault: null,
  },
  {
    name: 'odd_events',
    description: 'unusual events, in turn: without topics, without a contract, with more than four topics',
    methods: ['getEvents'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'unknown_xdr',
    description: 'values, entries and results in the XDR of a future protocol',
    methods: ['getEvents', 'getLedgerEntries', 'getTransaction', 'getNetwork'],
    parameters: {},
    countDefault: 1,
  },
  { name: 'damaged_xdr', description: 'the values of events are cut, so that they are no XDR', methods: ['getEvents'], parameters: {}, countDefault: 1 },
  {
    name: 'archived_entries',
    description: 'contract entries are archived: liveUntilLedgerSeq is 0',
    methods: ['getLedgerEntries'],
    parameters: {},
    countDefault: null,
  },
  {
    name: 'stale_sequence',
    description: 'accounts as they were before their last transaction, while getHealth is healthy',
    methods: ['getLedgerEntries'],
    parameters: { ledgers: ledgers(1, 'by how many ledgers the response lags') },
    countDefault: 1,
  },
  {
    name: 'boastful_health',
    description: 'getHealth reports ledgers that the node does not have',
    methods: ['getHealth'],
    parameters: { ledgers: ledgers(50, 'the number of such ledgers') },
    countDefault: null,
  },
  {
    name: 'leaping_ledger',
    description: 'every response reports a ledger that the network has not reached',
    methods: null,
    parameters: { ledgers: ledgers(1_000_000, 'how far ahead') },
    countDefault: null,
  },
  { name: 'wrong_network', description: 'the node serves another network', methods: ['getNetwork'], parameters: {}, countDefault: null },
  {
    name: 'heavy_latest_ledger',
    description: 'a very large ledger, as of a busy network',
    methods: ['getLatestLedger'],
    parameters: { megabytes: { type: 'integer', default: 8, min: 1, max: 64, description: 'size in megabytes' } },
    countDefault: null,
  },
  {
    name: 'method_missing',
    description: '-32601: the provider does not offer the method',
    methods: null,
    parameters: {},
    countDefault: null,
  },
  rejectedSend('bad_sequence', 'sendTransaction returns ERROR with txBAD_SEQ', {}),
  rejectedSend('fee_surge', 'sendTransaction returns ERROR with txINSUFFICIENT_FEE and a sufficient fee', {
    feeStroops: { type: 'integer', default: 1_000_000, min: 0, max: 1_000_000_000, description: 'the sufficient fee' },
  }),
  rejectedSend('too_late', 'sendTransaction returns ERROR with txTOO_LATE', {}),
  rejectedSend('frozen_key', 'sendTransaction returns ERROR with txFROZEN_KEY_ACCESSED: validators have frozen an entry that it uses', {}),
  {
    name: 'footprint_moved',
    description: 'a simulated transaction fails when it is applied: INVOKE_HOST_FUNCTION_RESOURCE_LIMIT_EXCEEDED',
    methods: ['getTransaction'],
    parameters: {},
    countDefault: null,
  },
  {
    name: 'entry_archived',
    description: 'a simulated transaction fails because an entry has been archived since: INVOKE_HOST_FUNCTION_ENTRY_ARCHIVED',
    methods: ['getTransaction'],
    parameters: {},
    countDefault: null,
  },
]

function rejectedSend(name: string, description: string, parameters: Readonly<Record<string, FaultParameter>>): FaultKind {
  return { name, description, methods: ['sendTransaction'], parameters, countDefault: 1 }
}

/** Faults of the node: they affect one call and respond in JSON-RPC. */
export const CALL_FAULTS: readonly FaultKind[] = [
  ...RESPONSE_FAULTS,
  {
    name: 'rpc_error',
    description: 'a JSON-RPC error: -32001 (processing limit), -32098 (queue full), -32603 (database, core), -32003 (panic)',
    methods: null,
    parameters: {
      code: { type: 'integer', default: -32001, min: -32_768, max: -32_000, description: 'the error code' },
      message: { type: 'string', default: '', description: "the message; empty: the node's own message for the code" },
      executed: EXECUTED,
    },
    countDefault: 1,
  },
  {
    name: 'lagging',
    description: 'a lagging node behind a load balancer; newer cursors get -32600',
    methods: null,
    parameters: { ledgers: ledgers(5, 'by how many ledgers it lags') },
    countDefault: null,
  },
  {
    name: 'retention_cut',
    description: 'a node that retains few ledgers: oldestLedger is higher, and older starts and cursors get -32600',
    methods: null,
    parameters: { ledgers: ledgers(10, 'ledgers that it retains') },
    countDefault: null,
  },
  {
    name: 'repeated_page',
    description: 'serves the previous page again, whatever the request',
    methods: ['getEvents'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'cut_page',
    description: 'a shorter page than requested: it may end inside a ledger or a transaction',
    methods: ['getEvents'],
    parameters: { events: { type: 'integer', default: 1, min: 1, max: 10_000, description: 'the maximum number of events per page' } },
    countDefault: 1,
  },
  {
    name: 'cursor_ignored',
    description: 'a provider that ignores the cursor and reads from its oldest ledger',
    methods: ['getEvents'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'get_transactions_cursor_zero',
    description: 'an older node: an empty page has cursor 0',
    methods: ['getTransactions'],
    parameters: {},
    countDefault: null,
  },
  {
    name: 'not_found',
    description: 'a transaction is found only some ledgers after it was applied',
    methods: ['getTransaction'],
    parameters: { ledgers: ledgers(3, 'the delay in ledgers') },
    countDefault: null,
  },
  {
    name: 'preflight_queue_full',
    description: 'no simulation worker is free',
    methods: ['simulateTransaction'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'resource_limit_exceeded',
    description: 'the simulation exceeds its budget',
    methods: ['simulateTransaction'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'try_again_later',
    description: 'sendTransaction returns TRY_AGAIN_LATER',
    methods: ['sendTransaction'],
    parameters: { executed: EXECUTED },
    countDefault: 1,
  },
  {
    name: 'duplicate',
    description: 'sendTransaction returns DUPLICATE instead of PENDING',
    methods: ['sendTransaction'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'invalid_status',
    description: '-32603: core returned an unknown status for the submission',
    methods: ['sendTransaction'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'submission_lost',
    description: '-32603: the node did not submit to core in time, and the outcome is unknown',
    methods: ['sendTransaction'],
    parameters: { executed: EXECUTED },
    countDefault: 1,
  },
]
