// Checks the frames of a stream against the log: each event is in a signed record as the frame says, and none of a page is left out.

import { decodeBase64, fromBase64, isEqual, toBase64 } from '../bytes.ts'
import { GatewayError, ProofFailure } from '../errors.ts'
import type { FrameVerifier } from '../frame-gate.ts'
import type { CheckpointData, EventData } from '../stream-frames.ts'
import type { Verify } from '../verify-types.ts'
import { createReader, readValue } from '../xdr.ts'
import type { Reader } from '../xdr.ts'
import { appendRecords, readEdge, readRecordEvents, readRecords } from './log.ts'
import type { LogEndpoints, PlacedRecord } from './log.ts'
import type { Checkpoint } from './note.ts'
import { readEventBytes, readRecord } from './record.ts'
import type { NodeEvent } from './record.ts'
import type { Edge } from './tree.ts'

type LoggedEvent = Required<NodeEvent>

/** Events of recent records that are kept for frames that refer to them later, such as trades. */
const KNOWN_MAX = 20_000

export interface StreamVerifierOptions {
  readonly log: LogEndpoints
  readonly verify: Verify
  /** The address of the token, whose transfers are in the log, and not on the channel `events`. */
  token(): Promise<string>
}

export function createStreamVerifier({ log, verify, token }: StreamVerifierOptions): FrameVerifier {
  let edge: Edge | null = null
  /** The ids on the channel `events` that have to come next. Empty until its first frame was seen. */
  let expected: string[] = []
  let hasBegun = false
  const known = new Map<string, LoggedEvent>()

  function remember(eventId: string, event: LoggedEvent): void {
    known.set(eventId, event)
    const [oldest] = known.keys()
    if (known.size > KNOWN_MAX && oldest !== undefined) known.delete(oldest)
  }

  /** Reads the records since the last checkpoint. Returns true if the last page is complete. */
  async function readNew(checkpoint: Checkpoint): Promise<boolean> {
    if (edge === null) {
      edge = await readEdge(log, checkpoint)
      return true
    }
    const records: PlacedRecord[] = []
    for await (const placed of readRecords(log, edge.size, checkpoint.size)) records.push(placed)
    edge = await appendRecords(edge, records, checkpoint)
    const ofToken = await token()
    for (const placed of records) {
      const events = placed.record.events === 0 ? [] : await readRecordEvents(log, placed)
      for (const { eventId, bytes } of events ?? []) {
        const event = readEventBytes(bytes)
        remember(eventId, event)
        if (placed.record.kind === 'page' && event.contractId !== ofToken) expected.push(eventId)
      }
    }
    return records.filter(({ record }) => record.kind === 'page').at(-1)?.record.endsInside !== true
  }

  /** The event of a frame, from its record in the log, which is proven to be in the tree. */
  async function find(eventId: string, at: string): Promise<LoggedEvent> {
    const recent = known.get(eventId)
    if (recent !== undefined) return recent
    try {
      const proof = (await log.getInclusionProof({ eventId })).body
      const bytes = decodeBase64(proof.record)
      const record = bytes === null ? null : readRecord(bytes)
      const events = bytes === null || record === null ? null : await readRecordEvents(log, { leafIndex: proof.leafIndex, bytes, record })
      const found = events?.find((event) => event.eventId === eventId)
      if (found === undefined) throw new ProofFailure('not_included', `${at}: the record of the event does not have it.`)
      await verify.inclusion(proof, { bytes: toBase64(found.bytes) })
      for (const event of events ?? []) remember(event.eventId, readEventBytes(event.bytes))
      return readEventBytes(found.bytes)
    } catch (error) {
      if (error instanceof GatewayError && error.status === 404) throw new ProofFailure('missing', `${at}: the log does not have the event.`)
      throw error
    }
  }

  /** Throws ProofFailure unless a frame of the channel `events` is the next event of the log. */
  function takeExpected(eventId: string, at: string): void {
    const index = expected.indexOf(eventId)
    // An event of an earlier page, which a correction or the stream's beginning brought.
    if (index === -1) return
    if (hasBegun && index > 0) throw new ProofFailure('missing', `${at}: event ${expected[0]} comes before it in the log, and was left out.`)
    hasBegun = true
    expected = expected.slice(index + 1)
  }

  return {
    onGap() {
      hasBegun = false
    },
    async check(data, frames) {
      const checkpoint = await readCheckpoint(verify, data)
      const isComplete = await readNew(checkpoint)
      for (const { channel, seq, data: content } of frames) {
        const event = content as Partial<EventData>
        if (event.eventId === undefined) continue
        const at = `Frame ${seq} of ${channel}, event ${event.eventId}`
        checkFrame(event, await find(event.eventId, at), at)
        if (channel === 'events') takeExpected(event.eventId, at)
      }
      const [next] = expected
      if (hasBegun && isComplete && next !== undefined) {
        throw new ProofFailure('missing', `The channel events up to ${data.seq}: event ${next} is in the log, and was left out.`, [checkpoint.note])
      }
      if (!hasBegun) expected = []
    },
  }
}

async function readCheckpoint(verify: Verify, { note, size, root }: CheckpointData): Promise<Checkpoint> {
  if (note === null) throw new ProofFailure('unsigned', 'The gateway has no signing key, so that nothing binds it to its log.')
  const checkpoint = await verify.newest(note)
  const isSame = checkpoint.size === size && isEqual(checkpoint.root, fromBase64(root))
  if (!isSame) throw new ProofFailure('different', 'A checkpoint is not what its note says.', [note])
  return checkpoint
}

/** Throws ProofFailure unless the frame says what the log says of its event. */
function checkFrame(frame: Partial<EventData>, event: LoggedEvent, at: string): void {
  const check = (holds: boolean, what: string): void => {
    if (!holds) throw new ProofFailure('different', `${at}: ${what} is not that of the event in the log.`, [JSON.stringify(frame)])
  }
  check(frame.txHash === event.txHash, 'the transaction')
  check(frame.ledger === Number(BigInt(event.id.slice(0, 19)) >> 32n), 'the ledger')
  if (frame.contractId === undefined) return
  check(frame.contractId === event.contractId, 'the contract')
  const values = [...event.topic, event.value].flatMap((xdr) => valuesOf(createReader(fromBase64(xdr)), fromBase64(xdr)))
  check(frame.topic === '' || frame.topic === values[0], 'the topic')
  for (const content of [frame.raw, frame.payload]) {
    // An event that the gateway cannot decode has its XDR instead.
    const left = [...values, ...event.topic, event.topic.join(' '), event.value]
    for (const value of textsOf(content)) {
      const index = left.indexOf(value)
      check(index !== -1, `a value (${value})`)
      left.splice(index, 1)
    }
  }
}

const [VEC, MAP] = [16, 17]

/** The texts of all single values in a value of a contract. */
function valuesOf(reader: Reader, data: Uint8Array): readonly string[] {
  const start = reader.offset()
  const kind = reader.u32()
  if (kind === VEC || kind === MAP) {
    const readEntry = (): readonly string[] => [...valuesOf(reader, data), ...(kind === MAP ? valuesOf(reader, data) : [])]
    return reader.optional(() => reader.list(readEntry))?.flat() ?? []
  }
  const own = createReader(data.subarray(start))
  const { value } = readValue(own)
  reader.skip(own.offset() - 4)
  return value === null ? [] : [String(value)]
}

/** The texts of all single values of a payload. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []
}
