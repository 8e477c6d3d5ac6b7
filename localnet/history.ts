// What the ledger keeps of its past: the read side of the RPC. All XDR is base64, all hashes are lower-case hex.

/** A closed ledger. */
export interface LedgerRecord {
  readonly sequence: number
  readonly hash: string
  readonly previousHash: string
  readonly closeTimeSec: number
  /** LedgerHeader. */
  readonly headerXdr: string
  /** LedgerHeaderHistoryEntry. */
  readonly headerEntryXdr: string
  /** LedgerCloseMeta. */
  readonly metadataXdr: string
}

/** An applied transaction. */
export interface TransactionRecord {
  readonly hash: string
  /** The inner transaction's hash of a fee bump. */
  readonly innerHash: string | null
  readonly ledger: number
  /** 1-based order in the ledger. */
  readonly applicationOrder: number
  readonly closeTimeSec: number
  readonly status: 'SUCCESS' | 'FAILED'
  readonly envelopeXdr: string
  readonly resultXdr: string
  readonly resultMetaXdr: string
  readonly diagnosticEventsXdr: readonly string[]
  readonly transactionEventsXdr: readonly string[]
  /** One list per operation. */
  readonly contractEventsXdr: readonly (readonly string[])[]
  /** What the network charged for inclusion, stroops; for getFeeStats. */
  readonly inclusionFee: number
  readonly soroban: boolean
}

/** An event as getEvents serves it. */
export interface EventRecord {
  /** TOID and index, `%019d-%010d`: string order is effect order. */
  readonly id: string
  readonly ledger: number
  readonly closeTimeSec: number
  readonly transactionIndex: number
  readonly operationIndex: number
  readonly type: 'contract' | 'system'
  /** Empty when the event has none. */
  readonly contractId: string
  readonly txHash: string
  readonly successful: boolean
  /** Base64 ScVal each. */
  readonly topics: readonly string[]
  readonly value: string
}

/** The past that is still kept. Everything older than the retention window is gone. */
export interface History {
  latest(): LedgerRecord
  oldest(): LedgerRecord
  ledger(sequence: number): LedgerRecord | undefined
  /** Ascending from `fromSequence`, at most `limit`. */
  ledgers(fromSequence: number, limit: number): readonly LedgerRecord[]
  /** By outer or inner hash. */
  transaction(hash: string): TransactionRecord | undefined
  /** In order of application, strictly after (ledger, applicationOrder), at most `limit`. */
  transactionsAfter(ledger: number, applicationOrder: number, limit: number): readonly TransactionRecord[]
  /**
   * Ascending by id: ids greater than `afterId` (when given), ledgers in [fromLedger, untilLedger). Restricted to `contractIds` when not null. An
   * iterator, so that the reader stops at its own limit after its own filters.
   */
  events(range: { afterId: string | null; fromLedger: number; untilLedger: number; contractIds: readonly string[] | null }): Iterable<EventRecord>
}
