// Reads the log of pages from a gateway: its records, their events, and the state of its tree. Everything is checked against a checkpoint.

import { decodeBase64, isEqual } from '../bytes.ts'
import { GatewayError, ProofFailure } from '../errors.ts'
import type { CallOptions } from '../http.ts'
import type { Endpoints } from '../rest.ts'
import type { Checkpoint } from './note.ts'
import { hasEvents, readRecord, RECORD_BYTES } from './record.ts'
import type { LogRecord } from './record.ts'
import { appendLeaf, edgeRoot, EMPTY_EDGE, hashLeaf } from './tree.ts'
import type { Edge } from './tree.ts'

/** The endpoints of the log. */
export type LogEndpoints = Pick<Endpoints, 'getCheckpoint' | 'getLogTile' | 'getLogRecord' | 'getInclusionProof' | 'getConsistencyProof' | 'getKeyDirectory'>

/** A record at its place in the log. */
export interface PlacedRecord {
  readonly leafIndex: number
  readonly bytes: Uint8Array
  readonly record: LogRecord
}

/** An event of a record. */
export interface PlacedEvent {
  /** As in `GET /v1/events`. */
  readonly eventId: string
  readonly bytes: Uint8Array
}

const TILE_WIDTH = 256
const ENTRY_BYTES = 2 + RECORD_BYTES

/** The path of a tile, after `/tile/`. */
function tilePath(level: number | 'entries', index: number, width: number): string {
  let name = String(index % 1_000).padStart(3, '0')
  for (let rest = Math.floor(index / 1_000); rest > 0; rest = Math.floor(rest / 1_000)) name = `x${String(rest % 1_000).padStart(3, '0')}/${name}`
  return `${level}/${name}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** The records of the log from a place up to another, exclusive. They are not yet checked. */
export async function* readRecords(log: LogEndpoints, from: number, to: number, options: CallOptions = {}): AsyncGenerator<PlacedRecord> {
  for (let tile = Math.floor(from / TILE_WIDTH); tile * TILE_WIDTH < to; tile++) {
    const width = Math.min(TILE_WIDTH, to - tile * TILE_WIDTH)
    const path = tilePath('entries', tile, width)
    const { body } = await log.getLogTile({ path }, options)
    if (body.length !== width * ENTRY_BYTES) throw new ProofFailure('malformed', `The tile ${path} does not have ${width} records.`)
    for (let within = Math.max(0, from - tile * TILE_WIDTH); within < width; within++) {
      const leafIndex = tile * TILE_WIDTH + within
      const entry = body.slice(within * ENTRY_BYTES, (within + 1) * ENTRY_BYTES)
      const bytes = entry.subarray(2)
      const record = entry[0] === 0 && entry[1] === RECORD_BYTES ? readRecord(bytes) : null
      if (record === null) throw new ProofFailure('malformed', `Record ${leafIndex} is malformed.`)
      yield { leafIndex, bytes, record }
    }
  }
}

/** Appends records to the edge of a tree. Throws ProofFailure unless they are those of the checkpoint. */
export async function appendRecords(edge: Edge, records: readonly PlacedRecord[], checkpoint: Checkpoint): Promise<Edge> {
  let grown = edge
  for (const { bytes } of records) grown = await appendLeaf(grown, await hashLeaf(bytes))
  if (grown.size !== checkpoint.size || !isEqual(await edgeRoot(grown), checkpoint.root)) {
    throw new ProofFailure('different', `The records up to ${grown.size} are not those of the checkpoint.`, [checkpoint.note])
  }
  return grown
}

/** The right edge of the tree of a checkpoint, from tiles of hashes. Throws ProofFailure when they are of another tree. */
export async function readEdge(log: LogEndpoints, checkpoint: Checkpoint, options: CallOptions = {}): Promise<Edge> {
  let edge: Edge = EMPTY_EDGE
  const { size } = checkpoint
  for (let level = Math.floor(Math.log2(Math.max(1, size)) / 8); level >= 0; level--) {
    // The nodes of this level that are in no subtree of the level above.
    const nodes = Math.floor(size / TILE_WIDTH ** level)
    const width = nodes % TILE_WIDTH
    if (width === 0) continue
    const path = tilePath(level, Math.floor(nodes / TILE_WIDTH), width)
    const { body } = await log.getLogTile({ path }, options)
    if (body.length !== width * 32) throw new ProofFailure('malformed', `The tile ${path} does not have ${width} hashes.`)
    let part: Edge = EMPTY_EDGE
    for (let at = 0; at < width; at++) part = await appendLeaf(part, body.slice(at * 32, (at + 1) * 32))
    edge = { size: edge.size + width * TILE_WIDTH ** level, hashes: [...edge.hashes, ...part.hashes] }
  }
  if (!isEqual(await edgeRoot(edge), checkpoint.root)) throw new ProofFailure('different', 'The tiles are not those of the checkpoint.', [checkpoint.note])
  return edge
}

/**
 * The events of a record, checked against its root; null when a correction has replaced it, or the checkpoint is of an earlier state. Throws ProofFailure when
 * they are others.
 */
export async function readRecordEvents(
  log: LogEndpoints, { leafIndex, bytes, record }: PlacedRecord, options: CallOptions = {},
): Promise<readonly PlacedEvent[] | null> {
  const events: PlacedEvent[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { body } = await log.getLogRecord(cursor === undefined ? { leafIndex } : { leafIndex, cursor }, options)
    if (body.correctedBy !== null) return null
    const served = decodeBase64(body.record)
    if (served === null || !isEqual(served, bytes)) throw new ProofFailure('different', `Record ${leafIndex} is not the one in the tree.`)
    for (const event of body.events) events.push({ eventId: event.eventId, bytes: decodeBase64(event.bytes) ?? new Uint8Array() })
    cursor = body.events.length === 0 || events.length > record.events ? null : body.nextCursor
  }
  if (!await hasEvents(record, events.map((event) => event.bytes))) {
    const what = `The events that the gateway serves of ledgers ${record.fromLedger} to ${record.toLedger} are not those of record ${leafIndex}.`
    throw new ProofFailure('different', what)
  }
  return events
}

/** The consistency proof between two sizes; null when the gateway has none. */
export async function readConsistency(log: LogEndpoints, from: number, to: number, options: CallOptions = {}): Promise<readonly Uint8Array[] | null> {
  try {
    const { body } = await log.getConsistencyProof({ from, to }, options)
    return decodeAll(body.hashes)
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) return null
    throw error
  }
}

/** Null when one is not base64 of 32 bytes. */
export function decodeAll(hashes: readonly string[]): readonly Uint8Array[] | null {
  const decoded = hashes.map(decodeBase64)
  return decoded.every((hash) => hash?.length === 32) ? decoded as readonly Uint8Array[] : null
}
