// The interface of the local network's ledger, for RPC methods, actors and control methods.

import type { Clock } from '../src/base/clock.ts'
import type { Random } from '../src/base/random.ts'
import type { ContractCode, Val } from './contracts/shared/host.ts'
import type { LedgerFault, PreviousLedger } from './fault-kinds.ts'
import type { History } from './history.ts'

/** A ledger entry as getLedgerEntries returns it. */
export interface LedgerEntryResult {
  readonly keyXdr: string
  /** LedgerEntryData. */
  readonly dataXdr: string
  readonly lastModifiedLedgerSeq: number
  /** Contract data and code only. */
  readonly liveUntilLedgerSeq: number | null
}

/** The outcome of sendTransaction. */
export interface SendOutcome {
  readonly status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR'
  readonly hash: string
  /** TransactionResult, for ERROR. */
  readonly errorResultXdr?: string
  readonly diagnosticEventsXdr?: readonly string[]
}

/** The `result` of a simulateTransaction response. */
export type SimulationResult = Readonly<Record<string, unknown>>

/** A contract deployed at genesis. */
export interface GenesisContract {
  /** `C…`; for an asset contract, the address derived from the asset. */
  readonly address: string
  readonly code: ContractCode
}

/** The state before the first ledger closes. */
export interface Genesis {
  /** Distinguishes the geneses of one network. Default: the empty string. */
  readonly label?: string
  readonly contracts: readonly GenesisContract[]
  /** Further codes whose modules are uploaded, so that contracts can be upgraded to them. Default: none. */
  readonly uploads?: readonly ContractCode[]
  /** Accounts with their balances in stroops. */
  readonly accounts: readonly { readonly address: string; readonly balance: bigint }[]
  /** Trustlines with balances in 7-decimal units; `asset` is `CODE:ISSUER`. */
  readonly trustlines: readonly { readonly account: string; readonly asset: string; readonly balance: bigint }[]
  /** Calls made before the first ledger, in order (initialize and similar). Every requireAuth succeeds. */
  readonly calls: readonly { readonly contract: string; readonly functionName: string; readonly args: readonly Val[] }[]
}

export interface ChainOptions {
  readonly clock: Clock
  readonly random: Random
  readonly networkPassphrase: string
  /** The genesis of a new chain. */
  readonly genesis: Genesis
  /** The genesis with a label, for a stored chain and for `reset`. Default: there is only `genesis`. */
  readonly genesisOf?: (label: string) => Genesis
  /** The protocol of a new chain, and of a reset one. A stored chain keeps its own. */
  readonly protocol: number
  /** The directory of the database; null keeps the ledger in memory. */
  readonly directory: string | null
  /** Returns the faults that affect the next ledger. Default: none. */
  readonly ledgerFaults?: (before: PreviousLedger) => readonly LedgerFault[]
  /** The number of closed ledgers to keep. */
  readonly retentionLedgers: number
}

/** A ledger in one process. All methods are synchronous. */
export interface Chain extends Disposable {
  readonly networkPassphrase: string
  readonly history: History
  /** Entries of these base64 LedgerKeys, without missing ones. Throws RangeError with the index of a key that does not decode. */
  entries(keysXdr: readonly string[]): readonly LedgerEntryResult[]
  /** The result of simulateTransaction for these params. A bad transaction gives a result with `error`; it does not throw. */
  simulate(params: Readonly<Record<string, unknown>>): SimulationResult
  /** Validates and queues an envelope. Throws RangeError('invalid_xdr') when it does not decode. */
  send(envelopeXdr: string): SendOutcome
  /** The number of queued transactions. */
  pending(): number
  /** Closes a ledger with the queued transactions. Returns its sequence once it is on disk. */
  closeLedger(): number
  /** The protocol of the latest ledger. */
  readonly protocol: number
  /**
   * Closes a ledger that upgrades the network. Returns its sequence. Throws RangeError unless the protocol is later and known; `isUnreleasedAllowed` allows one
   * more, whose headers no program knows.
   */
  upgradeProtocol(protocol: number, isUnreleasedAllowed?: boolean): number
  /** Time by which the ledger's clock is ahead of the machine's, seconds. `advance` increases it. */
  readonly clockOffsetSec: number
  advance(seconds: number): void
  /** Calls the listener after every closed ledger, once it is on disk. Returns a function that unsubscribes. */
  onClose(listener: (sequence: number) => void): () => void
  /**
   * Credits an account without a transaction, effective immediately. Creates the account and opens the trustline when they are missing. `asset` is
   * `native` or `CODE:ISSUER`.
   */
  grant(account: string, asset: string, amount: bigint): void
  /** Takes a snapshot of the whole chain and returns its id. The number of snapshots is limited; the oldest is dropped. */
  snapshot(): string
  /** Throws RangeError for an unknown id. */
  restore(id: string): void
  /**
   * Resets the network, as test networks are: restarts at ledger 1, by default from the same genesis and with the protocol of the options. Close times keep
   * increasing.
   */
  reset(to?: { readonly genesisLabel?: string | undefined; readonly protocol?: number | undefined }): void
  /** The label of the genesis that the chain started from. */
  readonly genesisLabel: string
  /** A value that is stored with the chain, and kept by a reset. */
  setting(name: string): string | undefined
  setSetting(name: string, value: string): void
  /** The code that a contract runs; undefined when no contract has this address. */
  codeOf(contract: string): ContractCode | undefined
}
