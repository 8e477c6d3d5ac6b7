// What the gateway adds to an order's way: its preparation and its submission against the same calls made straight to the network's RPC.

import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import { accountKey, draftCall, simulationEnvelope } from '../../src/chain/transaction.ts'
import { operationCall } from '../../src/exchange/operations.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { NetworkFacts } from '../children/network.ts'
import type { TradingFacts } from '../children/trading-gateway.ts'
import { startChild } from '../support/child.ts'
import { quantile } from '../support/load.ts'
import type { Figure } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const ROUNDS = 20
/** One after another: it is latency that is measured. */
const CALLS_PER_ROUND = 10
/** How far away a node is that is not next door. */
const DISTANCE_MS = 40
const AIM = { atMost: 1.15 }

const ORDER: OperationRequest = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' }

export async function measureOrders(progress: (text: string) => void): Promise<readonly Figure[]> {
  await using networkChild = startChild(new URL('../children/network.ts', import.meta.url))
  const network = await networkChild.call<NetworkFacts>('start')
  await using gatewayChild = startChild(new URL('../children/trading-gateway.ts', import.meta.url))
  const gateway = await gatewayChild.call<TradingFacts>('serve', network)
  const direct = createDirect(network)
  const signedXdr = await applied(gateway, network)

  const figure = async (name: string, ours: () => Promise<unknown>, peer: () => Promise<unknown>, aim: Figure['target']): Promise<Figure> => {
    const onRound = (done: number): void => progress(`${name}: round ${done} of ${ROUNDS}`)
    return { name, unit: 'ms', target: aim, rounds: await interleave(() => medianMs(ours), () => medianMs(peer), { rounds: ROUNDS, onRound }) }
  }
  const prepare = (): Promise<unknown> => post(gateway, '/v1/orders/prepare', ORDER)
  const submit = (): Promise<unknown> => post(gateway, '/v1/tx/submit', { signedXdr })
  const figures = [
    await figure('prepare, the node next door', prepare, direct.prepare, null),
    await figure('submit again, the node next door', submit, () => direct.submit(signedXdr), null),
  ]
  await call(network.rpcUrl, 'local_fault', { name: 'slow', ms: DISTANCE_MS, count: null })
  figures.push(
    await figure(`prepare, the node ${DISTANCE_MS} ms away`, prepare, direct.prepare, AIM),
    await figure(`submit again, the node ${DISTANCE_MS} ms away`, submit, () => direct.submit(signedXdr), AIM),
  )
  return figures
}

/** The same calls without a gateway: what a preparation reads, both at once; what a repeated submission asks, one after the other. */
function createDirect({ rpcUrl, contracts, account }: NetworkFacts) {
  const envelope = simulationEnvelope(draftCall({ source: account.address, contract: contracts['market'] ?? '', ...operationCall(ORDER, account.address) }))
  const keys = [accountKey(account.address)]
  return {
    prepare: () => Promise.all([call(rpcUrl, 'getLedgerEntries', { keys }), call(rpcUrl, 'simulateTransaction', { transaction: envelope })]),
    async submit(signedXdr: string): Promise<unknown> {
      const { hash } = await call<{ hash: string }>(rpcUrl, 'sendTransaction', { transaction: signedXdr })
      return call(rpcUrl, 'getTransaction', { hash })
    },
  }
}

/** A transaction that is on the ledger: submitting it again costs its calls and no waiting. */
async function applied(gateway: TradingFacts, { passphrase, account }: NetworkFacts): Promise<string> {
  const { xdr } = await post<{ xdr: string }>(gateway, '/v1/orders/prepare', ORDER)
  const transaction = TransactionBuilder.fromXdr(xdr, passphrase)
  transaction.sign(Keypair.fromSecret(account.secret))
  const signedXdr = transaction.toXdr()
  const { status } = await post<{ status: string }>(gateway, '/v1/tx/submit', { signedXdr })
  if (status !== 'SUCCESS') throw new Error(`the first order ended as ${status}`)
  return signedXdr
}

async function medianMs(once: () => Promise<unknown>): Promise<number> {
  const latencies: number[] = []
  for (let nth = 0; nth < CALLS_PER_ROUND; nth++) {
    const started = performance.now()
    await once()
    latencies.push(performance.now() - started)
  }
  return quantile(latencies.sort((a, b) => a - b), 0.5)
}

async function post<Body>({ url, authorization }: TradingFacts, path: string, body: object): Promise<Body> {
  return read(await fetch(`${url}${path}`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) }))
}

async function call<Result>(rpcUrl: string, method: string, params: object): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await read<{ result?: Result; error?: { message: string } }>(
    await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
  )
  if (answer.result === undefined) throw new Error(`${method}: ${answer.error?.message}`)
  return answer.result
}

async function read<Body>(response: Response): Promise<Body> {
  const text = await response.text()
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text) as Body
}
