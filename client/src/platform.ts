// The parts of the platform that the client uses: Node 22 or later, browsers, Deno and Bun have all of it. Declared by shape, so that the client compiles
// without the types of any of them and callers can pass their own.

/** The part of `Response` that the client reads. */
export interface ResponseLike {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
  /** For files. */
  arrayBuffer?(): Promise<ArrayBuffer>
}

/** The part of `fetch` that the client uses. */
export type FetchLike = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal; redirect: 'error' },
) => Promise<ResponseLike>

/** The part of `WebSocket` that the client uses. */
export interface WebSocketLike {
  /** 1 while messages can be sent. */
  readonly readyState?: number
  send(text: string): void
  close(code?: number): void
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: never) => void): void
}

export type WebSocketConstructor = new (url: string) => WebSocketLike

interface CryptoKeyLike {
  readonly type: string
}

/** The part of WebCrypto that the client uses. */
interface SubtleLike {
  digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer>
  importKey(format: 'raw', data: Uint8Array, algorithm: 'Ed25519', extractable: boolean, usages: readonly string[]): Promise<CryptoKeyLike>
  verify(algorithm: 'Ed25519', key: CryptoKeyLike, signature: Uint8Array, data: Uint8Array): Promise<boolean>
  importKey(format: 'pkcs8', data: Uint8Array, algorithm: 'Ed25519', extractable: boolean, usages: readonly string[]): Promise<CryptoKeyLike>
  exportKey(format: 'jwk', key: CryptoKeyLike): Promise<{ readonly x?: string }>
  sign(algorithm: 'Ed25519', key: CryptoKeyLike, data: Uint8Array): Promise<ArrayBuffer>
}

interface Platform {
  readonly fetch: FetchLike
  readonly WebSocket?: WebSocketConstructor
  readonly crypto?: { readonly subtle?: SubtleLike }
  atob(text: string): string
  btoa(bytes: string): string
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

/** The part of `globalThis` that the client uses. */
export const platform = globalThis as unknown as Platform

/** WebCrypto. Throws on a page that was not loaded over https, where browsers disable it. */
export function subtleCrypto(): SubtleLike {
  const subtle = platform.crypto?.subtle
  if (subtle === undefined) throw new Error('WebCrypto is not available. In a browser it requires https or localhost.')
  return subtle
}

export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await subtleCrypto().digest('SHA-256', bytes))
}
