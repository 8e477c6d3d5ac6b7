// What is written to one client: bounded, because a client that does not read must not use up memory.

import type { Writable } from 'node:stream'

export interface Output {
  /** Writes whole frames; false, and writes nothing, when more bytes than the limit would wait for the client. */
  write(bytes: Buffer): boolean
  /** Resolves when the client accepts more data, or the signal aborts. */
  drained(signal: AbortSignal): Promise<void>
  /** Bytes written and not yet passed to the operating system. */
  bufferedBytes(): number
  /** Whether data waits for the client, which has taken nothing since the previous call. */
  isStuck(): boolean
}

export function createOutput(stream: Writable, waitingBytes: number): Output {
  /** Bytes written, and how many of them the operating system had taken at the last check. */
  let writtenBytes = 0
  let takenAtCheck = -1

  return {
    write(bytes) {
      if (stream.writableLength + bytes.length > waitingBytes) return false
      writtenBytes += bytes.length
      stream.write(bytes)
      return true
    },
    async drained(signal) {
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
    },
    bufferedBytes: () => stream.writableLength,
    isStuck() {
      const taken = writtenBytes - stream.writableLength
      if (stream.writableNeedDrain && taken <= takenAtCheck) return true
      takenAtCheck = taken
      return false
    },
  }
}
