// The shape of every RPC method's result, from the RPC documentation and from captures of real nodes.

import {
  anyString, choose, contractOrEmpty, digits, eventId, flag, hash, instant, integer, listOf, listUnlessEmpty, object, oneOf, optional, xdrOf,
} from './shape.ts'
import type { Shape } from './shape.ts'

const textRange = { latestLedger: integer, latestLedgerCloseTime: digits, oldestLedger: integer, oldestLedgerCloseTime: digits }
const numberRange = { latestLedger: integer, latestLedgerCloseTime: integer, oldestLedger: integer, oldestLedgerCloseTime: integer }

const transactionEvents = object({
  transactionEventsXdr: listUnlessEmpty(xdrOf('TransactionEvent')),
  contractEventsXdr: listUnlessEmpty(listOf(xdrOf('ContractEvent'))),
})

const appliedTransaction = {
  status: oneOf('SUCCESS', 'FAILED'),
  txHash: hash,
  applicationOrder: integer,
  feeBump: flag,
  envelopeXdr: xdrOf('TransactionEnvelope'),
  resultXdr: xdrOf('TransactionResult'),
  resultMetaXdr: xdrOf('TransactionMeta'),
  diagnosticEventsXdr: listUnlessEmpty(xdrOf('DiagnosticEvent')),
  events: transactionEvents,
  ledger: integer,
}

const foundTransaction = object({ ...textRange, ...appliedTransaction, createdAt: digits })
const missingTransaction = object({
  ...textRange,
  status: oneOf('NOT_FOUND'),
  txHash: hash,
  applicationOrder: integer,
  feeBump: flag,
  events: object({}),
  ledger: integer,
  createdAt: oneOf('0'),
})

const feeDistribution = object({
  max: digits, min: digits, mode: digits, p10: digits, p20: digits, p30: digits, p40: digits, p50: digits, p60: digits, p70: digits, p80: digits,
  p90: digits, p95: digits, p99: digits, transactionCount: digits, ledgerCount: integer,
})

const event = object({
  type: oneOf('contract', 'system'),
  ledger: integer,
  ledgerClosedAt: instant,
  contractId: contractOrEmpty,
  id: eventId,
  operationIndex: integer,
  transactionIndex: integer,
  txHash: hash,
  inSuccessfulContractCall: flag,
  topic: listUnlessEmpty(xdrOf('ScVal')),
  value: xdrOf('ScVal'),
})

const failedSimulation = object({ error: anyString, events: listUnlessEmpty(xdrOf('DiagnosticEvent')), latestLedger: integer })
const simulation = object({
  transactionData: xdrOf('SorobanTransactionData'),
  minResourceFee: optional(digits),
  events: listUnlessEmpty(xdrOf('DiagnosticEvent')),
  results: optional(listOf(object({ auth: listOf(xdrOf('SorobanAuthorizationEntry')), xdr: xdrOf('ScVal') }))),
  stateChanges: listUnlessEmpty(choose(stateChange)),
  latestLedger: integer,
})

/** `before` is null for a created entry, `after` for a deleted one. */
function stateChange({ type }: Readonly<Record<string, unknown>>): Shape {
  const nullShape: Shape = (value, path) => (value === null ? [] : [`${path}: should be null`])
  const entry = xdrOf('LedgerEntry')
  return object({
    type: oneOf('created', 'updated', 'deleted'),
    key: xdrOf('LedgerKey'),
    before: type === 'created' ? nullShape : entry,
    after: type === 'deleted' ? nullShape : entry,
  })
}

const sent = { status: oneOf('PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER'), hash, latestLedger: integer, latestLedgerCloseTime: digits }
const rejected = {
  ...sent,
  status: oneOf('ERROR'),
  errorResultXdr: xdrOf('TransactionResult'),
  diagnosticEventsXdr: listUnlessEmpty(xdrOf('DiagnosticEvent')),
}

export const RESULT_SHAPES = {
  getHealth: object({ status: oneOf('healthy'), ...numberRange, ledgerRetentionWindow: integer }),
  getNetwork: object({ friendbotUrl: optional(anyString), passphrase: anyString, protocolVersion: integer }),
  getVersionInfo: object({
    version: anyString, commitHash: anyString, buildTimestamp: anyString, captiveCoreVersion: anyString, protocolVersion: integer,
  }),
  getLatestLedger: object({
    id: hash, protocolVersion: integer, sequence: integer, closeTime: digits, headerXdr: xdrOf('LedgerHeader'), metadataXdr: xdrOf('LedgerCloseMeta'),
  }),
  getFeeStats: object({ sorobanInclusionFee: feeDistribution, inclusionFee: feeDistribution, latestLedger: integer }),
  getLedgers: object({
    ledgers: listOf(
      object({
        hash, sequence: integer, ledgerCloseTime: digits, headerXdr: xdrOf('LedgerHeaderHistoryEntry'), metadataXdr: xdrOf('LedgerCloseMeta'),
      }),
    ),
    ...numberRange,
    cursor: digits,
  }),
  getLedgerEntries: object({
    entries: listOf(
      object({
        key: xdrOf('LedgerKey'), xdr: xdrOf('LedgerEntryData'), lastModifiedLedgerSeq: integer, liveUntilLedgerSeq: optional(integer),
        extXdr: xdrOf('LedgerEntryExt'),
      }),
    ),
    latestLedger: integer,
  }),
  getTransaction: choose(({ status }) => (status === 'NOT_FOUND' ? missingTransaction : foundTransaction)),
  getTransactions: object({
    transactions: listOf(object({ ...appliedTransaction, createdAt: integer })),
    latestLedger: integer,
    latestLedgerCloseTimestamp: integer,
    oldestLedger: integer,
    oldestLedgerCloseTimestamp: integer,
    cursor: digits,
  }),
  getEvents: object({ events: listOf(event), cursor: eventId, ...textRange }),
  simulateTransaction: choose((result) => (Object.hasOwn(result, 'error') ? failedSimulation : simulation)),
  sendTransaction: choose(({ status }) => (status === 'ERROR' ? object(rejected) : object(sent))),
} as const satisfies Readonly<Record<string, Shape>>

export type MethodName = keyof typeof RESULT_SHAPES
