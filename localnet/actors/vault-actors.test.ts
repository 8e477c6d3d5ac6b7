import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { i128 } from '../contracts/shared/host.ts'
import type { Vault } from '../contracts/shared/trader-vaults/vaults.ts'
import { sharesKey, VAULT_INFO, vaultKey } from '../contracts/shared/trader-vaults/vaults.ts'
import { plain } from '../test-network.ts'
import { LONG } from './stored-entries.ts'
import type { StoredPosition } from './stored-entries.ts'
import { createTestLedger, DEPLOYMENT, NOW_SEC } from './test-client.ts'
import type { TestLedger } from './test-client.ts'
import { createVaultDepositor } from './vault-depositor.ts'
import { createVaultLeader } from './vault-leader.ts'
import type { LeaderPlan } from './vault-leader.ts'
import type { SwitchableActor } from './actor.ts'

const LEADER = 'GBPJNIBWECHLD4R3Y2YFIXDBIWRNDLPPV537F4WXS5ZQLNCQCNXNLKU4'
const OTHER = 'GDQ6AUKXX22DPEA2TQE2PYOWND5ZT4XJHPSJPFOTX2PHULM2Y7TLTOUI'
const STAKE = 60_000n * ONE_E7

const PLAN: LeaderPlan = {
  startDelaySec: 3, vaultName: 'North', code: 'NORTH', stake: STAKE, markets: ['BTC', 'ETH'], leverage: { min: 2, max: 8 }, holdSec: 900,
  pauseSec: { min: 60, max: 420 },
}

const vault = (changes: Partial<Vault> = {}): Vault => ({
  id: 0, leader: LEADER, name: 'North', created_at: BigInt(NOW_SEC), circulating_shares: STAKE, leader_shares: STAKE, total_usdc: STAKE, hwm_nav: ONE_E7,
  realized_pnl: 0n, profit_share_bps: 1000, paused: false, ...changes,
})

const put = (ledger: TestLedger, one: Vault): void => ledger.put(DEPLOYMENT.vaultFactory, vaultKey(one.id), VAULT_INFO.toVal(one))

const position = (changes: Partial<StoredPosition> = {}): StoredPosition => ({
  id: 7n, trader: DEPLOYMENT.vaultFactory, asset: 'BTC', direction: LONG, marginMode: 0, collateral: ONE_E7, size: ONE_E7, leverage: 5, entryPrice: ONE_E7,
  entryCumulativeFunding: 0n, liquidationPrice: 0n, openedAtSec: NOW_SEC, ...changes,
})

function setUp(create: (ledger: TestLedger, client: ReturnType<TestLedger['client']>) => SwitchableActor, who = LEADER) {
  const ledger = createTestLedger()
  const client = ledger.client(who)
  const actor = create(ledger, client)
  return {
    ledger, client, actor,
    /** Lets the actor act every three seconds. */
    async live(fromSec: number, untilSec: number): Promise<void> {
      for (let seconds = fromSec; seconds < untilSec; seconds += 3) await actor.act({ sequence: 100 + seconds, closeTimeSec: NOW_SEC + seconds })
    },
    called: () => client.calls.map(({ contract, functionName, args }) => [contract, functionName, ...args.map(plain)]),
    names: () => client.calls.map(({ functionName }) => functionName),
  }
}

const leader = (plan: Partial<LeaderPlan> = {}, seed = 'leader') =>
  setUp((_, client) =>
    createVaultLeader({
      name: 'leader', client, deployment: DEPLOYMENT, plan: { ...PLAN, ...plan }, random: createSeededRandom(seed),
      ticker: { price: () => 100_000n * ONE_E7, change: (asset) => (asset === 'BTC' ? 0.01 : -0.01) },
    }))

const depositor = () => {
  const random = createSeededRandom('depositor')
  return setUp((_, client) => createVaultDepositor({ name: 'depositor', client, deployment: DEPLOYMENT, code: 'NORTH', random }), OTHER)
}

test('a leader creates the vault, deposits the stake and creates a code', async () => {
  const { ledger, live, called } = leader()
  await live(0, 6)
  assert.deepEqual(called(), [[DEPLOYMENT.vaultFactory, 'create_vault', LEADER, 'North']])
  put(ledger, vault({ id: 3, total_usdc: 0n, circulating_shares: 0n, leader_shares: 0n }))
  put(ledger, vault({ id: 2, leader: OTHER }))
  await live(6, 9)
  put(ledger, vault({ id: 3 }))
  await live(9, 12)
  assert.deepEqual(called().slice(1), [
    [DEPLOYMENT.vaultFactory, 'deposit', LEADER, 3, STAKE], [DEPLOYMENT.referral, 'create_code', LEADER, 'NORTH'],
  ])
})

test('retries creating a code that could not be sent, but not one that exists', async () => {
  const { ledger, client, live, names } = leader({ markets: [] })
  put(ledger, vault())
  client.results.push({ kind: 'later', reason: 'the queue is full' }, { kind: 'refused', code: 8, reason: 'taken' })
  await live(0, 30_000)
  assert.equal(names().filter((name) => name === 'create_code').length, 2)
})

test('a leader trades only in its markets, with part of the vault\'s funds, in the direction of the price', async () => {
  const { ledger, live, called, names } = leader()
  put(ledger, vault())
  await live(0, 20_000)
  const entries = called().filter(([, name]) => /open|limit/.test(String(name)))
  assert.ok(entries.length > 40, `${entries.length} entries in five hours and a half`)
  for (const [contract, name, who, id, asset, collateral, leverage, direction, trigger, above] of entries) {
    assert.deepEqual([contract, who, id, direction], [DEPLOYMENT.vaultFactory, LEADER, 0, asset === 'BTC' ? 0 : 1])
    assert.ok(['BTC', 'ETH'].includes(String(asset)))
    const size = BigInt(String(collateral)) * BigInt(String(leverage))
    assert.ok(size <= 100_000n * ONE_E7 && BigInt(String(collateral)) <= (STAKE * 15n) / 100n && BigInt(String(collateral)) >= 20n * ONE_E7)
    if (name !== 'leader_place_limit_order') continue
    assert.equal(above, direction === 1)
    assert.ok(direction === 0 ? BigInt(String(trigger)) < 100_000n * ONE_E7 : BigInt(String(trigger)) > 100_000n * ONE_E7, 'at a better price')
  }
  assert.deepEqual([...new Set(names())].toSorted(), ['create_code', 'leader_open_position', 'leader_place_limit_order'])
})

test('closes positions after the holding time and cancels unfilled orders, only in its own markets', async () => {
  const { ledger, live, called } = leader()
  put(ledger, vault())
  ledger.setPositions([position({ id: 5n, asset: 'SOL', openedAtSec: NOW_SEC - 10_000 }), position({ openedAtSec: NOW_SEC - 900 })])
  await live(0, 500)
  assert.deepEqual(called()[1], [DEPLOYMENT.vaultFactory, 'leader_close_position', LEADER, 0, 7n])
  ledger.setPositions([])
  ledger.setOrders([{
    id: 9n, trader: DEPLOYMENT.vaultFactory, asset: 'ETH', direction: 0, orderType: 0, hasPosition: false, positionId: 0n, triggerCondition: 1,
    triggerPrice: 1n, limitPrice: 0n, trailingPercentBps: 0, stopLimitPhase: 0, timeInForce: 0, createdAtSec: NOW_SEC - 10_000,
  }])
  await live(500, 1_500)
  assert.ok(called().some(([, name, , , order]) => name === 'leader_cancel_order' && order === 9n))
})

test('waits with three entries, claims fees after a gain, and deposits again after losing half', async () => {
  const { ledger, live, names, called } = leader()
  put(ledger, vault({ total_usdc: STAKE + ONE_E7 }))
  ledger.setPositions([1n, 2n, 3n].map((id) => position({ id, openedAtSec: NOW_SEC + 100_000 })))
  await live(0, 20_000)
  assert.deepEqual(new Set(names()), new Set(['create_code', 'claim_leader_fees']))
  ledger.setPositions([])
  put(ledger, vault({ total_usdc: STAKE / 2n - 1n }))
  await live(20_000, 20_600)
  assert.deepEqual(called().at(-1), [DEPLOYMENT.vaultFactory, 'deposit', LEADER, 0, STAKE])
})

test('a leader without markets pauses and unpauses the vault', async () => {
  const { ledger, live, called } = leader({ markets: [] })
  put(ledger, vault())
  await live(0, 10_000)
  assert.deepEqual(called().at(-1), [DEPLOYMENT.vaultFactory, 'set_paused', 0, true])
  put(ledger, vault({ paused: true }))
  await live(10_000, 10_450)
  assert.deepEqual(called().at(-1), [DEPLOYMENT.vaultFactory, 'set_paused', 0, false])
})

test('a depositor sets its referrer once, then deposits relative to the leader\'s stake and withdraws its shares', async () => {
  const { ledger, client, live, called } = depositor()
  put(ledger, vault())
  put(ledger, vault({ id: 1, paused: true }))
  put(ledger, vault({ id: 2, leader_shares: 0n }))
  client.results.push({ kind: 'refused', code: 10, reason: 'no such code' }, { kind: 'refused', code: 11, reason: 'bound' })
  await live(0, 120)
  for (const call of called().slice(0, 2)) assert.deepEqual(call, [DEPLOYMENT.referral, 'set_referrer', OTHER, 'NORTH'])
  ledger.put(DEPLOYMENT.vaultFactory, sharesKey(0, OTHER), i128(1_000n))
  await live(120, 40_000)
  const moves = called().slice(2)
  assert.ok(moves.length > 15 && moves.length < 90, `${moves.length} moves in eleven hours`)
  assert.deepEqual(new Set(moves.map(([, name]) => name)), new Set(['deposit', 'withdraw']))
  for (const [contract, name, who, id, amount] of moves) {
    assert.deepEqual([contract, who, id], [DEPLOYMENT.vaultFactory, OTHER, 0])
    const [least, most] = name === 'deposit' ? [STAKE / 100n, (STAKE * 8n) / 100n] : [100n, 1_000n]
    assert.ok(BigInt(String(amount)) >= least && BigInt(String(amount)) <= most)
  }
})

test('both are idle while disabled, and start again on a new network', async () => {
  for (const { actor, client, live } of [leader(), depositor()]) {
    actor.setEnabled(false)
    await live(0, 10_000)
    assert.deepEqual(client.calls, [])
    actor.setEnabled(true)
    await live(10_000, 10_200)
    assert.ok(client.calls.length > 0)
    actor.forget()
    assert.equal(client.forgetCount, 1)
  }
})
