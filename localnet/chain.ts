// The local network's ledger, seen from outside: what the RPC methods, the actors' set-up and the cheats may ask of it.

import type { Clock } from '../src/base/clock.ts'
import type { Random } from '../src/base/random.ts'
import type { ContractCode, Val } from './contracts/host.ts'
import type { History } from './history.ts'

/** A ledger entry as getLedgerEntries serves it. */
export interface ServedEntry {
  readonly keyXdr: string
  /** LedgerEntryData. */
  readonly dataXdr: string
  readonly lastModifiedLedgerSeq: number
  /** Contract data and code only. */
  readonly liveUntilLedgerSeq: number | null
}

/** What a send answered; codes are those of sendTransaction. */
export interface SendOutcome {
  readonly status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR'
  readonly hash: string
  /** TransactionResult, for ERROR. */
  readonly errorResultXdr?: string
  readonly diagnosticEventsXdr?: readonly string[]
}

/** What a simulation answered, in the very shape of the RPC's `result`. */
export type SimulationResult = Readonly<Record<string, unknown>>

/** A contract that exists from the first ledger on. */
export interface GenesisContract {
  /** `C…`; for an asset contract, the address that the asset implies. */
  readonly address: string
  readonly code: ContractCode
}

/** What stands before the first ledger closes. */
export interface Genesis {
  readonly contracts: readonly GenesisContract[]
  /** Accounts with their balances in stroops. */
  readonly accounts: readonly { readonly address: string; readonly balance: bigint }[]
  /** Trustlines with balances in 7-decimal units; `asset` is `CODE:ISSUER`. */
  readonly trustlines: readonly { readonly account: string; readonly asset: string; readonly balance: bigint }[]
  /** Calls made by the ledger itself before the first ledger, in order (initialize and the like): every requireAuth passes. */
  readonly calls: readonly { readonly contract: string; readonly functionName: string; readonly args: readonly Val[] }[]
}

export interface ChainOptions {
  readonly clock: Clock
  readonly random: Random
  readonly networkPassphrase: string
  readonly genesis: Genesis
  /** The folder that keeps the ledger; null keeps it in memory. */
  readonly directory: string | null
  /** How many closed ledgers are kept. */
  readonly retentionLedgers: number
}

/** A ledger in one process. Everything is synchronous: one call, one state. */
export interface Chain extends Disposable {
  readonly networkPassphrase: string
  readonly history: History
  /** Entries of these base64 LedgerKeys; the missing are left out. Throws RangeError naming the index of a key that does not decode. */
  entries(keysXdr: readonly string[]): readonly ServedEntry[]
  /** simulateTransaction's whole answer for this request's params; never throws for a bad transaction (that is a result with `error`). */
  simulate(params: Readonly<Record<string, unknown>>): SimulationResult
  /** Judges and queues an envelope. Throws RangeError('invalid_xdr') when it does not decode. */
  send(envelopeXdr: string): SendOutcome
  /** How many transactions wait for the next ledger. */
  pending(): number
  /** Closes one ledger now with what is queued, durably, and returns its sequence. */
  closeLedger(): number
  /** Seconds that the ledger's clock is ahead of the machine's; grows by `advance`. */
  readonly clockOffsetSec: number
  advance(seconds: number): void
  /** Called after every closed ledger, durable already. Returns how to stop listening. */
  onClose(listener: (sequence: number) => void): () => void
  /**
   * A change that no transaction could make, applied at once, before the next ledger: creates the account when needed, opens the trustline, adds to
   * balances. `asset` is `native` or `CODE:ISSUER`.
   */
  grant(account: string, asset: string, amount: bigint): void
  /** Keeps the whole chain; ids are bounded in number, the oldest is dropped. */
  snapshot(): string
  /** Throws RangeError for an unknown id. */
  restore(id: string): void
  /** What a test network's reset does: starts anew from genesis at ledger 1; close times go on. */
  reset(): void
}
