// The latency that the gateway adds to an order: preparing and submitting it, relative to the same calls made directly to the network's RPC endpoint.

import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import { accountKey, draftCall, simulationEnvelope } from '../../src/chain/codec/transaction.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { NetworkDetails } from '../children/network.ts'
import type { TradingGateway } from '../children/trading-gateway.ts'
import { callOf } from '../../test/support/calls.ts'
import { startChild } from '../support/child.ts'
import { quantile } from '../support/load.ts'
import type { Figure, ReportProgress } from '../support/report.ts'
import { interleave } from '../support/rounds.ts'

const ROUNDS = 20
/** One after another, because they measure latency. */
const CALLS_PER_ROUND = 10
/** The latency of a remote node, per call. */
const DISTANCE_MS = 40
const TARGET = { max: 1.15 }

const ORDER: OperationRequest = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' }

export async function measureOrders(reportProgress: ReportProgress): Promise<readonly Figure[]> {
  await using networkChild = startChild(new URL('../children/network.ts', import.meta.url))
  const network = await networkChild.call<NetworkDetails>('start')
  await using gatewayChild = startChild(new URL('../children/trading-gateway.ts', import.meta.url))
  const gateway = await gatewayChild.call<TradingGateway>('serve', network)
  const direct = createDirect(network)
  const signedXdr = await submitOrder(gateway, network)

  const figure = async (name: string, ours: () => Promise<unknown>, baseline: () => Promise<unknown>, target: Figure['target']): Promise<Figure> => {
    const onRound = (done: number): void => reportProgress(`${name}: round ${done} of ${ROUNDS}`)
    return { name, unit: 'ms', target, rounds: await interleave(() => medianMs(ours), () => medianMs(baseline), { rounds: ROUNDS, onRound }) }
  }
  const prepare = (): Promise<unknown> => post(gateway, '/v1/orders/prepare', ORDER)
  const resubmit = (): Promise<unknown> => post(gateway, '/v1/tx/submit', { signedXdr })
  const figures = [
    await figure('prepare, local node', prepare, direct.prepare, null),
    await figure('resubmit, local node', resubmit, () => direct.submit(signedXdr), null),
  ]
  await call(network.rpcUrl, 'local_fault', { name: 'slow', ms: DISTANCE_MS, count: null })
  figures.push(
    await figure(`prepare, node ${DISTANCE_MS} ms away`, prepare, direct.prepare, TARGET),
    await figure(`resubmit, node ${DISTANCE_MS} ms away`, resubmit, () => direct.submit(signedXdr), TARGET),
  )
  return figures
}

/** The same calls without a gateway: the two reads of a preparation in parallel; the calls of a resubmission one after the other. */
function createDirect({ rpcUrl, contracts, account }: NetworkDetails) {
  const order = callOf(ORDER, account.address, { contracts: { vault: contracts['vault'] ?? '' } })
  const envelope = simulationEnvelope(draftCall({ ...order, source: account.address, contract: contracts['market'] ?? '' }))
  const keys = [accountKey(account.address)]
  return {
    prepare: () => Promise.all([call(rpcUrl, 'getLedgerEntries', { keys }), call(rpcUrl, 'simulateTransaction', { transaction: envelope })]),
    async submit(signedXdr: string): Promise<unknown> {
      const { hash } = await call<{ hash: string }>(rpcUrl, 'sendTransaction', { transaction: signedXdr })
      return call(rpcUrl, 'getTransaction', { hash })
    },
  }
}

/** Submits an order and returns its transaction. Resubmitting it costs only the calls, because the ledger has it already. */
async function submitOrder(gateway: TradingGateway, { passphrase, account }: NetworkDetails): Promise<string> {
  const { xdr } = await post<{ xdr: string }>(gateway, '/v1/orders/prepare', ORDER)
  const transaction = TransactionBuilder.fromXdr(xdr, passphrase)
  transaction.sign(Keypair.fromSecret(account.secret))
  const signedXdr = transaction.toXdr()
  const { status } = await post<{ status: string }>(gateway, '/v1/tx/submit', { signedXdr })
  if (status !== 'SUCCESS') throw new Error(`The first order ended with status ${status}`)
  return signedXdr
}

async function medianMs(request: () => Promise<unknown>): Promise<number> {
  const latencies: number[] = []
  for (let done = 0; done < CALLS_PER_ROUND; done++) {
    const started = performance.now()
    await request()
    latencies.push(performance.now() - started)
  }
  return quantile(latencies.sort((a, b) => a - b), 0.5)
}

async function post<Body>({ url, authorization }: TradingGateway, path: string, body: object): Promise<Body> {
  return read(await fetch(`${url}${path}`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) }))
}

async function call<Result>(rpcUrl: string, method: string, params: object): Promise<Result> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await read<{ result?: Result; error?: { message: string } }>(
    await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
  )
  if (response.result === undefined) throw new Error(`${method}: ${response.error?.message}`)
  return response.result
}

async function read<Body>(response: Response): Promise<Body> {
  const text = await response.text()
  if (response.status !== 200) throw new Error(`Server returned ${response.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text) as Body
}
