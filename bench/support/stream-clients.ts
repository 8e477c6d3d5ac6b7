// Many WebSocket clients that only count what comes: the cheapest ones there can be, so that the server is what is measured.

import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface StreamClients extends Disposable {
  /** Sends a text to the server on every connection. */
  send(text: string): void
  /** Resolves when every client has had `frames` more frames than at the last call. */
  receive(frames: number): Promise<void>
  /** The first client's last frame. */
  lastText(): string
}

/** Opens so many connections, some at a time. */
export async function openStreamClients(port: number, count: number): Promise<StreamClients> {
  const clients: Listener[] = []
  let wanted = 0
  let missing = 0
  let done = Promise.withResolvers<void>()
  const onFrame = (frames: number): void => {
    if (frames === wanted && --missing === 0) done.resolve()
  }
  while (clients.length < count) {
    const opening = Array.from({ length: Math.min(OPENED_AT_ONCE, count - clients.length) }, () => openListener(port, onFrame))
    clients.push(...(await Promise.all(opening)))
  }
  return {
    send: (text) => clients.forEach(({ socket }) => socket.write(maskedText(text))),
    async receive(frames) {
      wanted += frames
      missing = clients.filter((client) => client.frames() < wanted).length
      done = Promise.withResolvers<void>()
      if (missing > 0) await done.promise
    },
    lastText: () => clients[0]?.lastText() ?? '',
    [Symbol.dispose]: () => clients.forEach(({ socket }) => socket.destroy()),
  }
}

const OPENED_AT_ONCE = 50

const UPGRADE = [
  'GET /v1/ws HTTP/1.1', 'Host: bench', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13',
  '', '',
].join('\r\n')

interface Listener {
  readonly socket: Socket
  frames(): number
  lastText(): string
}

async function openListener(port: number, onFrame: (frames: number) => void): Promise<Listener> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(UPGRADE)
  let rest: Buffer = Buffer.alloc(0)
  let last: Buffer = rest
  let frames = 0
  const upgraded = Promise.withResolvers<void>()
  let isOpen = false
  socket.on('data', (data: Buffer) => {
    let bytes = rest.length === 0 ? data : Buffer.concat([rest, data])
    if (!isOpen) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end !== -1) {
        isOpen = true
        bytes = bytes.subarray(end + 4)
        upgraded.resolve()
      }
    }
    for (let size = isOpen ? frameSize(bytes) : undefined; size !== undefined && bytes.length >= size.whole; size = frameSize(bytes)) {
      last = bytes.subarray(size.header, size.whole)
      bytes = bytes.subarray(size.whole)
      onFrame(++frames)
    }
    rest = bytes
  })
  socket.on('error', () => {})
  await upgraded.promise
  return { socket, frames: () => frames, lastText: () => last.toString() }
}

/** Of an unmasked frame below 64 KiB. */
function frameSize(bytes: Buffer): { readonly header: number; readonly whole: number } | undefined {
  if (bytes.length < 4) return undefined
  const short = bytes.readUInt8(1)
  return short < 126 ? { header: 2, whole: 2 + short } : { header: 4, whole: 4 + bytes.readUInt16BE(2) }
}

/** Masked with zeroes, which changes nothing. */
function maskedText(text: string): Buffer {
  if (text.length > 125) throw new Error('short texts only')
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}
