// Many clients of the stream in one process, as cheap as possible. Each follows all events, checks that it receives every frame once and in order, and
// after a disconnect resumes at another instance.

import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { defined } from '../../src/base/assert.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { serveParent } from '../support/in-child.ts'
import { machineMs } from '../support/machine-clock.ts'

/** Counts of what the clients of this process have seen. */
export interface CrowdCounts {
  readonly frames: number
  readonly lost: number
  readonly repeated: number
  /** Gaps that a server announced, and refused connections. */
  readonly refused: number
}

const CONNECT_BATCH = 100
/** A client reconnects after a random delay below this one, as the published client does. */
const RECONNECT_MAX_MS = 500

const random = createSystemRandom()
const counts = { frames: 0, lost: 0, repeated: 0, refused: 0 }
const clients: { readonly position: () => number; readonly close: () => void }[] = []
let port = 0
let waiting = 0
let allLive = Promise.withResolvers<number>()
let wanted = Infinity
let complete = Promise.withResolvers<void>()

serveParent(
  {
    /** Opens clients with addresses of their own behind one proxy. Resolves when all are live. */
    async open(options: { readonly port: number; readonly count: number; readonly firstAddress: number }): Promise<void> {
      port = options.port
      for (let index = 0; index < options.count; index++) {
        openClient(options.firstAddress + index)
        if (index % CONNECT_BATCH === CONNECT_BATCH - 1) await allLive.promise
      }
      if (waiting > 0) await allLive.promise
    },
    /** Sets the port to which clients connect after the next disconnect. Returns at once; `resumed` waits. */
    moveTo(next: number): void {
      port = next
      waiting = clients.length
      allLive = Promise.withResolvers()
    },
    /** The time at which the last client was live again, on the clock that all processes share. */
    resumed: () => allLive.promise,
    /** Resolves when every client has received everything up to this seq. */
    async received(seq: number): Promise<CrowdCounts> {
      wanted = seq
      complete = Promise.withResolvers()
      checkComplete()
      await complete.promise
      return counts
    },
  },
  () => {
    for (const client of clients) client.close()
    return Promise.resolve()
  },
)

function checkComplete(): void {
  if (clients.every(({ position }) => position() >= wanted)) complete.resolve()
}

function openClient(address: number): void {
  const upgrade = upgradeRequest(`10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`)
  let position = 0
  let epoch = ''
  /** The seq from which on the client is live; undefined before the server has named it. */
  let liveFrom: number | undefined
  let isLive = false
  let closed = false
  let socket: Socket | undefined
  if (waiting++ === 0) allLive = Promise.withResolvers()

  function checkLive(): void {
    if (isLive || liveFrom === undefined || position < liveFrom) return
    isLive = true
    if (--waiting === 0) allLive.resolve(machineMs())
  }

  function take(frame: Buffer): void {
    // Checking the first characters costs less than parsing the frame.
    const [, seq, prev] = LOG_FRAME.exec(frame.toString('latin1', 0, LOG_FRAME_START)) ?? []
    if (seq === undefined) {
      takeMessage(JSON.parse(frame.toString()) as Message)
      return
    }
    counts.frames++
    if (Number(prev) > position) counts.lost++
    if (Number(seq) <= position) counts.repeated++
    position = Number(seq)
    checkLive()
    if (position >= wanted) checkComplete()
  }

  function takeMessage(message: Message): void {
    if (message.type === 'hello') {
      // The first connection starts at the head, later ones resume.
      if (epoch === '') position = message.head ?? 0
      epoch = message.epoch ?? ''
      socket?.write(maskedText(JSON.stringify({ op: 'subscribe', channels: ['events'], since: position, epoch })))
    }
    if (message.type === 'subscribed') liveFrom = message.heads?.['events'] ?? 0
    if (message.type === 'gap') counts.refused++
    checkLive()
  }

  function open(): void {
    isLive = false
    liveFrom = undefined
    const opened = connect({ port, host: '127.0.0.1', noDelay: true })
    socket = opened
    opened.write(upgrade)
    opened.on('data', createFrameReader(take))
    opened.on('error', () => {})
    opened.on('close', () => {
      if (closed) return
      if (!isLive) counts.refused++
      setTimeout(open, random.integer(RECONNECT_MAX_MS))
    })
  }

  open()
  clients.push({
    position: () => position,
    close() {
      closed = true
      socket?.destroy()
    },
  })
}

interface Message {
  readonly type?: string
  readonly epoch?: string
  readonly head?: number
  readonly heads?: Readonly<Record<string, number>>
}

const LOG_FRAME = /^\{"channel":"events","seq":(\d+),"prev":(\d+)/
/** Longer than the start of a frame with two large numbers. */
const LOG_FRAME_START = 80

function upgradeRequest(address: string): string {
  return [
    'GET /v1/ws HTTP/1.1', 'Host: 127.0.0.1', `X-Forwarded-For: ${address}`, 'Upgrade: websocket', 'Connection: Upgrade',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13', '', '',
  ].join('\r\n')
}

/** Splits what a socket receives into the texts of its frames, after the response to the upgrade. Answers pings. */
function createFrameReader(take: (text: Buffer) => void): (this: Socket, data: Buffer) => void {
  let unread: Buffer | undefined
  let isOpen = false
  return function read(data) {
    let bytes = unread === undefined ? data : Buffer.concat([unread, data])
    if (!isOpen) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end !== -1) {
        isOpen = true
        bytes = bytes.subarray(end + 4)
      }
    }
    let from = 0
    for (let size = isOpen ? frameSize(bytes, from) : undefined; size !== undefined && bytes.length >= size.end; size = frameSize(bytes, from)) {
      const opcode = defined(bytes[from], 'a byte') & 0x0f
      if (opcode === TEXT) take(bytes.subarray(size.start, size.end))
      if (opcode === PING) this.write(PONG)
      from = size.end
    }
    unread = from === bytes.length ? undefined : bytes.subarray(from)
  }
}

const TEXT = 1
const PING = 9
/** An empty masked pong. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

/** The position of an unmasked frame below 64 KiB. Undefined when its header is incomplete. */
function frameSize(bytes: Buffer, from: number): { readonly start: number; readonly end: number } | undefined {
  if (bytes.length < from + 2) return undefined
  const short = bytes.readUInt8(from + 1)
  if (short < 126) return { start: from + 2, end: from + 2 + short }
  return bytes.length < from + 4 ? undefined : { start: from + 4, end: from + 4 + bytes.readUInt16BE(from + 2) }
}

/** A short text frame masked with zeros, which leaves the text unchanged. */
function maskedText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}
