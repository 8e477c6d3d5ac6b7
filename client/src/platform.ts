// What the client takes from wherever it runs: Node from 20 on, browsers, Deno and Bun have all of these. Named here by their shapes, so that the types of
// none of the four are needed, and each can be given by the caller instead.

/** An answer, as far as it is read here; every `Response` is one. */
export interface ResponseLike {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** `fetch`, as far as it is used here. */
export type FetchLike = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal; redirect: 'error' },
) => Promise<ResponseLike>

/** A WebSocket, as far as it is used here; a browser's and that of the package `ws` are such. */
export interface WebSocketLike {
  send(text: string): void
  close(code?: number): void
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: never) => void): void
}

export type WebSocketConstructor = new (url: string) => WebSocketLike

interface CryptoKeyLike {
  readonly type: string
}

/** The part of WebCrypto that is used here. */
interface SubtleLike {
  digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer>
  importKey(format: 'pkcs8', data: Uint8Array, algorithm: 'Ed25519', extractable: boolean, usages: readonly string[]): Promise<CryptoKeyLike>
  exportKey(format: 'jwk', key: CryptoKeyLike): Promise<{ readonly x?: string }>
  sign(algorithm: 'Ed25519', key: CryptoKeyLike, data: Uint8Array): Promise<ArrayBuffer>
}

interface Platform {
  readonly fetch: FetchLike
  readonly WebSocket?: WebSocketConstructor
  readonly crypto?: { readonly subtle?: SubtleLike; getRandomValues(bytes: Uint8Array): Uint8Array }
  atob(text: string): string
  btoa(bytes: string): string
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

/** The names of `globalThis`, as far as they are used here. */
export const platform = globalThis as unknown as Platform

/** WebCrypto; throws where a page has none because it was not loaded over https. */
export function subtleCrypto(): SubtleLike {
  const subtle = platform.crypto?.subtle
  if (subtle === undefined) throw new Error('There is no WebCrypto here: a page has it only over https or on localhost.')
  return subtle
}

/** SHA-256. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await subtleCrypto().digest('SHA-256', bytes))
}

/** Bytes that nobody can foresee. */
export function chance(length: number): Uint8Array {
  if (platform.crypto === undefined) throw new Error('There is no WebCrypto here.')
  return platform.crypto.getRandomValues(new Uint8Array(length))
}
