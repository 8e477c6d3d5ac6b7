// Writes XDR directly to bytes. The same values appear in several places (an event is in the meta, the diagnostics and the archive), and
// encoded bytes can be copied from one value into the next. Incoming XDR is decoded by the SDK, which is strict.

export interface XdrWriter {
  buffer: Buffer
  length: number
}

const INITIAL_CAPACITY_BYTES = 256

function reserve(writer: XdrWriter, byteCount: number): number {
  const start = writer.length
  const end = start + byteCount
  if (end > writer.buffer.length) {
    const larger = Buffer.allocUnsafe(Math.max(end, writer.buffer.length * 2))
    writer.buffer.copy(larger, 0, 0, start)
    writer.buffer = larger
  }
  writer.length = end
  return start
}

/** The bytes that `write` produces. */
export function encode(write: (writer: XdrWriter) => void): Uint8Array {
  const writer: XdrWriter = { buffer: Buffer.allocUnsafe(INITIAL_CAPACITY_BYTES), length: 0 }
  write(writer)
  return new Uint8Array(writer.buffer.subarray(0, writer.length))
}

/** An unsigned integer of 32 bits; also a union's discriminant and an array's length. */
export function putU32(writer: XdrWriter, value: number): void {
  const start = reserve(writer, 4)
  writer.buffer.writeUInt32BE(value, start)
}

export function putI32(writer: XdrWriter, value: number): void {
  const start = reserve(writer, 4)
  writer.buffer.writeInt32BE(value, start)
}

export function putU64(writer: XdrWriter, value: bigint): void {
  const start = reserve(writer, 8)
  writer.buffer.writeBigUInt64BE(value, start)
}

export function putI64(writer: XdrWriter, value: bigint): void {
  const start = reserve(writer, 8)
  writer.buffer.writeBigInt64BE(value, start)
}

export function putBool(writer: XdrWriter, value: boolean): void {
  putU32(writer, value ? 1 : 0)
}

/** Encoded XDR, or fixed-length opaque data whose length is a multiple of four. */
export function putBytes(writer: XdrWriter, bytes: Uint8Array): void {
  const start = reserve(writer, bytes.length)
  writer.buffer.set(bytes, start)
}

/** Variable-length opaque data or a string: length, bytes, padding to a multiple of four. */
export function putOpaque(writer: XdrWriter, bytes: Uint8Array): void {
  putU32(writer, bytes.length)
  putBytes(writer, bytes)
  const padding = (4 - (bytes.length % 4)) % 4
  const start = reserve(writer, padding)
  writer.buffer.fill(0, start, start + padding)
}

export function putText(writer: XdrWriter, text: string): void {
  putOpaque(writer, Buffer.from(text, 'utf8'))
}

/** An array of encoded values. */
export function putArray(writer: XdrWriter, items: readonly Uint8Array[]): void {
  putU32(writer, items.length)
  for (const item of items) putBytes(writer, item)
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

export function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'))
}

export function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'))
}
