// Transactions that are prepared in one state of the market and applied in another: the gateway's relay over the local network, without a server or a
// database.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Keypair, TransactionBuilder } from '@stellar/stellar-sdk'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createLedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import { findFailureCause } from '../../src/chain/rpc/outcome.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import type { ActionRequest } from '../../src/exchange/actions.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { address, symbol, u64 } from '../../localnet/contracts/shared/host.ts'
import type { Val } from '../../localnet/contracts/shared/host.ts'
import { FIRST_BUILDS } from '../../localnet/setup.ts'
import { valFromBase64 } from '../../localnet/scval.ts'
import { plain, startTestNetwork } from '../../localnet/test-network.ts'
import type { TestNetwork } from '../../localnet/test-network.ts'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import { NEXT_IDS_MIN } from '../../src/trading/relay/next-ids.ts'
import { createRelay } from '../../src/trading/relay/relay.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { callOf } from '../support/calls.ts'
import { currentDeploymentOf } from '../support/deployments.ts'
import { NO_WARNINGS } from '../support/no-warnings.ts'

export const ONE = 10_000_000n
export const PRICE = 100_000n * ONE

export type Request = OperationRequest | ActionRequest

/** The end of a transaction: applied, refused by a contract with this code, or refused by the host. */
export type Ending = 'applied' | `contract ${number}` | `host ${string}`

export interface Movement extends AsyncDisposable {
  readonly network: TestNetwork
  readonly wallets: readonly Keypair[]
  /** Sets BTC's price now, as a share of PRICE in basis points. */
  setPrice(bps: bigint, options?: { readonly ageSeconds?: number }): Promise<void>
  /** Prepares a call through the relay. */
  prepare(wallet: Keypair, request: Request): Promise<PreparedTransaction>
  /** Signs and sends these transactions, closes ledgers, and returns how each ended. */
  apply(prepared: readonly (readonly [Keypair, PreparedTransaction])[]): Promise<readonly Ending[]>
  /** Prepares and applies one call of each wallet. Fails unless all were applied. */
  trade(wallets: readonly Keypair[], request: (wallet: Keypair) => Request): Promise<void>
  /** Syncs the market to a sequence of prices, each of which is close enough to the one before. */
  syncThrough(bps: readonly bigint[]): Promise<void>
  /** Executes these orders as a keeper. */
  execute(orderIds: readonly number[]): Promise<void>
  /** The id of the wallet's newest position. */
  positionOf(wallet: Keypair): number
  /** The id of the newest position that the wallet opened as the leader of a vault. */
  leaderPositionOf(wallet: Keypair): number
  /** The id of the wallet's newest order with an event. */
  orderOf(wallet: Keypair): number
}

const XLM = 5_000n * ONE
const USDC = 20_000n * ONE

/** Starts a network without traders and keepers, with this many funded wallets. The contracts run this build. */
export async function startMovement({ build, wallets: count }: { readonly build: Generation; readonly wallets: number }): Promise<Movement> {
  const generation = build === '1' ? '1' : '2'
  const network = await startTestNetwork({ traders: 0, seed: `movement ${build}`, generation })
  const { clock, chain } = network
  await network.call('local_actors', { keeper: false })
  await network.closeLedgers(3)
  // The factory did not change after build 2.1.
  const changed = build === FIRST_BUILDS[generation] ? [] : build === '2.2' ? ['market', 'vault'] : ['market', 'vault', 'vaultFactory']
  for (const contract of changed) await network.call('local_upgrade', { contract, build })
  const deployment = currentDeploymentOf(network.contracts, { generation: build, assets: network.assets })
  const rpc = createRpc({
    urls: ['http://node/'], clock, random: createSeededRandom('movement'), log: silentLog,
    async transport(_url, body) {
      const response = await network.rpc.handle(body)
      return { status: response.status, body: response.body ?? '' }
    },
  })
  const relay = createRelay({ rpc, clock, log: silentLog, deployment, ledgerWatermarks: createLedgerWatermarks(clock), ...NO_WARNINGS })
  const wallets = Array.from({ length: count }, (_, index) => Keypair.fromRawEd25519Seed(createHash('sha256').update(`wallet ${index}`).digest()))
  const { usdcAsset } = network.exchange
  for (const wallet of wallets) {
    chain.grant(wallet.publicKey(), 'native', XLM)
    chain.grant(wallet.publicKey(), usdcAsset ?? assert.fail(), USDC)
  }

  function endingOf(hash: string): Ending {
    const found = chain.history.transaction(hash)
    assert.ok(found !== undefined, 'the transaction is in no ledger')
    if (found.status === 'SUCCESS') return 'applied'
    const { contractError, hostError } = findFailureCause(found.diagnosticEventsXdr)
    return contractError === null ? `host ${hostError?.type} ${hostError?.code}` : `contract ${contractError.code}`
  }

  const newest = createNewestIds(network)
  const movement: Movement = {
    network,
    wallets,
    async setPrice(bps, options = {}) {
      await network.call('local_setPrice', { asset: 'BTC', price: String((PRICE * bps) / 10_000n), ...options })
    },
    prepare: (wallet, request) => {
      const call = callOf(request, wallet.publicKey(), { contracts: network.contracts, generation: build })
      return relay.prepare({ op: request.op, trader: wallet.publicKey(), clientId: null, priceBound: null, ...call })
    },
    async apply(prepared) {
      const hashes: string[] = []
      for (const [wallet, { xdr: envelope }] of prepared) {
        const transaction = TransactionBuilder.fromXdr(envelope, network.networkPassphrase)
        transaction.sign(wallet)
        const sent = await network.call<{ status: string; hash: string; errorResultXdr?: string }>('sendTransaction', { transaction: transaction.toXdr() })
        assert.equal(sent.status, 'PENDING', sent.errorResultXdr)
        hashes.push(sent.hash)
      }
      // A ledger holds a hundred of them.
      await network.closeLedgers(1 + Math.ceil(prepared.length / 100))
      return hashes.map(endingOf)
    },
    async syncThrough(steps) {
      for (const step of steps) {
        await movement.setPrice(step)
        await callMarket(network, 'sync_asset_pnl', [symbol('BTC')])
      }
    },
    async execute(orderIds) {
      for (const id of orderIds) await callMarket(network, 'execute_order', [address(network.userClient('alice').address), u64(BigInt(id))])
    },
    async trade(traders, request) {
      // As many at a time as the ids that each covers.
      for (let start = 0; start < traders.length; start += NEXT_IDS_MIN) {
        const prepared: [Keypair, PreparedTransaction][] = []
        for (const wallet of traders.slice(start, start + NEXT_IDS_MIN)) prepared.push([wallet, await movement.prepare(wallet, request(wallet))])
        assert.deepEqual(new Set(await movement.apply(prepared)), new Set(['applied']))
      }
    },
    positionOf: (wallet) => newest.idOf('position_opened', wallet),
    leaderPositionOf: (wallet) => newest.idOf('leader_open', wallet),
    orderOf: (wallet) => newest.idOf('order_placed', wallet),
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  }
  return movement
}

/** A call of the market by one of the network's users. */
async function callMarket(network: TestNetwork, functionName: string, args: readonly Val[]): Promise<void> {
  const alice = network.userClient('alice')
  assert.deepEqual(await alice.invoke({ contract: network.contracts.market, functionName, args }, network.chain.history.latest()), { kind: 'sent' })
  await network.closeLedgers(1)
  assert.equal((await alice.settle(network.chain.history.latest())).kind, 'applied', functionName)
}

/** The newest position or order of each wallet. Reads each event once. */
function createNewestIds({ chain }: TestNetwork) {
  const ids = new Map<string, number>()
  let fromLedger = 1

  function follow(): void {
    const untilLedger = chain.history.latest().sequence + 1
    for (const { topics, value } of chain.history.events({ afterId: null, fromLedger, untilLedger, contractIds: null })) {
      const topic = String(plain(valFromBase64(topics[0] ?? '')))
      if (!TOPICS.includes(topic)) continue
      const [first, second] = plain(valFromBase64(value)) as readonly unknown[]
      const [account, id] = topic === 'leader_open' ? [first, second] : [second, first]
      ids.set(`${topic} ${String(account)}`, Number(id))
    }
    fromLedger = untilLedger
  }

  return {
    idOf(topic: string, wallet: Keypair): number {
      follow()
      return ids.get(`${topic} ${wallet.publicKey()}`) ?? assert.fail(`no ${topic} of this wallet`)
    },
  }
}

const TOPICS = ['position_opened', 'order_placed', 'leader_open']
