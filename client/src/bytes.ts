// Conversions between bytes and text.

import { platform } from './platform.ts'

export function toBase64(bytes: Uint8Array): string {
  return platform.btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Throws unless `text` is canonical base64. */
export function fromBase64(text: string): Uint8Array {
  const bytes = Uint8Array.from(platform.atob(text), (char) => char.charCodeAt(0))
  if (toBase64(bytes) !== text) throw new Error('not base64')
  return bytes
}

/** The bytes of canonical base64; null for anything else. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    return fromBase64(text)
  } catch {
    return null
  }
}

export function fromBase64Url(text: string): Uint8Array {
  return Uint8Array.from(platform.atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Throws unless `text` is exactly `length` bytes in hex. */
export function fromHex(text: string, length: number): Uint8Array {
  if (text.length !== length * 2 || !/^[0-9a-f]*$/i.test(text)) throw new Error(`not ${length} bytes in hex`)
  return Uint8Array.from({ length }, (_, index) => Number.parseInt(text.slice(index * 2, index * 2 + 2), 16))
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}
