/** Invalid behaviour of a node, as metrics and the log name it. */
export type NodeFault =
  /** Its oldest ledger is after its latest. */
  | 'inverted_range'
  /** Ledgers and close times in different orders, or more ledgers than the time between them allows. */
  | 'impossible_range'
  /** A ledger that closes in the future. */
  | 'future_close_time'
  /** It reports a ledger that it does not return. */
  | 'missing_ledger'
  /** Consecutive ledgers that do not contain each other's hashes. */
  | 'broken_chain'
  /** Ledgers of another chain than the indexed one. */
  | 'other_chain'
  /** A close time that is not in the header of its ledger. */
  | 'close_time_mismatch'
  /** A malformed cursor, or one before the request or outside the node's range. */
  | 'bad_cursor'
  /** Events that are malformed, repeated, out of order, outside the node's range, of another ledger than their id, or more than requested. */
  | 'bad_events'
  /** Events of contracts that were not requested. */
  | 'foreign_events'
  /** A record of another transaction than the requested one, or whose parts contradict each other. */
  | 'bad_transaction'
  /** An outcome of a transaction, or its absence, that most other nodes contradict. */
  | 'false_outcome'
  /** Ledger entries that most other nodes contradict. */
  | 'false_entries'
  /** A resource fee that most other nodes contradict. */
  | 'false_fee'
