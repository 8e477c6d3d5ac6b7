// Signs the answers to requests that ask for it (specification of proofs, 4). Others cost one look at a header.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { contentDigest, parseAcceptSignature, signatureBase, signatureInput, signBase } from '../base/proofs/message-signatures.ts'
import type { RequestedSignature, SignedComponent } from '../base/proofs/message-signatures.ts'
import type { SigningKey } from '../base/proofs/signing.ts'

/** The labels of the signatures of the key and of the one that it replaces. */
const LABELS = ['pxg', 'pxg-old'] as const
/** A client accepts an answer for this time after it was signed. */
const VALID_SEC = 300
/** The same answer keeps its signature for this time. */
const REUSED_SEC = 240
const REMEMBERED_MAX = 1_000

type SignatureHeaders = Readonly<Record<'signature-input' | 'signature', string>>

/** Adds Content-Digest, Signature-Input and Signature to what is sent. Without a key, answers are sent unsigned. */
export function signAnswers(app: FastifyInstance, keys: readonly SigningKey[], nowSec: () => number): void {
  if (keys.length === 0) return
  const remembered = new Map<string, { readonly created: number; readonly headers: SignatureHeaders }>()

  function sign(components: readonly SignedComponent[], nonce: string | null): SignatureHeaders {
    const key = JSON.stringify(components)
    const created = nowSec()
    const known = nonce === null ? remembered.get(key) : undefined
    if (known !== undefined && created >= known.created && created < known.created + REUSED_SEC) return known.headers
    const headers = signWithEach(keys, components, { created, nonce })
    if (nonce !== null) return headers
    remembered.delete(key)
    remembered.set(key, { created, headers })
    const [oldest] = remembered.keys()
    if (remembered.size > REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest)
    return headers
  }

  // A browser sees decoded bytes only.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers['accept-signature'] !== undefined) delete raw.headers['accept-encoding']
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const requested = requestedBy(request)
    const body = bodyOf(payload)
    if (requested !== undefined && body !== undefined) {
      appendTo(reply, 'cache-control', 'no-transform')
      appendTo(reply, 'vary', 'Accept-Signature')
      if (reply.statusCode !== NOT_MODIFIED) reply.header('content-digest', contentDigest(body))
      reply.headers(sign(componentsOf(requested, request, reply), requested.nonce))
    }
    done(null, payload)
  })
}

const NOT_MODIFIED = 304

function requestedBy({ raw: { headers: { 'accept-signature': header } } }: FastifyRequest): RequestedSignature | undefined {
  return header === undefined ? undefined : parseAcceptSignature(String(header))
}

/** Undefined for a stream, which is not signed: its digest is not known when its headers are sent. */
function bodyOf(payload: unknown): string | Uint8Array | undefined {
  if (payload === undefined || payload === null) return ''
  return typeof payload === 'string' || payload instanceof Uint8Array ? payload : undefined
}

function appendTo(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name)
  reply.header(name, before === undefined || before === '' ? value : `${String(before)}, ${value}`)
}

/** The components that the answer has. */
function componentsOf({ components }: RequestedSignature, request: FastifyRequest, reply: FastifyReply): readonly SignedComponent[] {
  return components.flatMap(({ name, isOfRequest }) => {
    const value = isOfRequest ? valueOfRequest(name, request) : valueOfAnswer(name, reply)
    return value === undefined ? [] : [{ name, isOfRequest, value }]
  })
}

function valueOfAnswer(name: string, reply: FastifyReply): string | undefined {
  if (name === '@status') return String(reply.statusCode)
  const value = name.startsWith('@') ? undefined : reply.getHeader(name)
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : undefined
}

function valueOfRequest(name: string, { protocol, host, raw: { method = '', url = '' } }: FastifyRequest): string | undefined {
  if (name === '@method') return method
  return name === '@target-uri' ? `${protocol}://${host}${url}` : undefined
}

function signWithEach(
  keys: readonly SigningKey[], components: readonly SignedComponent[], { created, nonce }: { readonly created: number; readonly nonce: string | null },
): SignatureHeaders {
  const signed = keys.slice(0, LABELS.length).map((key, index) => {
    const input = signatureInput(components, {
      created, expires: created + VALID_SEC, keyId: key.keyId, alg: 'ed25519', ...(nonce === null ? {} : { nonce }),
    })
    const label = LABELS[index] ?? ''
    return { input: `${label}=${input}`, signature: `${label}=${signBase(signatureBase(components, input), key)}` }
  })
  return { 'signature-input': signed.map(({ input }) => input).join(', '), signature: signed.map(({ signature }) => signature).join(', ') }
}
