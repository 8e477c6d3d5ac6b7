// client.verify: what the gateway serves, checked by its signed log and by nodes of the caller's choice.

import { decodeBase64, isEqual } from '../bytes.ts'
import type { Clock } from '../clock.ts'
import { ProofFailure } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import { createMutex } from '../mutex.ts'
import type { FetchLike } from '../platform.ts'
import type { CheckpointStore, LogTrust, Verify } from '../verify-types.ts'
import { verifyEventProof } from './event-proof.ts'
import { decodeAll, readConsistency } from './log.ts'
import type { LogEndpoints } from './log.ts'
import { checkSame, openNote, readNote } from './note.ts'
import type { Checkpoint, LogKey } from './note.ts'
import { callNode } from './node.ts'
import { eventBytes, readRecord } from './record.ts'
import { verifyAnswer } from './signed-answer.ts'
import { hashLeaf, isConsistent, isIncluded } from './tree.ts'

export interface VerifierOptions {
  readonly log: LogEndpoints
  readonly fetch: FetchLike
  readonly clock: Clock
  readonly trust: LogTrust
}

/** Notes that wait for the ones before them. */
const WAITING_MAX = 10_000

/** The verifier of one gateway. Checkpoints are accepted one after the other, so that two calls at once cannot accept two trees. */
export function createVerifier({ log, fetch, clock, trust }: VerifierOptions): Verify {
  const store: CheckpointStore = trust.store ?? createMemoryStore()
  const inTurn = createMutex(WAITING_MAX)
  let known: readonly LogKey[] = trust.keys ?? []

  async function readKeys(options: CallOptions): Promise<readonly LogKey[]> {
    if (trust.keys === undefined) known = (await log.getKeyDirectory({}, options)).body.keys
    return known
  }

  async function open(note: string, options: CallOptions): Promise<Checkpoint> {
    const checkpoint = await openNote(note, known).catch(async (error: unknown) => {
      // During a rotation the directory has a key that was not there before.
      if (!(error instanceof ProofFailure) || error.fault !== 'signature' || trust.keys !== undefined) throw error
      return openNote(note, await readKeys(options))
    })
    if (trust.origin !== undefined && checkpoint.origin !== trust.origin) {
      throw new ProofFailure('different', `The checkpoint is of the log ${checkpoint.origin}, not of ${trust.origin}.`, [note])
    }
    return checkpoint
  }

  /** Throws ProofFailure unless the smaller of two checkpoints begins the other one. */
  async function compare(one: Checkpoint, other: Checkpoint, options: CallOptions): Promise<void> {
    const [first, second] = one.size <= other.size ? [one, other] : [other, one]
    if (first.size === second.size) return checkSame(first, second)
    const hashes = await readConsistency(log, first.size, second.size, options)
    if (hashes !== null && await isConsistent(first, second, hashes)) return
    const what = hashes === null ? 'The gateway does not prove that' : 'The proof is wrong that'
    const text = `${what} its ${second.size} records begin with the ${first.size} of an earlier checkpoint.`
    throw new ProofFailure('inconsistent', text, [first.note, second.note])
  }

  async function last(origin: string): Promise<Checkpoint | null> {
    const note = await store.load(origin)
    return note === null ? null : readNote(note)
  }

  /** Compares a checkpoint with the last one, and stores it if it is larger. */
  async function accept(note: string, options: CallOptions, isNewest: boolean): Promise<Checkpoint> {
    const checkpoint = await open(note, options)
    const previous = await last(checkpoint.origin)
    if (previous === null) await store.save(checkpoint.origin, note)
    else {
      if (isNewest && checkpoint.size < previous.size) {
        const what = `The log had ${previous.size} records, and now has ${checkpoint.size}.`
        throw new ProofFailure('smaller', what, [previous.note, note])
      }
      await compare(previous, checkpoint, options)
      if (checkpoint.size > previous.size) await store.save(checkpoint.origin, note)
    }
    return checkpoint
  }

  return {
    event: async (proof, { ledger, node }, options = {}) => verifyEventProof(proof, ledger ?? await readLedger(fetch, node, proof.ledger, options)),
    checkpoint: (options = {}) => inTurn(async () => accept((await log.getCheckpoint({}, options)).body, options, true)),
    consistency: (note, options = {}) => inTurn(() => accept(note, options, false)),
    newest: (note, options = {}) => inTurn(() => accept(note, options, true)),
    async inclusion(proof, event, options = {}) {
      const fail = (what: string): never => {
        throw new ProofFailure('not_included', `The proof of an event fails: ${what}.`, [JSON.stringify(proof)])
      }
      const [bytes, root, path, eventPath] = [decodeBase64(proof.record), decodeBase64(proof.root), decodeAll(proof.hashes), decodeAll(proof.event.hashes)]
      const record = bytes === null ? null : readRecord(bytes)
      const served = 'bytes' in event ? decodeBase64(event.bytes) : eventBytes(event)
      if (bytes === null || record === null || root === null || path === null || eventPath === null || served === null) return fail('it is malformed')
      const inRecord = { index: proof.event.index, size: record.events, hashes: eventPath }
      if (!await isIncluded(inRecord, await hashLeaf(served), record.eventsRoot)) fail('the record does not have the event')
      const inTree = { index: proof.leafIndex, size: proof.treeSize, hashes: path }
      if (!await isIncluded(inTree, await hashLeaf(bytes), root)) fail('the tree does not have the record')
      if (proof.checkpoint === null) throw new ProofFailure('unsigned', 'The gateway has no signing key, so that nothing binds it to its log.')
      const note = proof.checkpoint
      const checkpoint = await inTurn(() => accept(note, options, false))
      if (checkpoint.size !== proof.treeSize || !isEqual(checkpoint.root, root)) fail('the checkpoint is of another tree')
      return { record, leafIndex: proof.leafIndex, checkpoint, place: record.seqFirst + proof.event.index }
    },
    async answer(response, options = {}) {
      const keys = known.length > 0 ? known : await readKeys({})
      try {
        return await verifyAnswer(response, keys, clock.nowMs(), options)
      } catch (error) {
        if (!(error instanceof ProofFailure) || error.fault !== 'signature' || trust.keys !== undefined || keys !== known) throw error
        return verifyAnswer(response, await readKeys({}), clock.nowMs(), options)
      }
    },
  }
}

/** Keeps the last checkpoint of each log as long as the program runs. */
function createMemoryStore(): CheckpointStore {
  const notes = new Map<string, string>()
  return { load: (origin) => notes.get(origin) ?? null, save: (origin, note) => void notes.set(origin, note) }
}

async function readLedger(fetch: FetchLike, node: string | undefined, sequence: number, options: CallOptions): Promise<{ sequence: number; hash: string }> {
  if (node === undefined) throw new TypeError('Pass the ledger\'s hash, or the address of a node.')
  const { ledgers } = await callNode<{ ledgers: { sequence: number; hash: string }[] }>(
    fetch, node, 'getLedgers', { startLedger: sequence, pagination: { limit: 1 } }, options.signal,
  )
  const ledger = ledgers.find((each) => each.sequence === sequence)
  if (ledger === undefined) throw new ProofFailure('header', `The node does not have ledger ${sequence}.`)
  return ledger
}
