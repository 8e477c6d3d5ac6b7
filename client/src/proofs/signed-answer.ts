// Signed answers (RFC 9421 with the digest of RFC 9530).

import { decodeBase64, isEqual } from '../bytes.ts'
import { ProofFailure } from '../errors.ts'
import { sha256 } from '../platform.ts'
import { isSignedBy, thumbprint } from './note.ts'
import type { LogKey } from './note.ts'

/** The part of `Response` that is verified. */
export interface SignedResponse {
  readonly status: number
  readonly url: string
  readonly headers: { get(name: string): string | null }
  arrayBuffer(): Promise<ArrayBuffer>
}

export interface SignedAnswerOptions {
  /** The method of the request; GET by default. */
  readonly method?: string
  /** The URL of the request; that of the response by default. */
  readonly url?: string
  /** The `nonce` of the request. */
  readonly nonce?: string
}

/** A body that the gateway has signed. */
export interface SignedAnswer {
  readonly body: Uint8Array
  /** Unix seconds. */
  readonly created: number
  readonly expires: number
  readonly keyId: string
}

/** Components that an answer must sign if it has them. */
const HEADERS = ['content-digest', 'content-type', 'x-epoch', 'x-ledger', 'x-seq']
const REQUIRED = ['"@status"', '"content-digest"', '"@method";req', '"@target-uri";req']
/** Clocks may differ by this much, seconds. */
const CLOCK_TOLERANCE_SEC = 300

/** Verifies the signature, digest and time of an answer. Reads its body. Throws ProofFailure. */
export async function verifyAnswer(
  response: SignedResponse, keys: readonly LogKey[], nowMs: number, { method = 'GET', url = response.url, nonce }: SignedAnswerOptions,
): Promise<SignedAnswer> {
  const { headers, status } = response
  const input = headers.get('signature-input') ?? ''
  const fail = (fault: ProofFailure['fault'], what: string): ProofFailure =>
    new ProofFailure(fault, `The answer of ${url} is not proven: ${what}.`, [input, headers.get('signature') ?? ''])
  const [, params] = /(?:^|,\s*)pxg=(\([^)]*\)(?:;[a-z]+=(?:\d+|"[^"]*"))*)/.exec(input) ?? []
  const [, signature] = /(?:^|,\s*)pxg=:([A-Za-z0-9+/=]*):/.exec(headers.get('signature') ?? '') ?? []
  if (params === undefined || signature === undefined) throw fail('unsigned', 'it has no signature. Ask for one with Accept-Signature')
  const components = /^\(([^)]*)\)/.exec(params)?.[1]?.split(' ') ?? []
  const parameter = (name: string): string | undefined => new RegExp(`;${name}=(?:(\\d+)|"([^"]*)")`).exec(params)?.slice(1).find((each) => each !== undefined)
  for (const name of [...REQUIRED, ...HEADERS.filter((each) => headers.get(each) !== null).map((each) => `"${each}"`)]) {
    if (!components.includes(name)) throw fail('signature', `the signature does not cover ${name}`)
  }
  const lines = components.map((component) => `${component}: ${valueOf(component)}`)
  const text = [...lines, `"@signature-params": ${params}`].join('\n')
  const keyId = parameter('keyid') ?? ''
  const [created, expires] = [Number(parameter('created')), Number(parameter('expires'))]
  const key = (await Promise.all(keys.map(async (each) => ({ each, id: await thumbprint(each) })))).find(({ id }) => id === keyId)?.each
  if (key === undefined) throw fail('signature', `the key ${keyId} is not known`)
  if (!await isSignedBy(key, decodeBase64(signature) ?? new Uint8Array(), text)) throw fail('signature', 'the signature is wrong')
  const nowSec = nowMs / 1_000
  const isInTime = created - CLOCK_TOLERANCE_SEC <= nowSec && nowSec <= expires + CLOCK_TOLERANCE_SEC
  if (!isInTime || created < (key.nbf ?? 0) || created > (key.exp ?? Infinity)) throw fail('expired', 'the signature or its key is not valid now')
  if (nonce !== undefined && parameter('nonce') !== nonce) throw fail('signature', 'it is the answer to another request')
  const body = new Uint8Array(await response.arrayBuffer())
  const [, digest] = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/=]*):/.exec(headers.get('content-digest') ?? '') ?? []
  const isSigned = isEqual(await sha256(body), decodeBase64(digest ?? '') ?? new Uint8Array())
  if (!isSigned) throw fail('different', 'the body is not the one that was signed')
  return { body, created, expires, keyId }

  function valueOf(component: string): string {
    if (component === '"@status"') return String(status)
    if (component === '"@method";req') return method
    if (component === '"@target-uri";req') return url
    const [, name = ''] = /^"([a-z0-9-]+)"$/.exec(component) ?? []
    const value = headers.get(name)
    if (value === null) throw fail('signature', `it has no ${component}`)
    return value.trim()
  }
}
