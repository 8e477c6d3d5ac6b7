// A WebSocket over node:http, for Node 20, which has none of its own: text frames both ways, pings answered, nothing else.

import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { concat, toBase64 } from '../bytes.ts'
import { chance } from '../platform.ts'
import type { WebSocketConstructor, WebSocketLike } from '../platform.ts'

type Kind = 'open' | 'message' | 'close' | 'error'
type Listener = (event: object) => void

const OPCODE = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 }
/** More than any frame of the gateway; what claims to be longer ends the connection. */
const MESSAGE_MAX_BYTES = 16 * 1024 * 1024

function connect(url: string): WebSocketLike {
  const listeners: Record<Kind, Set<Listener>> = { open: new Set(), message: new Set(), close: new Set(), error: new Set() }
  let socket: Duplex | null = null
  let isClosed = false
  const tell = (kind: Kind, event: object): void => listeners[kind].forEach((listener) => listener(event))

  function end(code: number, reason: string): void {
    if (isClosed) return
    isClosed = true
    socket?.destroy()
    request.destroy()
    tell('close', { code, reason })
  }

  function write(opcode: number, payload: Uint8Array): void {
    socket?.write(frame(opcode, payload))
  }

  const { protocol, host } = new URL(url)
  const ask = protocol === 'wss:' ? httpsRequest : httpRequest
  const request = ask(url.replace(/^ws/, 'http'), {
    headers: { host, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': toBase64(chance(16)) },
  })
  request.on('error', (error: Error) => end(1006, error.message))
  request.on('response', (response: IncomingMessage) => end(1006, `the gateway answered ${response.statusCode ?? 0}`))
  request.on('upgrade', (_response: IncomingMessage, upgraded: Duplex, head: Uint8Array) => {
    socket = upgraded
    const read = createReader({
      onText: (text) => tell('message', { data: text }),
      onPing: (payload) => write(OPCODE.pong, payload),
      onClose: (code, reason) => end(code, reason),
    })
    upgraded.on('data', (bytes: Uint8Array) => read(bytes))
    upgraded.on('error', (error: Error) => end(1006, error.message))
    upgraded.on('close', () => end(1006, 'the connection ended'))
    tell('open', {})
    if (head.length > 0) read(head)
  })
  request.end()
  return {
    send: (text) => write(OPCODE.text, new TextEncoder().encode(text)),
    close() {
      write(OPCODE.close, Uint8Array.of(3, 232))
      end(1000, '')
    },
    addEventListener: (kind, listener) => void listeners[kind].add(listener as unknown as Listener),
  }
}

/** It is called with `new`, as every WebSocket is. */
export const NodeWebSocket = function NodeWebSocket(url: string): WebSocketLike {
  return connect(url)
} as unknown as WebSocketConstructor

/** A client's frame: masked, as the protocol asks of clients. */
function frame(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload
  const bytesOf = (count: number): number[] => Array.from({ length: count }, (_none, at) => Math.floor(length / 256 ** (count - 1 - at)) % 256)
  const lengths = length < 126 ? [length] : length < 65_536 ? [126, ...bytesOf(2)] : [127, ...bytesOf(8)]
  const mask = chance(4)
  const head = [0x80 | opcode, 0x80 | (lengths[0] ?? 0), ...lengths.slice(1), ...mask]
  const bytes = new Uint8Array(head.length + length)
  bytes.set(head)
  payload.forEach((byte, at) => {
    bytes[head.length + at] = byte ^ (mask[at % 4] ?? 0)
  })
  return bytes
}

interface Heard {
  onText(text: string): void
  onPing(payload: Uint8Array): void
  onClose(code: number, reason: string): void
}

/** Takes bytes as they come, and tells the frames that they make. */
function createReader(heard: Heard): (bytes: Uint8Array) => void {
  let held: Uint8Array = new Uint8Array(0)
  let parts: Uint8Array[] = []
  const decoder = new TextDecoder()

  /** The first frame of what is held; null when it is not all there. */
  function take(): { readonly opcode: number; readonly isLast: boolean; readonly payload: Uint8Array } | null {
    if (held.length < 2) return null
    const view = new DataView(held.buffer, held.byteOffset, held.length)
    const short = view.getUint8(1) & 0x7f
    const headLength = short === 126 ? 4 : short === 127 ? 10 : 2
    if (held.length < headLength) return null
    const length = short === 126 ? view.getUint16(2) : short === 127 ? Number(view.getBigUint64(2)) : short
    if (length > MESSAGE_MAX_BYTES) throw new RangeError('a frame that is too long')
    if (held.length < headLength + length) return null
    const payload = held.slice(headLength, headLength + length)
    const first = view.getUint8(0)
    held = held.slice(headLength + length)
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload }
  }

  function handle(opcode: number, isLast: boolean, payload: Uint8Array): void {
    if (opcode === OPCODE.ping) heard.onPing(payload)
    else if (opcode === OPCODE.close) heard.onClose(payload.length < 2 ? 1005 : new DataView(payload.buffer).getUint16(0), decoder.decode(payload.subarray(2)))
    else if (opcode === OPCODE.text || opcode === OPCODE.continuation) {
      parts.push(payload)
      if (!isLast) return
      const whole = parts.length === 1 ? payload : concat(...parts)
      parts = []
      heard.onText(decoder.decode(whole))
    }
  }

  return (bytes) => {
    held = held.length === 0 ? bytes.slice() : concat(held, bytes)
    try {
      for (let next = take(); next !== null; next = take()) handle(next.opcode, next.isLast, next.payload)
    } catch (error) {
      heard.onClose(1009, String(error))
    }
  }
}
