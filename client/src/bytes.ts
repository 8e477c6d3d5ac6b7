// Bytes as texts, and back.

import { platform } from './platform.ts'

export function toBase64(bytes: Uint8Array): string {
  return platform.btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Throws for what is not canonical base64. */
export function fromBase64(text: string): Uint8Array {
  const bytes = Uint8Array.from(platform.atob(text), (char) => char.charCodeAt(0))
  if (toBase64(bytes) !== text) throw new Error('not base64')
  return bytes
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Throws unless `text` is exactly that many bytes in hex. */
export function fromHex(text: string, length: number): Uint8Array {
  if (text.length !== length * 2 || !/^[0-9a-f]*$/i.test(text)) throw new Error(`not ${length} bytes in hex`)
  return Uint8Array.from({ length }, (_none, at) => Number.parseInt(text.slice(at * 2, at * 2 + 2), 16))
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
