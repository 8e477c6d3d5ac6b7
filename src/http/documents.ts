// Public documents: rendered and compressed once, revalidated by etag, and counted by their size. They are exempt from the API's rate limit and larger than its
// responses, so without a bound of their own a client could take the whole line (docs/decisions/fair-rate-limits.md).

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpFailure, rateLimited } from './errors.ts'
import type { RequestLimits } from './request-limits.ts'
import { etagOf, matchesEtag } from './response.ts'

export interface Document {
  readonly type: string
  readonly etag: string
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
  readonly brotli: Uint8Array
}

export interface Documents {
  /** Sends a document in the smallest encoding that the client accepts, or 304 if it already has it. Rejects with 429 if the client address read too much. */
  send(request: FastifyRequest, reply: FastifyReply, document: Document, headers: Readonly<Record<string, string>>): Promise<FastifyReply>
  /** Counts a request for something small. Rejects with 429 if the client address read too much. */
  count(request: FastifyRequest): Promise<void>
}

/** Within 3 % of the highest quality in a tenth of its time. */
const BROTLI_QUALITY = 9

async function prepareDocument(content: string | Uint8Array, type: string): Promise<Document> {
  const plain = typeof content === 'string' ? Buffer.from(content) : content
  const [zipped, brotli] = await Promise.all([
    promisify(gzip)(plain),
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: plain.byteLength } }),
  ])
  return { type, etag: etagOf(plain), plain, gzip: zipped, brotli }
}

/** Prepares a document at the first call. After a failure the next call tries again. */
export function lazyDocument(render: () => string | Uint8Array, type: string): () => Promise<Document> {
  let document: Promise<Document> | undefined
  return async () => {
    try {
      return await (document ??= prepareDocument(render(), type))
    } catch (cause) {
      document = undefined
      throw cause
    }
  }
}

export function createDocuments(requestLimits: RequestLimits): Documents {
  async function count(request: FastifyRequest, bytes: number): Promise<void> {
    const { allowed, resetSec } = await requestLimits.takeDocument(request.caller, bytes)
    if (!allowed) throw new HttpFailure(rateLimited(resetSec))
  }

  async function send(request: FastifyRequest, reply: FastifyReply, document: Document, headers: Readonly<Record<string, string>>): Promise<FastifyReply> {
    const { method, headers: { 'accept-encoding': accepted = '', 'if-none-match': ifNoneMatch } } = request.raw
    const isKnown = ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, document.etag)
    const [encoding, body] = encodingOf(document, accepted)
    await count(request, isKnown || method === 'HEAD' ? 0 : body.byteLength)
    const vary = reply.getHeader('vary')
    reply.headers({ ...headers, etag: document.etag, vary: vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding` })
    if (isKnown) return reply.code(304).send()
    if (encoding !== null) reply.header('content-encoding', encoding)
    return reply.type(document.type).send(body)
  }

  return { send, count: (request) => count(request, 0) }
}

function encodingOf(document: Document, accepted: string): readonly ['br' | 'gzip' | null, Uint8Array] {
  if (/\bbr\b/.test(accepted)) return ['br', document.brotli]
  if (/\bgzip\b/.test(accepted)) return ['gzip', document.gzip]
  return [null, document.plain]
}
