// The retained history of the ledger, as the RPC reads it. All XDR is base64, all hashes are lower-case hex.

/** A closed ledger. */
export interface LedgerRecord {
  readonly sequence: number
  readonly hash: string
  readonly previousHash: string
  readonly closeTimeSec: number
  /** The network's protocol after this ledger. */
  readonly protocol: number
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
  /** The hash of the inner transaction of a fee bump. */
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
  /** The inclusion fee charged per operation, stroops. For getFeeStats. */
  readonly inclusionFee: number
  readonly soroban: boolean
}

/** An event as getEvents returns it. */
export interface EventRecord {
  /** TOID and index, `%019d-%010d`: sorted as strings, ids are in the order of effect. */
  readonly id: string
  readonly ledger: number
  readonly closeTimeSec: number
  readonly transactionIndex: number
  readonly operationIndex: number
  readonly type: 'contract' | 'system'
  /** Empty for events without a contract. */
  readonly contractId: string
  readonly txHash: string
  readonly successful: boolean
  /** Base64 ScVals. */
  readonly topics: readonly string[]
  readonly value: string
}

/** The ledgers within the retention window. */
export interface History {
  latest(): LedgerRecord
  oldest(): LedgerRecord
  ledger(sequence: number): LedgerRecord | undefined
  /** Ascending from `fromSequence`, at most `limit`. */
  ledgers(fromSequence: number, limit: number): readonly LedgerRecord[]
  /** By outer or inner hash. */
  transaction(hash: string): TransactionRecord | undefined
  /** In order of application, after (ledger, applicationOrder), at most `limit`. */
  transactionsAfter(ledger: number, applicationOrder: number, limit: number): readonly TransactionRecord[]
  /**
   * Ascending by id: ids greater than `afterId` (when given), ledgers in [fromLedger, untilLedger). Restricted to `contractIds` when not null. An
   * iterator, so that the reader stops at its own limit after its own filters.
   */
  events(range: { afterId: string | null; fromLedger: number; untilLedger: number; contractIds: readonly string[] | null }): Iterable<EventRecord>
}
