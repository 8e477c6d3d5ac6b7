// A gateway's handling of a hostile node's responses, and the cost of reading ordinary responses.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createSystemClock } from '../../src/base/clock.ts'
import { readMessage } from '../../src/chain/rpc/message.ts'
import { createMessageReader, WORKER_IDLE_MS } from '../../src/chain/rpc/message-reader.ts'
import { boundsOf, METHODS } from '../../src/chain/rpc/methods.ts'
import type { Method } from '../../src/chain/rpc/methods.ts'
import { parseEvents } from '../../src/chain/rpc/responses.ts'
import { createFetchTransport } from '../../src/chain/rpc/transport.ts'
import { quantile } from '../support/load.ts'
import { serveParent } from '../support/in-child.ts'

const HASH = 'ab'.repeat(32)
/** Calls in progress. */
const CALLERS = 8
const CALLS = [['getTransaction', 0], ['getEvents', 1_000], ['getLedgerEntries', 200], ['simulateTransaction', 0], ['getLedgers', 1]] as const
const clock = createSystemClock()

export interface AttackFigures extends Delays {
  readonly calls: number
}

/** 99th percentiles of how late a timer fires, in milliseconds. */
interface Delays {
  readonly delayMs: number
  /** Counts only processor time of the main thread: on a busy machine, threads also wait for a processor. */
  readonly cpuDelayMs: number
}

async function attack({ port, durationMs }: { port: number; durationMs: number }): Promise<AttackFigures> {
  const readResponse = createReader(`http://127.0.0.1:${port}/`)
  for (const [method, items] of CALLS) await readResponse(method, items)
  let calls = 0
  const delays = await delaysDuring(async () => {
    const untilMs = clock.elapsedMs() + durationMs
    const caller = async (): Promise<void> => {
      for (; clock.elapsedMs() < untilMs; calls++) {
        const [method, items] = CALLS[calls % CALLS.length] ?? CALLS[0]
        await readResponse(method, items)
      }
    }
    await Promise.all(Array.from({ length: CALLERS }, caller))
  })
  await clock.sleep(WORKER_IDLE_MS + 1_000)
  return { ...delays, calls }
}

async function delaysDuring(work: () => Promise<void>): Promise<Delays> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const cpuDelaysMs: number[] = []
  let last = process.threadCpuUsage()
  const sample = (): void => {
    const now = process.threadCpuUsage()
    cpuDelaysMs.push((now.user - last.user + now.system - last.system) / 1_000)
    last = now
    timer = clock.setTimer(1, sample)
  }
  let timer = clock.setTimer(1, sample)
  delay.enable()
  await work()
  delay.disable()
  timer.cancel()
  return { delayMs: delay.percentile(99) / 1e6, cpuDelayMs: quantile(cpuDelaysMs.sort((a, b) => a - b), 0.99) }
}

/** Requests and reads one response as an endpoint does, but without the pause after failures, which would end the attack. Never rejects. */
function createReader(url: string): (method: Method, items: number) => Promise<void> {
  const reader = createMessageReader({ clock: createSystemClock({ keepAlive: false }) })
  const transport = createFetchTransport()
  let id = 0
  return async (method, items) => {
    const { maxBytes, maxValues } = boundsOf(method, items)
    const message = { method, id: ++id, maxValues }
    const signal = AbortSignal.timeout(METHODS[method].policy.timeoutMs)
    try {
      const { body } = await transport(url, JSON.stringify({ id: message.id, method }), signal, maxBytes)
      await reader({ ...message, body }, signal)
    } catch {
      // The response was oversized, or the node did not respond in time.
    }
  }
}

const PAGE = JSON.stringify({
  jsonrpc: '2.0', id: 1,
  result: {
    events: Array.from({ length: 60 }, () => ({
      type: 'contract', ledger: 7, ledgerClosedAt: '2026-07-06T12:00:01Z', contractId: 'C1', id: '0000000030064775169-0000000001', operationIndex: 0,
      transactionIndex: 1, txHash: HASH, inSuccessfulContractCall: true, topic: ['AAAADwAAAA9wb3NpdGlvbl9vcGVuZWQA'], value: 'AAAA'.repeat(90),
    })),
    cursor: 'c', latestLedger: 9, oldestLedger: 2, latestLedgerCloseTime: '1045', oldestLedgerCloseTime: '1010',
  },
})
const REPEATS = 300

function perSec(work: () => void): number {
  const started = performance.now()
  for (let repeat = 0; repeat < REPEATS; repeat++) work()
  return REPEATS / ((performance.now() - started) / 1000)
}

serveParent(
  {
    attack,
    rssBytes: async () => process.memoryUsage.rss(),
    /** Pages of sixty events read per second, as the client reads them. */
    ours: async () => perSec(() => void readMessage({ method: 'getEvents', id: 1, body: PAGE, maxValues: 64_064 })),
    /** The same without any check before JSON.parse. */
    baseline: async () => perSec(() => void parseEvents((JSON.parse(PAGE) as { result: unknown }).result)),
  },
  async () => {},
)
