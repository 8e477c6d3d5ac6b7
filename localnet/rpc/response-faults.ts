// Faults by which a node or a proxy returns well-formed but wrong responses: outdated, premature, altered, or in unknown XDR.

import { xdr } from '@stellar/stellar-sdk'
import { encodeTransactionResult, operationResult, OP_CODES, TX_CODE } from '../ledger/results.ts'
import type { TransactionResult } from '../ledger/results.ts'
import type { Effect, Fields } from './fault-effect.ts'
import { fieldsOf, envelopeHashOf, latestLedgerFields, withHistory, withParams } from './fault-effect.ts'
import { historyWithin } from './history-views.ts'
import { RPC_CODES, RpcError } from './rpc-error.ts'

/** An XDR union discriminant that no protocol defines. */
const UNKNOWN_XDR = Buffer.from([0x7f, 0xff, 0xff, 0xff]).toString('base64')
/** A result of 100 stroops with such a code. */
const UNKNOWN_RESULT = Buffer.from([0, 0, 0, 0, 0, 0, 0, 100, 0x7f, 0xff, 0xff, 0xff]).toString('base64')
/** A value of a type that a later protocol may define: a few numbers above the last one. */
const LATER_VALUE = Buffer.from([0, 0, 0, 30]).toString('base64')

export const RESPONSE_EFFECTS: Readonly<Record<string, Effect>> = {
  short_scan(call, next, values) {
    const { history } = call.context
    const pagination = fieldsOf(call.params['pagination'])
    const cursor = typeof pagination['cursor'] === 'string' ? Number(BigInt(pagination['cursor'].split('-')[0] ?? '0') >> 32n) : null
    const from = cursor ?? Number(call.params['startLedger'])
    const until = Math.min(history.latest().sequence, Math.max(from, history.oldest().sequence) + Number(values['ledgers']) - 1)
    const page = fieldsOf(next(withHistory(call, historyWithin(history, history.oldest().sequence, until))))
    return page['cursor'] === undefined ? page : { ...page, ...latestLedgerFields(call) }
  },
  slow_scan(call, next, values) {
    const limit = Number(fieldsOf(call.params['pagination'])['limit'] ?? 0)
    if (limit > Number(values['events'])) throw new RpcError(-32001, 'request exceeded processing limit threshold')
    return next(call)
  },
  mixed_filters_lose(call, next) {
    const filters = Array.isArray(call.params['filters']) ? call.params['filters'].map(fieldsOf) : []
    const shapes = new Set(filters.map((filter) => Object.keys(filter).sort().join()))
    return shapes.size < 2 ? next(call) : next(withParams(call, { ...call.params, filters: filters.slice(0, 1) }))
  },
  duplicated_event: (call, next) => withEvents(next(call), (events) => events.flatMap((event, index) => (index === 0 ? [event, event] : [event]))),
  renumbered_events(call, next, values) {
    const renumber = (id: unknown): string => {
      const [toid = '', index = ''] = String(id).split('-')
      return `${toid}-${String(Number(index) + Number(values['by'])).padStart(10, '0')}`
    }
    return withEvents(next(call), (events) => events.map((event) => ({ ...event, id: renumber(event['id']) })))
  },
  odd_events(call, next) {
    return withEvents(next(call), (events) => events.flatMap((event, index) => {
      const { topic, ...bare } = event
      const topics = Array.isArray(topic) ? topic : []
      return [[bare], [{ ...event, contractId: '' }], [{ ...event, topic: [...topics, ...topics, ...topics] }]][index % 3] ?? []
    }))
  },
  unknown_xdr(call, next) {
    const response = fieldsOf(next(call))
    if (response['protocolVersion'] !== undefined) return { ...response, protocolVersion: Number(response['protocolVersion']) + 1 }
    if (Array.isArray(response['entries'])) return { ...response, entries: response['entries'].map((entry) => ({ ...fieldsOf(entry), xdr: UNKNOWN_XDR })) }
    if (response['resultXdr'] !== undefined) return { ...response, resultXdr: UNKNOWN_RESULT, diagnosticEventsXdr: [UNKNOWN_XDR] }
    return withEvents(response, (events) => events.map((event) => ({ ...event, value: LATER_VALUE })))
  },
  damaged_xdr(call, next) {
    return withEvents(next(call), (events) => events.map((event) => ({ ...event, value: String(event['value']).slice(0, 4) })))
  },
  archived_entries(call, next) {
    const response = fieldsOf(next(call))
    const entries = Array.isArray(response['entries']) ? response['entries'].map(fieldsOf) : []
    return { ...response, entries: entries.map((entry) => (entry['liveUntilLedgerSeq'] === undefined ? entry : { ...entry, liveUntilLedgerSeq: 0 })) }
  },
  stale_sequence(call, next, values) {
    const response = fieldsOf(next(call))
    const entries = Array.isArray(response['entries']) ? response['entries'].map(fieldsOf) : []
    return { ...response, latestLedger: Number(response['latestLedger']) - Number(values['ledgers']), entries: entries.map(withPreviousSequence) }
  },
  boastful_health(call, next, values) {
    const health = fieldsOf(next(call))
    return { ...health, latestLedger: Number(health['latestLedger']) + Number(values['ledgers']) }
  },
  leaping_ledger(call, next, values) {
    const response = fieldsOf(next(call))
    return response['latestLedger'] === undefined ? response : { ...response, latestLedger: Number(response['latestLedger']) + Number(values['ledgers']) }
  },
  wrong_network: (call, next) => ({ ...fieldsOf(next(call)), passphrase: 'Another Network ; November 2026' }),
  heavy_latest_ledger(call, next, values) {
    return { ...fieldsOf(next(call)), metadataXdr: 'A'.repeat(Number(values['megabytes']) * 1024 * 1024) }
  },
  method_missing: (call) => {
    throw new RpcError(RPC_CODES.methodNotFound, 'method not found', call.method)
  },
  bad_sequence: sendError({ code: TX_CODE.badSeq, operations: [] }),
  fee_surge: sendError({ code: TX_CODE.insufficientFee, operations: [] }),
  too_late: sendError({ code: TX_CODE.tooLate, operations: [] }),
  frozen_key: sendError({ code: TX_CODE.frozenKeyAccessed, operations: [] }),
  footprint_moved: failedTransaction(OP_CODES.invokeHostFunction.resourceLimitExceeded),
  entry_archived: failedTransaction(OP_CODES.invokeHostFunction.entryArchived),
}

/** sendTransaction returns ERROR without queueing the transaction. */
function sendError(result: TransactionResult): Effect {
  return (call, next, values) => {
    const hash = envelopeHashOf(call)
    const feeCharged = BigInt(Number(values['feeStroops'] ?? 0))
    const errorResultXdr = Buffer.from(encodeTransactionResult(result, feeCharged, null)).toString('base64')
    return hash === undefined ? next(call) : { status: 'ERROR', hash, errorResultXdr, ...latestLedgerFields(call) }
  }
}

/** getTransaction reports a successful transaction as failed. */
function failedTransaction(code: number): Effect {
  return (call, next) => {
    const response = fieldsOf(next(call))
    if (response['status'] !== 'SUCCESS') return response
    const result = { code: TX_CODE.failed, operations: [operationResult('invokeHostFunction', code)] } as const
    const { resultMetaXdr: _effects, ...known } = response
    return { ...known, status: 'FAILED', resultXdr: Buffer.from(encodeTransactionResult(result, 100n, null)).toString('base64'), diagnosticEventsXdr: [] }
  }
}

function withEvents(response: unknown, change: (events: readonly Fields[]) => readonly unknown[]): unknown {
  const page = fieldsOf(response)
  return Array.isArray(page['events']) ? { ...page, events: change(page['events'].map(fieldsOf)) } : response
}

function withPreviousSequence(entry: Fields): Fields {
  const data = xdr.LedgerEntryData.fromXdr(String(entry['xdr']), 'base64')
  if (data.type !== 'account') return entry
  const { accountId, balance, seqNum, numSubEntries, inflationDest, flags, homeDomain, thresholds, signers, ext } = data.account
  const before = new xdr.AccountEntry({
    accountId, balance, seqNum: seqNum - 1n, numSubEntries, inflationDest, flags, homeDomain, thresholds, signers, ext,
  })
  return { ...entry, xdr: xdr.LedgerEntryData.account(before).toXdr('base64') }
}
