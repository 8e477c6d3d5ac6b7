// The time from the answer of the poll that has a ledger's new price to the client's frame: through the gateway, and by a bare loop that polls one entry and
// sends what changed. Both follow the same network and the same prices. It does not include the wait for the poll.

import type { NetworkDetails } from '../children/network.ts'
import { startChild } from '../support/child.ts'
import type { Child } from '../support/child.ts'
import { quantile } from '../support/load.ts'
import { machineMs } from '../support/machine-clock.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { openStreamClients } from '../support/stream-clients.ts'
import type { StreamClients } from '../support/stream-clients.ts'

const CHILD = new URL('../children/price-stream.ts', import.meta.url)
const ROUNDS = 4
const PRICES = 30
const QUICK_PRICES = 3
const BUDGET_MS = 120_000
/** The target of the 99th percentile. */
const TARGET_MS = 20
/** The hello, the subscription's response and the last price. */
const GREETING_FRAMES = 3
const FIRST_PRICE = 1_000_000_000_000

interface Side {
  readonly server: Child
  readonly clients: StreamClients
}

export async function measurePricePush(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  await using networkChild = startChild(new URL('../children/network.ts', import.meta.url))
  const network = await networkChild.call<NetworkDetails>('start')
  await control(network, 'local_actors', { publisher: false })
  await setPrice(network, FIRST_PRICE)
  await using gateway = startChild(CHILD)
  await using bare = startChild(CHILD)
  using ours = await openStreamClients(await gateway.call<number>('serve', network), 1)
  ours.send('{"op":"subscribe","channels":["prices.BTC"],"snapshot":true}')
  await ours.receive(GREETING_FRAMES)
  using baselineClients = await openStreamClients(await bare.call<number>('serveBare', network), 1)
  const sides = { ours: { server: gateway, clients: ours }, baseline: { server: bare, clients: baselineClients } }
  let price = FIRST_PRICE
  const measureNext = async (): Promise<{ ours: number; baseline: number }> => {
    const arrived = Promise.all([timeFrame(sides.ours), timeFrame(sides.baseline)])
    await setPrice(network, price += 1_000_000)
    const [own, baseline] = await arrived
    return { ours: own, baseline }
  }
  // The first prices teach both which entries hold them.
  for (let warm = 0; warm < QUICK_PRICES; warm++) await measureNext()
  const rounds: { readonly ours: readonly number[]; readonly baseline: readonly number[] }[] = []
  const until = performance.now() + BUDGET_MS
  while (rounds.length < (quick ? 1 : ROUNDS) && performance.now() < until) {
    const samples: { ours: number; baseline: number }[] = []
    for (let sample = 0; sample < (quick ? QUICK_PRICES : PRICES); sample++) samples.push(await measureNext())
    rounds.push({ ours: samples.map((sample) => sample.ours), baseline: samples.map((sample) => sample.baseline) })
    reportProgress(`round ${rounds.length} of ${quick ? 1 : ROUNDS}`)
  }
  const roundsAt = (share: number) => rounds.map((round) => ({ ours: at(round.ours, share), baseline: at(round.baseline, share) }))
  const all = rounds.flatMap((round) => round.ours)
  return [
    { name: 'price to frame, p50, to a bare loop', rounds: roundsAt(0.5), unit: 'ms', target: null },
    { name: 'price to frame, p99, to a bare loop', rounds: roundsAt(0.99), unit: 'ms', target: null },
    { name: `price to frame, p99, to ${TARGET_MS} ms`, rounds: [{ ours: at(all, 0.99), baseline: TARGET_MS }], unit: 'ms', target: { max: 1 } },
  ]
}

function at(values: readonly number[], share: number): number {
  return quantile(values.toSorted((a, b) => a - b), share)
}

/** Milliseconds from the answer with the ledger of the next frame to the frame. */
async function timeFrame({ server, clients }: Side): Promise<number> {
  await clients.receive(1)
  const arrivedAtMs = machineMs()
  const ledger = Number(/"ledger":(\d+)/.exec(clients.lastText())?.[1])
  const answeredAtMs = await server.call<number | null>('answeredAt', ledger)
  if (answeredAtMs === null) throw new Error(`No poll returned ledger ${ledger}`)
  return arrivedAtMs - answeredAtMs
}

async function setPrice(network: NetworkDetails, price: number): Promise<void> {
  await control(network, 'local_setPrice', { asset: 'BTC', price: String(price) })
}

async function control({ rpcUrl }: NetworkDetails, method: string, params: object): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { error } = await response.json() as { error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
}
