// Encodes frames for a client: as WebSocket frames, or as server-sent events. Both carry the same JSON.

import type { Frame } from './frames.ts'
import { payloadOf, textFrame } from './wire.ts'

/** A position in the log. */
export interface Position {
  /** The name of its epoch. */
  readonly epoch: string
  readonly seq: number
}

export interface Encoding {
  readonly name: string
  /** Encodes frames in the order of delivery. They must include all frames of their last position that the client receives. */
  frames(frames: readonly Frame[]): Buffer
  /** Encodes a message. `position` is where delivery of the log continues after it. */
  message(text: string, position?: Position): Buffer
}

export const WEB_SOCKET_FRAMES: Encoding = {
  name: 'ws',
  frames([first, ...more]) {
    if (first === undefined) return NOTHING
    return more.length === 0 ? first.bytes() : Buffer.concat([first, ...more].map((frame) => frame.bytes()))
  },
  message: textFrame,
}

/** An event's id is the position to resume from. Frames with the same seq share a position: only the last one has the id, so that none of them is lost. */
export const SERVER_SENT_EVENTS: Encoding = {
  name: 'sse',
  frames(frames) {
    const later = new Set<number | undefined>()
    const reversed = frames.toReversed().flatMap((frame) => {
      const position = later.has(frame.seq) ? undefined : positionOf(frame)
      later.add(frame.seq)
      return [END, payloadOf(frame.bytes()), DATA, idLine(position)]
    })
    return Buffer.concat(reversed.reverse())
  },
  message: (text, position) => Buffer.concat([idLine(position), DATA, Buffer.from(text), END]),
}

const NOTHING = Buffer.alloc(0)
const DATA = Buffer.from('data: ')
const END = Buffer.from('\n\n')

function idLine(position: Position | undefined): Buffer {
  return position === undefined ? NOTHING : Buffer.from(`id: ${position.epoch}:${position.seq}\n`)
}

function positionOf({ epoch, seq }: Frame): Position | undefined {
  return epoch === undefined || seq === undefined ? undefined : { epoch, seq }
}
