// The table of faults. Each stands for something that users of real nodes have met (soroban-rpc, "Failure modes").

export type FaultValue = number | string | boolean
export type FaultValues = Readonly<Record<string, FaultValue>>

/** A parameter of a fault. Integers have an end on both sides. */
export interface FaultParameter {
  readonly type: 'integer' | 'string' | 'boolean'
  readonly default: FaultValue
  readonly min?: number
  readonly max?: number
  readonly description: string
}

/** A fault by its name. */
export interface FaultKind {
  readonly name: string
  readonly description: string
  /** The methods it can meet; null: every method of a real node. */
  readonly methods: readonly string[] | null
  readonly parameters: Readonly<Record<string, FaultParameter>>
  /** How many calls it meets unless told otherwise; null: until cleared. */
  readonly countDefault: number | null
}

const EXECUTED: FaultParameter = {
  type: 'boolean',
  default: false,
  description: 'whether the call takes effect although its answer is lost',
}

function milliseconds(value: number): FaultParameter {
  return { type: 'integer', default: value, min: 0, max: 600_000, description: 'milliseconds on the clock' }
}

function ledgers(value: number, description: string): FaultParameter {
  return { type: 'integer', default: value, min: 1, max: 1_000_000, description }
}

/** Faults of the way to the node and back: they meet the whole HTTP answer. */
export const HTTP_FAULTS: readonly FaultKind[] = [
  {
    name: 'http_status',
    description: 'an HTTP error without a JSON-RPC body: 503 (too many requests in flight), 429 and 502 (a proxy), 504 (ran too long)',
    methods: null,
    parameters: {
      status: { type: 'integer', default: 503, min: 400, max: 599, description: 'the HTTP status' },
      retryAfterSec: { type: 'integer', default: 0, min: 0, max: 3_600, description: 'retry-after header; 0 leaves it out' },
      executed: EXECUTED,
    },
    countDefault: 1,
  },
  {
    name: 'rate_limited',
    description: '429 from a provider: a page of HTML, and how long to stay away',
    methods: null,
    parameters: { retryAfterSec: { type: 'integer', default: 2, min: 0, max: 3_600, description: 'retry-after header' } },
    countDefault: 1,
  },
  {
    name: 'timeout',
    description: 'no answer; the connection is cut when the caller gives up or the time is over',
    methods: null,
    parameters: { ms: milliseconds(60_000), executed: EXECUTED },
    countDefault: 1,
  },
  { name: 'slow', description: 'the right answer, late', methods: null, parameters: { ms: milliseconds(3_000) }, countDefault: 1 },
  {
    name: 'connection_reset',
    description: 'the connection is cut without an answer',
    methods: null,
    parameters: { executed: EXECUTED },
    countDefault: 1,
  },
  {
    name: 'html_200',
    description: 'a proxy answers 200 with a page of HTML',
    methods: null,
    parameters: { executed: EXECUTED },
    countDefault: 1,
  },
  {
    name: 'torn_json',
    description: 'the right answer, cut off in the middle, with status 200',
    methods: null,
    parameters: { keepPercent: { type: 'integer', default: 50, min: 1, max: 99, description: 'how much of the body arrives' } },
    countDefault: 1,
  },
  { name: 'empty_204', description: '204 and no body', methods: null, parameters: { executed: EXECUTED }, countDefault: 1 },
]

/** Faults by which a node, or a proxy before it, answers well-formed and wrong. */
const RESPONSE_FAULTS: readonly FaultKind[] = [
  {
    name: 'short_scan',
    description: 'a node that looks at few ledgers per call: pages may be empty, and only their cursor moves',
    methods: ['getEvents'],
    parameters: { ledgers: ledgers(3, 'how many it looks at') },
    countDefault: null,
  },
  {
    name: 'slow_scan',
    description: '-32001: a page of so many events takes the node longer than it allows itself',
    methods: ['getEvents'],
    parameters: { events: { type: 'integer', default: 100, min: 1, max: 10_000, description: 'the most that it can look for in time' } },
    countDefault: null,
  },
  {
    name: 'mixed_filters_lose',
    description: 'the older node: of filters with different members all but the first find nothing',
    methods: ['getEvents'],
    parameters: {},
    countDefault: null,
  },
  { name: 'duplicated_event', description: 'the first event of a page stands there twice', methods: ['getEvents'], parameters: {}, countDefault: 1 },
  {
    name: 'renumbered_events',
    description: 'a node of another release: the same events under other ids',
    methods: ['getEvents'],
    parameters: { by: { type: 'integer', default: 3, min: 1, max: 1_000, description: 'by how much the last part of an id is higher' } },
    countDefault: null,
  },
  {
    name: 'odd_events',
    description: 'events, in turn: without topics, of no contract, with more than four topics',
    methods: ['getEvents'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'unknown_xdr',
    description: 'values, entries and results in the XDR of a protocol to come',
    methods: ['getEvents', 'getLedgerEntries', 'getTransaction', 'getNetwork'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'archived_entries',
    description: 'the entries of contracts are archived: the ledger until which they live is told as 0',
    methods: ['getLedgerEntries'],
    parameters: {},
    countDefault: null,
  },
  {
    name: 'stale_sequence',
    description: 'accounts as they were before their last transaction, while getHealth is fine',
    methods: ['getLedgerEntries'],
    parameters: { ledgers: ledgers(1, 'how far the answer is behind') },
    countDefault: 1,
  },
  {
    name: 'boastful_health',
    description: 'getHealth tells of ledgers that the node does not have',
    methods: ['getHealth'],
    parameters: { ledgers: ledgers(50, 'how many') },
    countDefault: null,
  },
  {
    name: 'leaping_ledger',
    description: 'every answer names a ledger that the network has not come to',
    methods: null,
    parameters: { ledgers: ledgers(1_000_000, 'how far ahead') },
    countDefault: null,
  },
  { name: 'wrong_network', description: 'the node serves another network', methods: ['getNetwork'], parameters: {}, countDefault: null },
  {
    name: 'heavy_latest_ledger',
    description: 'the ledger of a busy network, megabytes of it',
    methods: ['getLatestLedger'],
    parameters: { megabytes: { type: 'integer', default: 8, min: 1, max: 64, description: 'how much' } },
    countDefault: null,
  },
  {
    name: 'method_missing',
    description: '-32601: a provider that does not offer the method',
    methods: null,
    parameters: {},
    countDefault: null,
  },
  rejectedSend('bad_sequence', 'sendTransaction answers ERROR with txBAD_SEQ', {}),
  rejectedSend('fee_surge', 'sendTransaction answers ERROR with txINSUFFICIENT_FEE and the fee that would do', {
    feeStroops: { type: 'integer', default: 1_000_000, min: 0, max: 1_000_000_000, description: 'the fee that would do' },
  }),
  rejectedSend('too_late', 'sendTransaction answers ERROR with txTOO_LATE', {}),
  {
    name: 'footprint_moved',
    description: 'a transaction that was simulated fails when it is applied: INVOKE_HOST_FUNCTION_RESOURCE_LIMIT_EXCEEDED',
    methods: ['getTransaction'],
    parameters: {},
    countDefault: null,
  },
  {
    name: 'entry_archived',
    description: 'the same, because an entry was archived meanwhile: INVOKE_HOST_FUNCTION_ENTRY_ARCHIVED',
    methods: ['getTransaction'],
    parameters: {},
    countDefault: null,
  },
]

function rejectedSend(name: string, description: string, parameters: Readonly<Record<string, FaultParameter>>): FaultKind {
  return { name, description, methods: ['sendTransaction'], parameters, countDefault: 1 }
}

/** Faults of the node itself: they meet one call and answer in JSON-RPC. */
export const CALL_FAULTS: readonly FaultKind[] = [
  ...RESPONSE_FAULTS,
  {
    name: 'rpc_error',
    description: 'a JSON-RPC error: -32001 (processing limit), -32098 (queue full), -32603 (database, core), -32003 (panic)',
    methods: null,
    parameters: {
      code: { type: 'integer', default: -32001, min: -32_768, max: -32_000, description: 'the error code' },
      message: { type: 'string', default: '', description: "the message; empty takes the node's own text for the code" },
      executed: EXECUTED,
    },
    countDefault: 1,
  },
  {
    name: 'lagging',
    description: 'a node behind a load balancer that is some ledgers behind; cursors ahead of it get -32600',
    methods: null,
    parameters: { ledgers: ledgers(5, 'how far it is behind') },
    countDefault: null,
  },
  {
    name: 'retention_cut',
    description: 'a node that keeps few ledgers: oldestLedger moves up, older starts and cursors get -32600',
    methods: null,
    parameters: { ledgers: ledgers(10, 'how many it keeps') },
    countDefault: null,
  },
  {
    name: 'repeated_page',
    description: 'serves the last page again, whatever was asked',
    methods: ['getEvents'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'cut_page',
    description: 'a shorter page than asked for: it may end inside a ledger and inside a transaction',
    methods: ['getEvents'],
    parameters: { events: { type: 'integer', default: 1, min: 1, max: 10_000, description: 'the most events on the page' } },
    countDefault: 1,
  },
  {
    name: 'cursor_ignored',
    description: 'a provider that reads from its oldest ledger whatever the cursor says',
    methods: ['getEvents'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'get_transactions_cursor_zero',
    description: 'the older node: a page that found nothing comes with cursor 0',
    methods: ['getTransactions'],
    parameters: {},
    countDefault: null,
  },
  {
    name: 'not_found',
    description: 'a transaction shows only some ledgers after it was applied',
    methods: ['getTransaction'],
    parameters: { ledgers: ledgers(3, 'how many ledgers later') },
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
    description: 'the simulation runs out of its budget',
    methods: ['simulateTransaction'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'try_again_later',
    description: 'sendTransaction answers TRY_AGAIN_LATER',
    methods: ['sendTransaction'],
    parameters: { executed: EXECUTED },
    countDefault: 1,
  },
  {
    name: 'duplicate',
    description: 'a queued transaction is answered with DUPLICATE in place of PENDING',
    methods: ['sendTransaction'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'invalid_status',
    description: '-32603: core answered the submission with a status that the node does not know',
    methods: ['sendTransaction'],
    parameters: {},
    countDefault: 1,
  },
  {
    name: 'submission_lost',
    description: '-32603: the node could not submit to core in time, the outcome is unknown',
    methods: ['sendTransaction'],
    parameters: { executed: EXECUTED },
    countDefault: 1,
  },
]
