// Many WebSocket clients that only count frames. They are as cheap as possible, so that the measurement shows the server.

import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface StreamClients extends Disposable {
  /** Sends a text to the server on every connection. */
  send(text: string): void
  /** Resolves when every client has received this many frames in addition to those of earlier calls. */
  receive(frames: number): Promise<void>
  /** The first client's last frame. */
  lastText(): string
}

/** Opens `count` connections in batches. */
export async function openStreamClients(port: number, count: number): Promise<StreamClients> {
  const clients: Client[] = []
  let expected = 0
  let incomplete = 0
  let complete = Promise.withResolvers<void>()
  const onFrame = (frames: number): void => {
    if (frames === expected && --incomplete === 0) complete.resolve()
  }
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(CONNECT_BATCH, count - clients.length) }, () => openClient(port, onFrame))
    clients.push(...(await Promise.all(batch)))
  }
  return {
    send: (text) => clients.forEach(({ socket }) => socket.write(maskedText(text))),
    async receive(frames) {
      expected += frames
      incomplete = clients.filter((client) => client.frames() < expected).length
      complete = Promise.withResolvers<void>()
      if (incomplete > 0) await complete.promise
    },
    lastText: () => clients[0]?.lastText() ?? '',
    [Symbol.dispose]: () => clients.forEach(({ socket }) => socket.destroy()),
  }
}

const CONNECT_BATCH = 50

const UPGRADE = [
  'GET /v1/ws HTTP/1.1', 'Host: bench', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13',
  '', '',
].join('\r\n')

interface Client {
  readonly socket: Socket
  frames(): number
  lastText(): string
}

async function openClient(port: number, onFrame: (frames: number) => void): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(UPGRADE)
  let unread: Buffer = Buffer.alloc(0)
  let last: Buffer = unread
  let frames = 0
  const upgraded = Promise.withResolvers<void>()
  let isOpen = false
  socket.on('data', (data: Buffer) => {
    let bytes = unread.length === 0 ? data : Buffer.concat([unread, data])
    if (!isOpen) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end !== -1) {
        isOpen = true
        bytes = bytes.subarray(end + 4)
        upgraded.resolve()
      }
    }
    for (let size = isOpen ? frameSize(bytes) : undefined; size !== undefined && bytes.length >= size.total; size = frameSize(bytes)) {
      last = bytes.subarray(size.header, size.total)
      bytes = bytes.subarray(size.total)
      onFrame(++frames)
    }
    unread = bytes
  })
  socket.on('error', () => {})
  await upgraded.promise
  return { socket, frames: () => frames, lastText: () => last.toString() }
}

/** The sizes of an unmasked frame below 64 KiB. Undefined if its header is incomplete. */
function frameSize(bytes: Buffer): { readonly header: number; readonly total: number } | undefined {
  if (bytes.length < 4) return undefined
  const short = bytes.readUInt8(1)
  return short < 126 ? { header: 2, total: 2 + short } : { header: 4, total: 4 + bytes.readUInt16BE(2) }
}

/** A text frame masked with zeros, which leaves the text unchanged. */
function maskedText(text: string): Buffer {
  if (text.length > 125) throw new Error('Text must not exceed 125 bytes')
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}
