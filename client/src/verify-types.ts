// The types of client.verify.

import type { components } from './generated/openapi.ts'
import type { CallOptions } from './http.ts'
import type { EventProof, LedgerHash, ProvenEvent } from './proofs/event-proof.ts'
import type { Checkpoint, LogKey } from './proofs/note.ts'
import type { LogRecord, NodeEvent } from './proofs/record.ts'
import type { SignedAnswer, SignedAnswerOptions, SignedResponse } from './proofs/signed-answer.ts'

export type { Checkpoint, EventProof, LedgerHash, LogKey, LogRecord, NodeEvent, ProvenEvent, SignedAnswer, SignedAnswerOptions, SignedResponse }
export type InclusionProof = components['schemas']['InclusionProof']

/** Keeps the last checkpoint of each log, by the log's name. */
export interface CheckpointStore {
  load(origin: string): string | null | Promise<string | null>
  save(origin: string, note: string): void | Promise<void>
}

/** What a client trusts about the log. */
export interface LogTrust {
  /** In memory by default. Use one that outlives the program, so that the gateway cannot show another log to its next run. */
  readonly store?: CheckpointStore
  /** The public keys that sign. By default those that the gateway lists at the first use. */
  readonly keys?: readonly LogKey[]
  /** The name of the log. By default any name. */
  readonly origin?: string
}

/** An event and its place in the log. */
export interface Inclusion {
  readonly record: LogRecord
  readonly leafIndex: number
  /** The place of the event among all events of the log, when its record was written. */
  readonly place: number
  readonly checkpoint: Checkpoint
}

/** Verifies what the gateway serves. All methods reject with ProofFailure when something is not proven. */
export interface Verify {
  /**
   * An event, proven against the hash of its ledger: `ledger` is a row of `getLedgers` of a node that you trust, or `node` is the address of one. The gateway's
   * word is not needed.
   */
  event(
    proof: EventProof, trusted: { readonly ledger?: LedgerHash; readonly node?: string }, options?: { readonly signal?: AbortSignal },
  ): Promise<ProvenEvent>
  /** An event, proven to be in the signed log. `event`: a row of `getEvents` of a node, or the bytes as `getLogRecord` returns them. */
  inclusion(proof: InclusionProof, event: NodeEvent | { readonly bytes: string }, options?: CallOptions): Promise<Inclusion>
  /** Reads the newest checkpoint. Refuses a smaller one than the last, and one of a log that has changed; `evidence` has both notes. */
  checkpoint(options?: CallOptions): Promise<Checkpoint>
  /** Compares the checkpoint of another client, or an older one, with the log that this client has seen. */
  consistency(note: string, options?: CallOptions): Promise<Checkpoint>
  /** The same for the newest checkpoint, as the channel `checkpoints` has it. Refuses a smaller one than the last. */
  newest(note: string, options?: CallOptions): Promise<Checkpoint>
  /** The body of a signed answer of your own `fetch`, with the header `Accept-Signature`. */
  answer(response: SignedResponse, options?: SignedAnswerOptions): Promise<SignedAnswer>
}
