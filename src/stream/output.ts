// The bytes to write to one client: bounded, because a client that does not read must not use up memory.

import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import type { Encoding } from './encoding.ts'

/** The writing side of one client's connection. */
export interface Output {
  /** Takes the frames: the socket, or a response on it. */
  readonly stream: Writable
  /** Its `bytesWritten` includes those that wait for the client. */
  readonly socket: Pick<Socket, 'bytesWritten' | 'writableLength'>
  readonly encoding: Encoding
  /** Bytes that may wait for the client. */
  readonly waitingBytes: number
  /** Called instead of a write after which more bytes would wait. */
  readonly overflow: () => void
  /** True when writes are ignored. */
  isClosed: boolean
  /** Number of bytes that the operating system had taken at the last check. */
  takenAtCheck: number
}

export function createOutput(parts: Pick<Output, 'stream' | 'socket' | 'encoding' | 'waitingBytes' | 'overflow'>): Output {
  return { ...parts, isClosed: false, takenAtCheck: -1 }
}

/** Writes whole frames in the output's encoding, or nothing. */
export function writeTo(output: Output, bytes: Buffer): void {
  const { stream, waitingBytes, isClosed } = output
  if (isClosed) return
  if (fits(stream, bytes, waitingBytes)) stream.write(bytes)
  else output.overflow()
}

/**
 * The same for many open outputs, each with its stream. The objects of most clients are not in the processor's cache: each one read on the way to the stream
 * would cost a twentieth of the write.
 */
export function writeToAll(outputs: ReadonlyMap<Output, Writable>, bytes: Buffer, waitingBytes: number): void {
  outputs.forEach((stream, output) => {
    if (fits(stream, bytes, waitingBytes)) stream.write(bytes)
    else output.overflow()
  })
}

function fits(stream: Writable, bytes: Buffer, waitingBytes: number): boolean {
  return stream.writableLength + bytes.length <= waitingBytes
}

/** Resolves when the client accepts more data, or the signal aborts. */
export async function drained({ stream }: Output, signal: AbortSignal): Promise<void> {
  if (!stream.writableNeedDrain || signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.removeListener('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    stream.on('drain', done)
    signal.addEventListener('abort', done)
  })
}

/** True when data waits for the client, which has taken nothing since the previous call. */
export function isStuck(output: Output): boolean {
  const { stream, socket } = output
  const taken = socket.bytesWritten - socket.writableLength
  if (stream.writableNeedDrain && taken <= output.takenAtCheck) return true
  output.takenAtCheck = taken
  return false
}
