// The result shape of every RPC method, transcribed from the tables of the RPC reference and from captures of real nodes.

import {
  anyString, arrayOf, arrayUnlessEmpty, boolean, choose, contractOrEmpty, digits, eventId, hash, instant, integer, object, oneOf, optional, xdrOf,
} from './shape.ts'
import type { Shape } from './shape.ts'

const stringRange = { latestLedger: integer, latestLedgerCloseTime: digits, oldestLedger: integer, oldestLedgerCloseTime: digits }
const numberRange = { latestLedger: integer, latestLedgerCloseTime: integer, oldestLedger: integer, oldestLedgerCloseTime: integer }

const transactionEvents = object({
  transactionEventsXdr: arrayUnlessEmpty(xdrOf('TransactionEvent')),
  contractEventsXdr: arrayUnlessEmpty(arrayOf(xdrOf('ContractEvent'))),
})

const appliedTransaction = {
  status: oneOf('SUCCESS', 'FAILED'),
  txHash: hash,
  applicationOrder: integer,
  feeBump: boolean,
  envelopeXdr: xdrOf('TransactionEnvelope'),
  resultXdr: xdrOf('TransactionResult'),
  resultMetaXdr: xdrOf('TransactionMeta'),
  diagnosticEventsXdr: arrayUnlessEmpty(xdrOf('DiagnosticEvent')),
  events: transactionEvents,
  ledger: integer,
}

const foundTransaction = object({ ...stringRange, ...appliedTransaction, createdAt: digits })
const missingTransaction = object({
  ...stringRange,
  status: oneOf('NOT_FOUND'),
  txHash: hash,
  applicationOrder: integer,
  feeBump: boolean,
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
  // Releases for protocol 30 do not report it.
  inSuccessfulContractCall: optional(boolean),
  topic: arrayUnlessEmpty(xdrOf('ScVal')),
  value: xdrOf('ScVal'),
})

const failedSimulation = object({ error: anyString, events: arrayUnlessEmpty(xdrOf('DiagnosticEvent')), latestLedger: integer })
const simulation = object({
  transactionData: xdrOf('SorobanTransactionData'),
  minResourceFee: optional(digits),
  events: arrayUnlessEmpty(xdrOf('DiagnosticEvent')),
  results: optional(arrayOf(object({ auth: arrayOf(xdrOf('SorobanAuthorizationEntry')), xdr: xdrOf('ScVal') }))),
  stateChanges: arrayUnlessEmpty(choose(stateChange)),
  latestLedger: integer,
})

/** `before` is null for a created entry, `after` for a deleted one. */
function stateChange({ type }: Readonly<Record<string, unknown>>): Shape {
  const isNull: Shape = (value, path) => (value === null ? [] : [`${path}: should be null`])
  const entry = xdrOf('LedgerEntry')
  return object({
    type: oneOf('created', 'updated', 'deleted'),
    key: xdrOf('LedgerKey'),
    before: type === 'created' ? isNull : entry,
    after: type === 'deleted' ? isNull : entry,
  })
}

const accepted = { status: oneOf('PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER'), hash, latestLedger: integer, latestLedgerCloseTime: digits }
const rejected = {
  ...accepted,
  status: oneOf('ERROR'),
  errorResultXdr: xdrOf('TransactionResult'),
  diagnosticEventsXdr: arrayUnlessEmpty(xdrOf('DiagnosticEvent')),
}

/** The shape of each method's `result`. */
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
    ledgers: arrayOf(
      object({
        hash, sequence: integer, ledgerCloseTime: digits, headerXdr: xdrOf('LedgerHeaderHistoryEntry'), metadataXdr: xdrOf('LedgerCloseMeta'),
      }),
    ),
    ...numberRange,
    cursor: digits,
  }),
  getLedgerEntries: object({
    entries: arrayOf(
      object({
        key: xdrOf('LedgerKey'), xdr: xdrOf('LedgerEntryData'), lastModifiedLedgerSeq: integer, liveUntilLedgerSeq: optional(integer),
        extXdr: xdrOf('LedgerEntryExt'),
      }),
    ),
    latestLedger: integer,
  }),
  getTransaction: choose(({ status }) => (status === 'NOT_FOUND' ? missingTransaction : foundTransaction)),
  getTransactions: object({
    transactions: arrayOf(object({ ...appliedTransaction, createdAt: integer })),
    latestLedger: integer,
    latestLedgerCloseTimestamp: integer,
    oldestLedger: integer,
    oldestLedgerCloseTimestamp: integer,
    cursor: digits,
  }),
  getEvents: object({ events: arrayOf(event), cursor: eventId, ...stringRange }),
  simulateTransaction: choose((result) => (Object.hasOwn(result, 'error') ? failedSimulation : simulation)),
  sendTransaction: choose(({ status }) => (status === 'ERROR' ? object(rejected) : object(accepted))),
} as const satisfies Readonly<Record<string, Shape>>

export type MethodName = keyof typeof RESULT_SHAPES
