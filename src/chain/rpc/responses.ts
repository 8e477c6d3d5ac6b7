// The shapes of the RPC's responses. A node, or a proxy in front of it, may send anything with status 200, so each response is validated field by field
// before it can reach a table. Numbers and strings are distinguished exactly as the node sends them.

import { decodeHeader, InvalidHeader } from '../codec/ledger-header.ts'
import type { LedgerHeader } from '../codec/ledger-header.ts'

/** Raised when a response does not have the shape of its method. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}

/** Raised when a node reports that it is too busy to process the request. The message is the node's text. */
export class NodeBusy extends Error {
  override readonly name = 'NodeBusy'
}

/** The ledgers that a node retains. Close times are null on nodes that do not report them. */
export interface LedgerRange {
  readonly latestLedger: number
  readonly latestLedgerCloseSec: number | null
  readonly oldestLedger: number
  readonly oldestLedgerCloseSec: number | null
}

/** getHealth. */
export interface NodeHealth extends LedgerRange {
  readonly retentionLedgers: number
}

/** getNetwork. */
export interface NodeNetwork {
  readonly passphrase: string
  readonly protocolVersion: number
}

/** One event of getEvents; all XDR is base64. */
export interface ChainEvent {
  readonly id: string
  readonly ledger: number
  readonly closeSec: number
  /** Empty when the event has no contract. */
  readonly contractId: string
  /** True for an event of the host, such as an upgrade of the contract. */
  readonly isSystem?: boolean
  readonly txHash: string
  readonly topicsXdr: readonly string[]
  readonly valueXdr: string
}

/** getEvents. */
export interface EventsPage extends LedgerRange {
  readonly events: readonly ChainEvent[]
  /** Position at which the next page begins; any non-empty string. */
  readonly cursor: string
}

/** getLedgers: the headers of the ledgers, and the node's range. */
export interface LedgersResponse extends LedgerRange {
  readonly ledgers: readonly LedgerHeader[]
}

/** An entry of getLedgerEntries. */
export interface LedgerEntry {
  readonly keyXdr: string
  /** LedgerEntryData. */
  readonly dataXdr: string
  readonly lastModifiedLedger: number
  /** Contract data and code only; 0 when the entry is archived. */
  readonly liveUntilLedger: number | null
}

/** getLedgerEntries: entries that do not exist are omitted. */
export interface LedgerEntriesResponse {
  readonly entries: readonly LedgerEntry[]
  readonly latestLedger: number
}

/** simulateTransaction. `error` is the node's text for a failed simulation; the other fields are empty then. */
export interface SimulationResponse {
  readonly error: string | null
  readonly latestLedger: number
  readonly results: readonly { readonly authXdr: readonly string[]; readonly returnValueXdr: string }[]
  readonly transactionDataXdr: string | null
  /** Stroops. */
  readonly minResourceFee: string | null
  /** True when a separate transaction must restore archived entries first: nodes before protocol 23. */
  readonly mustRestore: boolean
  /** DiagnosticEvent each. */
  readonly eventsXdr: readonly string[]
  /** Entries that the call would write. Empty when the node did not send them. */
  readonly stateChanges: readonly StateChange[]
}

/** An entry that a simulated call would change: base64 LedgerEntry each, null where it does not exist. */
export interface StateChange {
  readonly beforeXdr: string | null
  readonly afterXdr: string | null
}

/** sendTransaction, when the node checked the envelope. */
export interface SendResponse {
  readonly status: SendStatus
  /** Lower-case hex. */
  readonly hash: string
  readonly latestLedger: number
  /** TransactionResult, for ERROR. */
  readonly errorResultXdr: string | null
  /** DiagnosticEvent each, for ERROR. */
  readonly diagnosticEventsXdr: readonly string[]
}

type SendStatus = (typeof SEND_STATUSES)[number]

const SEND_STATUSES = ['PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER', 'ERROR'] as const

/** The ledgers in which a node looked for a transaction; null where it does not report them. */
export interface RetainedLedgers {
  readonly latestLedger: number
  readonly latestLedgerCloseSec: number | null
  readonly oldestLedger: number | null
  readonly oldestLedgerCloseSec: number | null
}

/** getTransaction. NOT_FOUND means only that no ledger that the node retains contains the transaction. */
export type TransactionResponse =
  | (RetainedLedgers & { readonly status: 'NOT_FOUND' })
  | (RetainedLedgers & TransactionRecord & { readonly status: 'SUCCESS'; readonly ledger: number })
  | (RetainedLedgers & TransactionRecord & {
      readonly ledger: number
      readonly status: 'FAILED'
      readonly resultXdr: string
      /** DiagnosticEvent each; empty when the node does not retain them. */
      readonly diagnosticEventsXdr: readonly string[]
    })

/** The members of a transaction that getTransaction returns besides its outcome. Absent: the node did not send it. */
export interface TransactionRecord {
  /** Close time of its ledger, Unix seconds. */
  readonly closeSec?: number
  /** TransactionEnvelope. */
  readonly envelopeXdr?: string
  /** TransactionResult. */
  readonly resultXdr?: string
  /** TransactionMeta. */
  readonly metaXdr?: string
}

export function parseHealth(result: unknown): NodeHealth {
  const health = fields(result, 'health')
  if (health['status'] !== 'healthy') throw new MalformedResponse('status is not "healthy"')
  return { ...parseRange(health), retentionLedgers: count(health['ledgerRetentionWindow'], 'ledgerRetentionWindow') }
}

function parseRange(response: Readonly<Record<string, unknown>>): LedgerRange {
  return {
    latestLedger: count(response['latestLedger'], 'latestLedger'),
    latestLedgerCloseSec: optional(response['latestLedgerCloseTime'], 'latestLedgerCloseTime', seconds),
    oldestLedger: count(response['oldestLedger'], 'oldestLedger'),
    oldestLedgerCloseSec: optional(response['oldestLedgerCloseTime'], 'oldestLedgerCloseTime', seconds),
  }
}

export function parseNetwork(result: unknown): NodeNetwork {
  const network = fields(result, 'network')
  return {
    passphrase: text(network['passphrase'], 'passphrase'),
    protocolVersion: count(network['protocolVersion'], 'protocolVersion'),
  }
}

export function parseEvents(result: unknown): EventsPage {
  const page = fields(result, 'events response')
  const cursor = text(page['cursor'], 'cursor')
  if (cursor === '') throw new MalformedResponse('cursor is empty')
  return { events: list(page['events'], 'events').map(parseEvent), cursor, ...parseRange(page) }
}

/** The base64 of an event's topics and value. The network allows 16 kB of XDR per transaction. */
const EVENT_XDR_MAX_LENGTH = 64 * 1024
/** More than the network allows. The log of pages has a byte for their number. */
const EVENT_TOPICS_MAX = 255

function parseEvent(value: unknown): ChainEvent {
  const event = fields(value, 'event')
  const txHash = text(event['txHash'], 'txHash')
  const topicsXdr = list(event['topic'] ?? [], 'topic').map((topic) => base64(topic, 'topic'))
  const valueXdr = base64(event['value'], 'value')
  if (topicsXdr.reduce((sum, topic) => sum + topic.length, valueXdr.length) > EVENT_XDR_MAX_LENGTH) throw new MalformedResponse('an event is too long')
  if (topicsXdr.length > EVENT_TOPICS_MAX) throw new MalformedResponse('an event has too many topics')
  if (!/^[0-9a-f]{64}$/.test(txHash)) throw new MalformedResponse('txHash is not 64 hex digits')
  return {
    id: text(event['id'], 'id'),
    ledger: count(event['ledger'], 'ledger'),
    closeSec: rfc3339(event['ledgerClosedAt'], 'ledgerClosedAt'),
    contractId: text(event['contractId'], 'contractId'),
    ...(event['type'] === 'system' ? { isSystem: true } : {}),
    txHash,
    topicsXdr,
    valueXdr,
  }
}

export function parseLedgers(result: unknown): LedgersResponse {
  const response = fields(result, 'ledgers response')
  return { ledgers: list(response['ledgers'], 'ledgers').map(parseLedger), ...parseRange(response) }
}

/** The figures beside a header repeat what its hash covers, so a node that alters one of them contradicts itself. */
function parseLedger(value: unknown): LedgerHeader {
  const ledger = fields(value, 'ledger')
  const header = headerOf(text(ledger['headerXdr'], 'headerXdr'))
  if (text(ledger['hash'], 'hash') !== header.hash) throw new MalformedResponse('the hash of a ledger is not that of its header')
  if (count(ledger['sequence'], 'sequence') !== header.sequence) throw new MalformedResponse('the sequence of a ledger is not that of its header')
  if (seconds(ledger['ledgerCloseTime'], 'ledgerCloseTime') !== header.closeSec) {
    throw new MalformedResponse('the close time of a ledger is not that of its header')
  }
  return header
}

function headerOf(headerXdr: string): LedgerHeader {
  try {
    return decodeHeader(headerXdr)
  } catch (error) {
    if (error instanceof InvalidHeader) throw new MalformedResponse(error.message, { cause: error })
    throw error
  }
}

/** The sequence of getLatestLedger. The rest of that response is large and not read. */
export function parseLatestLedger(result: unknown): number {
  return count(fields(result, 'latest ledger')['sequence'], 'sequence')
}

export function parseLedgerEntries(result: unknown): LedgerEntriesResponse {
  const response = fields(result, 'entries response')
  return {
    entries: list(response['entries'] ?? [], 'entries').map((value) => {
      const entry = fields(value, 'entry')
      return {
        keyXdr: text(entry['key'], 'key'),
        dataXdr: text(entry['xdr'], 'xdr'),
        lastModifiedLedger: count(entry['lastModifiedLedgerSeq'], 'lastModifiedLedgerSeq'),
        liveUntilLedger: optional(entry['liveUntilLedgerSeq'], 'liveUntilLedgerSeq', count),
      }
    }),
    latestLedger: count(response['latestLedger'], 'latestLedger'),
  }
}

/** The start of a simulation's error when the node was too busy to simulate. */
const OVERLOADED_SIMULATION = 'preflight queue full'

/** A failed simulation has `error`. Throws NodeBusy when the node did not simulate. */
export function parseSimulation(result: unknown): SimulationResponse {
  const response = fields(result, 'simulation')
  const latestLedger = count(response['latestLedger'], 'latestLedger')
  const eventsXdr = texts(response['events'] ?? [], 'events')
  // Any string counts as an error, also an empty one.
  if (response['error'] !== undefined) {
    const error = text(response['error'], 'error')
    if (error.startsWith(OVERLOADED_SIMULATION)) throw new NodeBusy(error)
    return { error, latestLedger, results: [], transactionDataXdr: null, minResourceFee: null, mustRestore: false, eventsXdr, stateChanges: [] }
  }
  return {
    error: null,
    latestLedger,
    results: list(response['results'] ?? [], 'results').map((value) => {
      const entry = fields(value, 'result')
      return { authXdr: texts(entry['auth'] ?? [], 'auth'), returnValueXdr: text(entry['xdr'], 'xdr') }
    }),
    transactionDataXdr: optional(response['transactionData'], 'transactionData', text),
    minResourceFee: optional(response['minResourceFee'], 'minResourceFee', text),
    mustRestore: response['restorePreamble'] !== undefined && response['restorePreamble'] !== null,
    eventsXdr,
    stateChanges: parseStateChanges(response['stateChanges']),
  }
}

/** Anything unexpected counts as absent: the transaction is valid without it. */
function parseStateChanges(value: unknown): readonly StateChange[] {
  if (!Array.isArray(value)) return []
  const changes = value.map((change: unknown) => {
    if (typeof change !== 'object' || change === null) return null
    const { before = null, after = null } = change as { before?: unknown; after?: unknown }
    return isTextOrNull(before) && isTextOrNull(after) ? { beforeXdr: before, afterXdr: after } : null
  }).filter((change) => change !== null)
  return changes.length === value.length ? changes : []
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

export function parseSend(result: unknown): SendResponse {
  const response = fields(result, 'send response')
  const status = SEND_STATUSES.find((known) => known === response['status'])
  if (status === undefined) throw new MalformedResponse('unknown status of a submission')
  return {
    status,
    hash: text(response['hash'], 'hash').toLowerCase(),
    latestLedger: count(response['latestLedger'], 'latestLedger'),
    errorResultXdr: optional(response['errorResultXdr'], 'errorResultXdr', text),
    diagnosticEventsXdr: texts(response['diagnosticEventsXdr'] ?? [], 'diagnosticEventsXdr'),
  }
}

export function parseTransaction(result: unknown): TransactionResponse {
  const response = fields(result, 'transaction')
  const { status } = response
  const retained = parseRetained(response)
  if (status === 'NOT_FOUND') return { status, ...retained }
  const ledger = count(response['ledger'], 'ledger')
  const record = parseRecord(response)
  if (status === 'SUCCESS') return { status, ...retained, ledger, ...record }
  if (status !== 'FAILED') throw new MalformedResponse('unknown status of a transaction')
  const diagnosticEventsXdr = texts(response['diagnosticEventsXdr'] ?? [], 'diagnosticEventsXdr')
  return { status, ...retained, ledger, ...record, resultXdr: text(response['resultXdr'], 'resultXdr'), diagnosticEventsXdr }
}

function parseRetained(response: Readonly<Record<string, unknown>>): RetainedLedgers {
  return {
    latestLedger: count(response['latestLedger'], 'latestLedger'),
    latestLedgerCloseSec: optional(response['latestLedgerCloseTime'], 'latestLedgerCloseTime', seconds),
    oldestLedger: optional(response['oldestLedger'], 'oldestLedger', count),
    oldestLedgerCloseSec: optional(response['oldestLedgerCloseTime'], 'oldestLedgerCloseTime', seconds),
  }
}

/** Members of an unexpected type count as absent: clients depend on the outcome only. */
export function parseRecord(response: Readonly<Record<string, unknown>>): TransactionRecord {
  const { createdAt, envelopeXdr, resultXdr, resultMetaXdr } = response
  const closeSec = typeof createdAt === 'string' && /^\d{1,15}$/.test(createdAt) ? Number(createdAt) : createdAt
  return {
    ...(typeof closeSec === 'number' && Number.isSafeInteger(closeSec) && closeSec > 0 ? { closeSec } : {}),
    ...(typeof envelopeXdr === 'string' ? { envelopeXdr } : {}),
    ...(typeof resultXdr === 'string' ? { resultXdr } : {}),
    ...(typeof resultMetaXdr === 'string' ? { metaXdr: resultMetaXdr } : {}),
  }
}

/** The members of an object. */
export function fields(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedResponse(`${what} is not an object`)
  return value as Readonly<Record<string, unknown>>
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedResponse(`${what} is not a list`)
  return value
}

function texts(value: unknown, what: string): readonly string[] {
  return list(value, what).map((part) => text(part, what))
}

export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new MalformedResponse(`${what} is not a string`)
  return value
}

/** The archive stores raw XDR, so nothing but base64 may pass. */
function base64(value: unknown, what: string): string {
  const encoded = text(value, what)
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw new MalformedResponse(`${what} is not base64`)
  return encoded
}

export function count(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new MalformedResponse(`${what} is not a non-negative integer`)
  return value
}

/** A close time. Some methods send a number, others a string of digits. */
function seconds(value: unknown, what: string): number {
  return count(typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value, what)
}

function rfc3339(value: unknown, what: string): number {
  const timestamp = text(value, what)
  const millis = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(timestamp) ? Date.parse(timestamp) : Number.NaN
  return count(Math.floor(millis / 1000), what)
}

function optional<T>(value: unknown, what: string, read: (value: unknown, what: string) => T): T | null {
  return value === undefined || value === null ? null : read(value, what)
}
