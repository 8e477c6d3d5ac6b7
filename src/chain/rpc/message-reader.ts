// Reads responses: small ones here, large ones in a worker thread with a limited heap, so that no response blocks the event loop or keeps memory.

import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'
import { createSemaphore } from '../../base/semaphore.ts'
import { readMessage, UNCHECKED_MAX_LENGTH } from './message.ts'
import type { Message, MessageOutcome } from './message.ts'

/** Rejects with the signal's reason when it aborts. */
export type ReadMessage = (message: Message, signal: AbortSignal) => Promise<MessageOutcome>

/** Bodies that wait for the worker. */
const MAX_WAITING = 64
/** An honest body takes less than a tenth of this. */
const READ_TIMEOUT_MS = 3_000
/** The worker ends after this time without a body, which returns its memory. */
export const WORKER_IDLE_MS = 5_000

/** Reads every body here: for transports in memory, whose bodies are trusted. */
export const readInline: ReadMessage = async (message) => readMessage(message)

/** `clock` must not keep the process alive. `workerHeapMb` bounds the worker's memory; a body that needs more ends the worker, not the process. */
export function createMessageReader({ clock, workerHeapMb = 192 }: { clock: Clock; workerHeapMb?: number }): ReadMessage {
  const turn = createSemaphore(1, MAX_WAITING)
  let worker: Worker | undefined
  let idle: { cancel(): void } | undefined

  function start(): Worker {
    const started = new Worker(new URL('./message-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: workerHeapMb, maxYoungGenerationSizeMb: 16 },
    })
    const forget = (): void => {
      if (worker === started) worker = undefined
    }
    started.on('error', forget)
    started.on('exit', forget)
    return started
  }

  function stop(): void {
    void worker?.terminate()
    worker = undefined
  }

  async function readInWorker(message: Message & { readonly body: Uint8Array<ArrayBuffer> }, signal: AbortSignal): Promise<MessageOutcome> {
    idle?.cancel()
    const { promise, resolve, reject } = Promise.withResolvers<MessageOutcome>()
    const fail = (detail: string) => (): void => resolve({ kind: 'oversized', detail })
    const onAbort = (): void => reject(signal.reason as Error)
    const onError = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') fail(`reading the response took more than ${workerHeapMb} MB`)()
      else reject(error)
    }
    const onExit = fail('the worker that read the response ended')
    let isIntact = false
    const onMessage = (outcome: MessageOutcome): void => {
      isIntact = true
      resolve(outcome)
    }
    const timer = clock.setTimer(READ_TIMEOUT_MS, fail(`reading the response took more than ${READ_TIMEOUT_MS} ms`))
    const running = worker ??= start()
    running.ref()
    running.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      // The bytes move to the worker instead of being copied.
      running.postMessage(message, [message.body.buffer])
      return await promise
    } finally {
      timer.cancel()
      signal.removeEventListener('abort', onAbort)
      running.off('message', onMessage).off('error', onError).off('exit', onExit)
      running.unref()
      // Without an outcome, the worker may still be busy.
      if (isIntact) idle = clock.setTimer(WORKER_IDLE_MS, stop)
      else stop()
    }
  }

  return async (message, signal) => {
    const { body } = message
    if (body.length <= UNCHECKED_MAX_LENGTH) return readMessage(message)
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : ownBuffer(body)
    const release = await turn.acquire(signal)
    try {
      signal.throwIfAborted()
      return await readInWorker({ ...message, body: bytes }, signal)
    } finally {
      release()
    }
  }
}

/** Bytes whose buffer nobody else uses, so that it can be transferred. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  return buffer instanceof ArrayBuffer && !Buffer.isBuffer(bytes) ? new Uint8Array(buffer, bytes.byteOffset, bytes.length) : Uint8Array.from(bytes)
}
