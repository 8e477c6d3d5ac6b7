// Proves an event from the header of its ledger: the event is in what a transaction returned, whose hash is in the results, whose hash is in the header.

import { fromBase64, fromHex, isEqual, toBase64, toHex } from '../bytes.ts'
import { ProofFailure } from '../errors.ts'
import { sha256 } from '../platform.ts'
import { encodeStrKey } from '../strkey.ts'
import { createReader, MalformedXdr, readAddress, unsupported } from '../xdr.ts'
import type { Reader } from '../xdr.ts'
import { readResultAt } from './results.ts'

/** An answer of `GET /v1/proofs/events/{eventId}`. XDR is base64. */
export interface EventProof {
  readonly format: string
  /** The passphrase of the network. */
  readonly network: string
  readonly ledger: number
  readonly header: string
  readonly results: string
  readonly txHash: string
  /** The place of the transaction in the results. */
  readonly pairIndex: number
  readonly preimage: string
  /** The place of the event in the preimage. */
  readonly eventIndex: number
}

/** A ledger's hash, as `getLedgers` of a node reports it. */
export interface LedgerHash {
  readonly sequence: number
  /** Hexadecimal. */
  readonly hash: string
}

/** An event that a ledger's header proves. XDR is base64. */
export interface ProvenEvent {
  readonly ledger: number
  readonly txHash: string
  readonly contractId: string
  readonly isSystem: boolean
  readonly topic: readonly string[]
  readonly value: string
}

const FORMAT = 'pxg-event-proof/1'
const DEPTH_MAX = 100

/** Verifies a proof against the hash of its ledger. Throws ProofFailure. */
export async function verifyEventProof(proof: EventProof, ledger: LedgerHash): Promise<ProvenEvent> {
  try {
    return await readProof(proof, ledger)
  } catch (error) {
    if (error instanceof ProofFailure) throw error
    throw new ProofFailure('malformed', `The proof cannot be read: ${error instanceof Error ? error.message : String(error)}.`, [JSON.stringify(proof)])
  }
}

async function readProof(proof: EventProof, ledger: LedgerHash): Promise<ProvenEvent> {
  const check = (condition: boolean, what: string): void => {
    if (!condition) throw new ProofFailure('header', `The proof of an event of ledger ${proof.ledger} fails: ${what}.`, [JSON.stringify(proof)])
  }
  check(proof.format === FORMAT, `its format is not ${FORMAT}`)
  const [header, results, preimage] = [fromBase64(proof.header), fromBase64(proof.results), fromBase64(proof.preimage)]
  check(ledger.sequence === proof.ledger, 'the header is of another ledger')
  check(isEqual(await sha256(header), fromHex(ledger.hash, 32)), 'the node reports another header for this ledger')
  const { sequence, resultsHash } = readHeader(createReader(header))
  check(sequence === proof.ledger, 'the header is of another ledger')
  check(isEqual(await sha256(results), resultsHash), 'the header has other results')
  const { txHash, successHash } = readResultAt(createReader(results), proof.pairIndex)
  check(toHex(txHash) === proof.txHash, 'the result is of another transaction')
  check(successHash !== null && isEqual(await sha256(preimage), successHash), 'the transaction has returned something else')
  const event = readPreimage(createReader(preimage))[proof.eventIndex]
  if (event === undefined) throw new MalformedXdr('the transaction has no such event')
  return { ledger: proof.ledger, txHash: proof.txHash, ...event }
}

const REPLACED_SET = 32 + 32 + 4
/** The bytes before the signature in each form of the consensus value: nothing, a set that was left out, a time in milliseconds, both. */
const VALUE_FORMS = [0, 0, REPLACED_SET, 8, 8 + REPLACED_SET]

/** The number and the hash of the results of a ledger, from its header. */
function readHeader(reader: Reader): { readonly sequence: number; readonly resultsHash: Uint8Array } {
  reader.skip(4 + 32 + 32 + 8)
  reader.list(() => reader.opaque())
  const form = reader.u32()
  const unsignedBytes = VALUE_FORMS[form]
  if (unsignedBytes === undefined) throw unsupported('ledger value', form, VALUE_FORMS.length - 1)
  if (form !== 0) {
    reader.skip(unsignedBytes + 4 + 32)
    reader.opaque()
  }
  const resultsHash = reader.bytes(32)
  reader.skip(32)
  return { resultsHash, sequence: reader.u32() }
}

type PreimageEvent = Omit<ProvenEvent, 'ledger' | 'txHash'>

function readPreimage(reader: Reader): readonly PreimageEvent[] {
  skipValue(reader)
  const events = reader.list((): PreimageEvent => {
    expect(reader.u32(), 'event extension')
    const contract = reader.optional(() => reader.bytes(32))
    const type = reader.u32()
    expect(reader.u32(), 'event body')
    const topic = reader.list(() => readXdr(reader))
    return { contractId: contract === null ? '' : encodeStrKey('contract', contract), isSystem: type === 0, topic, value: readXdr(reader) }
  })
  if (reader.remaining() > 0) throw new MalformedXdr('the preimage is too long')
  return events
}

function expect(kind: number, what: string): void {
  if (kind !== 0) throw unsupported(what, kind, 0)
}

function readXdr(reader: Reader): string {
  const start = reader.offset()
  skipValue(reader)
  return toBase64(reader.since(start))
}

/** The lengths of values by their number in XDR; absent: they vary. */
const LENGTHS: Readonly<Record<number, number>> = { 0: 4, 1: 0, 2: 8, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 8: 8, 9: 16, 10: 16, 11: 32, 12: 32, 20: 0, 21: 8 }
const [BYTES, STRING, SYMBOL, VEC, MAP, ADDRESS, INSTANCE, TAG] = [13, 14, 15, 16, 17, 18, 19, 22]

/** Skips a value. Unlike `readValue` it takes strings that are not UTF-8, which events may have. */
function skipValue(reader: Reader, depth = 0): void {
  if (depth > DEPTH_MAX) throw new MalformedXdr('nested too deeply')
  const kind = reader.u32()
  const length = LENGTHS[kind]
  const skipMap = (): void => void reader.optional(() => reader.list(() => {
    skipValue(reader, depth + 1)
    skipValue(reader, depth + 1)
  }))
  if (length !== undefined) reader.skip(length)
  else if (kind === BYTES || kind === STRING || kind === SYMBOL || kind === TAG) reader.opaque()
  else if (kind === VEC) reader.optional(() => reader.list(() => skipValue(reader, depth + 1)))
  else if (kind === MAP) skipMap()
  else if (kind === ADDRESS) readAddress(reader)
  else if (kind === INSTANCE) {
    skipExecutable(reader)
    skipMap()
  } else throw unsupported('value type', kind, TAG)
}

function skipExecutable(reader: Reader): void {
  const kind = reader.u32()
  if (kind > 2) throw unsupported('executable type', kind, 2)
  if (kind === 0) reader.skip(32)
  if (kind === 2) {
    readAddress(reader)
    reader.opaque()
  }
}
