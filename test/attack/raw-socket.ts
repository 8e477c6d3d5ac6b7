// A WebSocket client without a library: tests control every byte, for frames that no library sends.

import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** Opcodes (RFC 6455, section 5.2). */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface RawSocket {
  readonly socket: Socket
  /** Received text frames. */
  readonly texts: readonly string[]
  /** Resolves with the code and reason of the close frame, or with null when the connection closed without one. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string } | null>
  /** Sends one frame; final and masked by default. */
  send(opcode: number, payload: Buffer | string, how?: { readonly final?: boolean; readonly masked?: boolean; readonly reserved?: boolean }): void
}

/** Connects and upgrades; `headers` are further header lines, each with its end. The socket responds neither to pings nor to closes. */
export async function openRawSocket(url: string, headers = ''): Promise<RawSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const texts: string[] = []
  let close: { code: number; reason: string } | null = null
  let buffered: Buffer = Buffer.alloc(0)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const key = 'dGhlIHNhbXBsZSBub25jZQ=='
  socket.write(
    `GET /v1/ws HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n${headers}\r\n`,
  )
  let upgraded = false
  const closed = new Promise<{ code: number; reason: string } | null>((resolve) => socket.on('close', () => resolve(close)))
  const ready = new Promise<void>((resolve) => {
    socket.on('data', (data: Buffer) => {
      buffered = Buffer.concat([buffered, data])
      if (!upgraded) {
        const end = buffered.indexOf('\r\n\r\n')
        if (end === -1) return
        upgraded = true
        buffered = buffered.subarray(end + 4)
        resolve()
      }
      for (let frame = takeFrame(buffered); frame !== undefined; frame = takeFrame(buffered)) {
        buffered = buffered.subarray(frame.length)
        if (frame.opcode === OPCODE.text) texts.push(frame.payload.toString())
        if (frame.opcode === OPCODE.close) close = { code: frame.payload.readUInt16BE(0), reason: frame.payload.subarray(2).toString() }
      }
    })
    socket.on('close', () => resolve())
  })
  await ready
  return {
    socket, texts, closed,
    send(opcode, payload, how = {}) {
      if (socket.writable) socket.write(clientFrame(opcode, typeof payload === 'string' ? Buffer.from(payload) : payload, how))
    },
  }
}

interface ServerFrame {
  readonly opcode: number
  readonly payload: Buffer
  /** The length of the whole frame. */
  readonly length: number
}

/** The first complete frame, if any. */
function takeFrame(bytes: Buffer): ServerFrame | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes.readUInt8(1) & 0x7f
  const header = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < header) return undefined
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (bytes.length < header + length) return undefined
  return { opcode: bytes.readUInt8(0) & 0x0f, payload: bytes.subarray(header, header + length), length: header + length }
}

const MASK = Buffer.from([1, 2, 3, 4])

function clientFrame(opcode: number, payload: Buffer, how: { readonly final?: boolean; readonly masked?: boolean; readonly reserved?: boolean }): Buffer {
  const { final = true, masked = true, reserved = false } = how
  const first = (final ? 0x80 : 0) | (reserved ? 0x40 : 0) | opcode
  const bit = masked ? 0x80 : 0
  const length = Buffer.alloc(payload.length < 126 ? 1 : payload.length < 65_536 ? 3 : 9)
  if (length.length === 1) length.writeUInt8(bit | payload.length)
  if (length.length === 3) {
    length.writeUInt8(bit | 126)
    length.writeUInt16BE(payload.length, 1)
  }
  if (length.length === 9) {
    length.writeUInt8(bit | 127)
    length.writeBigUInt64BE(BigInt(payload.length), 1)
  }
  const body = masked ? payload.map((byte, index) => byte ^ (MASK[index % 4] ?? 0)) : payload
  return Buffer.concat([Buffer.from([first]), length, ...(masked ? [MASK] : []), body])
}
