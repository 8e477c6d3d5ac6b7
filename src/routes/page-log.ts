// GET /v1/log/checkpoint, /v1/log/tile/*, /v1/log/records/{leafIndex}, /v1/log/inclusion, /v1/log/consistency, and the directory of keys (specification
// of proofs, 2 and 5).

import { Type } from 'typebox'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { App } from '../http/app.ts'
import { HttpFailure, validationFailure } from '../http/errors.ts'
import { operation } from '../http/operation.ts'
import { CACHE_ONE_SECOND, CACHE_REVALIDATE, nextLink, prepareResponse, sendResponse } from '../http/response.ts'
import { LOG_EVENTS_PER_PAGE } from '../limits.ts'
import { checkpointText, signNote } from '../base/proofs/checkpoint.ts'
import { eventBytes } from '../base/proofs/events.ts'
import { publishedKey } from '../base/proofs/signing.ts'
import type { SigningKey } from '../base/proofs/signing.ts'
import { entriesTile, hashTile, parseTilePath, tileWidth } from '../base/proofs/tiles.ts'
import { consistencyProof, inclusionProof } from '../base/proofs/tree.ts'
import type { Hash } from '../base/proofs/tree.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from '../projections/log/page.ts'
import { readRecord } from '../projections/proofs/log-corrections.ts'
import {
  createEventsTrees, createLogNodeReader, findRecordOf, readCorrectionOf, readPageLogState, readRecordEvents, readTileHashes, readTileRecords,
} from '../projections/proofs/log-reads.ts'
import { ref } from '../resources/fields.ts'
import { pageMembers } from '../resources/page-members.ts'
import {
  ConsistencyProof, EXAMPLE_EVENT_ID, EXAMPLE_HASH, EXAMPLE_NOTE, InclusionProof, KeyDirectory, LOG_RECORD, LoggedEventBytes,
} from '../resources/page-log.ts'
import type { Queryable } from '../store/store.ts'
import { serialiseBody } from './page-response.ts'
import { cursorParameter } from './parameters.ts'

const CURSOR_KIND = 'record'
const IMMUTABLE = 'public, max-age=31536000, immutable'
const EVENT_ID_MAX_LENGTH = 64
const NOT_IN_LOG = new HttpFailure({
  status: 404, body: { error: 'not_in_log', message: 'The log does not have it, or not yet. GET /v1/log/checkpoint reports how many records it has.' },
})

const checkpoint = operation(
  {
    id: 'getCheckpoint', tag: 'log', summary: 'Get the signed checkpoint of the log',
    description:
      'Every page that is indexed leaves a record in an append-only Merkle tree (RFC 6962). Returns the size and the root of the tree as a signed note ' +
      '(C2SP). Store it: two checkpoints that do not fit together are evidence.',
    ok: Type.String({ description: 'Origin, size, root in base64, an empty line, and one signature line per key.' }), contentType: 'text/plain',
    example: EXAMPLE_NOTE, errors: ['503 signing_disabled'],
  },
  {},
)

const tile = operation(
  {
    id: 'getLogTile', tag: 'log', summary: 'Get a tile of the log',
    description:
      'Returns 256 hashes of a level of the tree, or 256 records (entries), in the paths and bytes of C2SP tlog-tiles: 0/x001/234, entries/000, and ' +
      '0/001.p/17 for the first 17 of a tile that is not full yet. What a path returns never changes.',
    ok: Type.String({ description: 'Hashes of 32 bytes, or records, each after its length in two bytes.' }), contentType: 'application/octet-stream',
    example: '', errors: [400, '404 not_in_log', 503],
  },
  { params: Type.Object({ '*': Type.String({ description: 'Level, number and width of the tile.', examples: ['0/000.p/5'] }) }) },
)

const record = operation(
  {
    id: 'getLogRecord', tag: 'log', summary: 'Get a record of the log',
    description:
      'Returns a record with the very bytes of its events, which are the leaves of the tree whose root it has. Long records have several pages. A record ' +
      'that a correction replaces is returned without its events.',
    ok: Type.Object({ ...LOG_RECORD, events: Type.Array(ref(LoggedEventBytes)) }), example: { record: '', leafIndex: 5_120, correctedBy: null, events: [] },
    headers: ['next'], errors: [400, '404 not_in_log', 503],
  },
  {
    params: Type.Object({
      leafIndex: Type.Unsafe<number>({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Place in the log.', examples: [5_120] }),
    }),
    querystring: Type.Object({ cursor: cursorParameter }),
  },
)

const inclusion = operation(
  {
    id: 'getInclusionProof', tag: 'log', summary: 'Prove that an event is in the log',
    description: 'Returns the record that an event is in, the audit path of the event in the record, and that of the record in the tree.',
    ok: ref(InclusionProof),
    example: {
      record: '', leafIndex: 5_120, treeSize: 5_121, root: EXAMPLE_HASH, hashes: [EXAMPLE_HASH], event: { index: 3, hashes: [EXAMPLE_HASH] },
      checkpoint: EXAMPLE_NOTE,
    },
    errors: [400, '404 not_in_log', 503],
  },
  { querystring: Type.Object({ eventId: Type.String({
      minLength: 1, maxLength: EVENT_ID_MAX_LENGTH, description: 'As in GET /v1/events.', examples: [EXAMPLE_EVENT_ID],
    }) }) },
)

const sizeParameter = (description: string, example: number) =>
  Type.Unsafe<number>({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [example] })

const consistency = operation(
  {
    id: 'getConsistencyProof', tag: 'log', summary: 'Prove that the log has only grown',
    description: 'Returns the proof that the tree of the first `from` records begins the tree of the first `to` records.',
    ok: ref(ConsistencyProof), example: { hashes: [EXAMPLE_HASH] }, errors: [400, '404 not_in_log', 503],
  },
  { querystring: Type.Object({ from: sizeParameter('Size of the earlier tree.', 1), to: sizeParameter('Size of the later tree.', 2) }) },
)

const directory = operation(
  {
    id: 'getKeyDirectory', tag: 'log', summary: 'List the signing keys',
    description: 'Returns the public keys that sign for this gateway, with the time of their use. During a rotation there are two.',
    ok: ref(KeyDirectory), example: { keys: [] }, errors: [],
  },
  {},
)

/** What is signed of the log. */
interface SignedState {
  readonly size: number
  readonly root: Hash
}

export interface CheckpointSigner {
  readonly keys: readonly SigningKey[]
  /** The note of a checkpoint; null without a key. */
  sign(state: SignedState): string | null
}

/** Signs with every key, the new one first. `logOrigin` begins the name of the log. */
export function createCheckpointSigner(keys: readonly SigningKey[], logOrigin: string, deployment: CurrentDeployment): CheckpointSigner {
  let last: { readonly text: string; readonly note: string } | undefined
  return {
    keys,
    sign(state) {
      if (keys.length === 0) return null
      const { network, name } = deployment.current
      const origin = `${logOrigin}/${network}/${name}`
      const text = checkpointText({ origin, ...state })
      if (last?.text !== text) last = { text, note: signNote(text, keys.map(({ privateKey, publicKey }) => ({ name: origin, privateKey, publicKey }))) }
      return last.note
    },
  }
}

/** Returns the signer, for the stream. */
export function pageLogRoutes(app: App, { db, signer }: { readonly db: Queryable; readonly signer: CheckpointSigner }): CheckpointSigner {
  const { keys } = signer
  const trees = createEventsTrees(db)

  app.get('/v1/log/checkpoint', { schema: checkpoint }, async (request, reply) => {
    if (keys.length === 0) throw new HttpFailure({ status: 503, body: { error: 'signing_disabled', message: SIGNING_DISABLED }, isCallersDoing: true })
    const state = await readPageLogState(db)
    const note = state === null ? null : signer.sign(state)
    if (note === null) throw NOT_YET
    sendResponse(request, reply, prepareResponse(note, { 'cache-control': CACHE_ONE_SECOND }, 'text/plain; charset=utf-8'))
  })

  app.get('/v1/log/tile/*', { schema: tile }, async (request, reply) => {
    // Clients that fill in a path encode its slashes.
    const wanted = parseTilePath(request.params['*'].replaceAll(/%2f/gi, '/'))
    if (wanted === undefined) throw validationFailure('params/path', 'must be the path of a tile, as 0/000 or entries/x001/234.p/5', 'path')
    const { level, index, width } = wanted
    const state = await readPageLogState(db)
    if (tileWidth(level, index, state?.size ?? 0) < width) throw NOT_IN_LOG
    const parts = level === 'entries' ? await readTileRecords(db, index) : await readTileHashes(db, level, index)
    const bytes = (level === 'entries' ? entriesTile : hashTile)(parts.slice(0, width))
    await reply.headers({ 'cache-control': IMMUTABLE, 'content-type': 'application/octet-stream' }).send(bytes)
  })

  app.get('/v1/log/records/:leafIndex', { schema: record }, async (request, reply) => {
    const found = await readRecord(db, request.params.leafIndex)
    if (found === undefined) throw NOT_IN_LOG
    const correctedBy = await readCorrectionOf(db, found)
    const { cursor } = request.query
    const events = correctedBy === null ? await readRecordEvents(db, found, cursor === undefined ? undefined : idOfCursor(cursor), LOG_EVENTS_PER_PAGE + 1) : []
    const page = events.slice(0, LOG_EVENTS_PER_PAGE)
    const next = events.length > page.length ? encodeCursor(CURSOR_KIND, [page.at(-1)?.id ?? '']) : null
    const body = {
      record: base64(found.record), leafIndex: found.leaf, correctedBy,
      events: page.map((event) => ({ eventId: event.eventId, bytes: base64(eventBytes(event)) })), ...pageMembers(next),
    }
    const link = next === null ? {} : nextLink(request.raw.url ?? '', next)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, body), { 'cache-control': CACHE_REVALIDATE, ...link }))
  })

  app.get('/v1/log/inclusion', { schema: inclusion }, async (request, reply) => {
    const found = await findRecordOf(db, request.query.eventId)
    const state = await readPageLogState(db)
    if (found === undefined || state === null || found.record.leaf >= state.size) throw NOT_IN_LOG
    const tree = await trees.of(found.record)
    const index = await tree.indexOf(found.id)
    if (index === undefined) throw NOT_IN_LOG
    const body = {
      record: base64(found.record.record), leafIndex: found.record.leaf, treeSize: state.size, root: base64(state.root),
      hashes: (await inclusionProof(found.record.leaf, state.size, createLogNodeReader(db))).map(base64),
      event: { index, hashes: (await inclusionProof(index, found.record.events, tree.read)).map(base64) },
      checkpoint: signer.sign(state),
    }
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, body), { 'cache-control': CACHE_ONE_SECOND }))
  })

  app.get('/v1/log/consistency', { schema: consistency }, async (request, reply) => {
    const { from, to } = request.query
    if (from > to) throw validationFailure('querystring/from', 'must not be more than to')
    if (to > ((await readPageLogState(db))?.size ?? 0)) throw NOT_IN_LOG
    const hashes = (await consistencyProof(from, to, createLogNodeReader(db))).map(base64)
    sendResponse(request, reply, prepareResponse(serialiseBody(reply, { hashes }), { 'cache-control': IMMUTABLE }))
  })

  app.get('/.well-known/http-message-signatures-directory', { schema: directory }, async (request, reply) => {
    const text = serialiseBody(reply, { keys: keys.map(publishedKey) })
    sendResponse(request, reply, prepareResponse(text, { 'cache-control': CACHE_REVALIDATE }))
  })
  return signer
}

const SIGNING_DISABLED = 'This gateway has no signing key. Its log is kept all the same: read its tiles and records.'
const NOT_YET = new HttpFailure({ status: 503, body: { error: 'signing_disabled', message: 'Nothing is indexed yet. Retry later.' }, isCallersDoing: true })

function idOfCursor(cursor: string): string {
  const [id] = decodeCursor(CURSOR_KIND, cursor, 1)
  if (typeof id !== 'string') throw new InvalidCursor(INVALID_CURSOR)
  return id
}

function base64(bytes: Hash): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
