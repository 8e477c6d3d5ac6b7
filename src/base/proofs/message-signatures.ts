// Signatures of HTTP messages: RFC 9421, for answers only, with the digest of RFC 9530.

import { sign } from 'node:crypto'
import type { SigningKey } from './signing.ts'
import { sha256 } from './tree.ts'

/** A component of a message that a signature covers. */
export interface Component {
  /** The name of a header field in lower case, or a derived component such as `@status`. */
  readonly name: string
  /** True for a component of the request. */
  readonly isOfRequest: boolean
}

/** What a request asks to be signed. */
export interface RequestedSignature {
  readonly components: readonly Component[]
  readonly nonce: string | null
}

/** A component with its value. */
export interface SignedComponent extends Component {
  readonly value: string
}

/** The parameters of a signature, in the order in which they are sent. */
export interface SignatureParameters {
  /** Unix seconds. */
  readonly created: number
  readonly expires?: number
  readonly keyId: string
  readonly alg?: 'ed25519'
  readonly nonce?: string
}

/** A longer header asks for nothing that is served. */
const ACCEPT_SIGNATURE_MAX_LENGTH = 1_024
const MEMBER = /(?:^|,)[ \t]*pxg=\(([^()]*)\)((?:;[a-z]+(?:=(?:"[^"\\]*"|\d{1,15}))?)*)[ \t]*(?=,|$)/
const ITEM = /^"([@a-z0-9-]+)"(;req)?$/

/**
 * What the member `pxg` of Accept-Signature asks for. Undefined when there is none, when it is malformed, and when it asks for another algorithm: the answer
 * is then not signed, as RFC 9421 allows.
 */
export function parseAcceptSignature(header: string): RequestedSignature | undefined {
  const [, list, parameters = ''] = (header.length > ACCEPT_SIGNATURE_MAX_LENGTH ? null : MEMBER.exec(header)) ?? []
  if (list === undefined) return undefined
  const items = list.split(' ').filter((item) => item !== '').map((item) => ITEM.exec(item))
  const components = items.flatMap((match) => (match?.[1] === undefined ? [] : [{ name: match[1], isOfRequest: match[2] !== undefined }]))
  const isRepeated = new Set(components.map(identifierOf)).size < components.length
  const alg = /;alg="([^"]*)"/.exec(parameters)?.[1]
  if (components.length < items.length || isRepeated || (alg !== undefined && alg !== 'ed25519')) return undefined
  return { components, nonce: /;nonce="([^"]*)"/.exec(parameters)?.[1] ?? null }
}

function identifierOf({ name, isOfRequest }: Component): string {
  return `"${name}"${isOfRequest ? ';req' : ''}`
}

/** The value of Signature-Input for a label's signature, without the label. */
export function signatureInput(components: readonly Component[], { created, expires, keyId, alg, nonce }: SignatureParameters): string {
  return `(${components.map(identifierOf).join(' ')});created=${created}` + (expires === undefined ? '' : `;expires=${expires}`) +
    `;keyid="${keyId}"` + (alg === undefined ? '' : `;alg="${alg}"`) + (nonce === undefined ? '' : `;nonce="${nonce}"`)
}

/** The text that is signed: one line for each component, and the value of Signature-Input. */
export function signatureBase(components: readonly SignedComponent[], input: string): string {
  return [...components.map((component) => `${identifierOf(component)}: ${component.value}`), `"@signature-params": ${input}`].join('\n')
}

/** The signature of a base, as a member's value. */
export function signBase(base: string, { privateKey }: Pick<SigningKey, 'privateKey'>): string {
  return `:${sign(null, Buffer.from(base), privateKey).toString('base64')}:`
}

/** The value of Content-Digest, RFC 9530. */
export function contentDigest(content: string | Uint8Array): string {
  return `sha-256=:${Buffer.from(sha256(Buffer.from(content))).toString('base64')}:`
}
