// Tests of one build: prepared transactions are applied after the state that they were simulated in has changed. None may be refused for an entry outside its
// footprint or for resources that it did not declare.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Keypair } from '@stellar/stellar-sdk'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { ONE, PRICE, startMovement } from './movement.ts'
import type { Ending, Movement, Request } from './movement.ts'

const TERMS = { asset: 'BTC', collateral: String(50n * ONE), leverage: 10, direction: 'Long' } as const
const ENTRY_BPS = 10_000n

type Mode = 'isolated' | 'cross'
const openRequest = (mode: Mode): OperationRequest => ({ op: mode === 'cross' ? 'open_position_cross' : 'open_position', ...TERMS })
const closeRequest = (mode: Mode, positionId: number): OperationRequest => ({ op: mode === 'cross' ? 'close_position_cross' : 'close_position', positionId })

type Prepared = readonly (readonly [Keypair, PreparedTransaction])[]

async function prepareAll(movement: Movement, request: (wallet: Keypair) => Request): Promise<Prepared> {
  const prepared: [Keypair, PreparedTransaction][] = []
  for (const wallet of movement.wallets) prepared.push([wallet, await movement.prepare(wallet, request(wallet))])
  return prepared
}

function assertApplied(endings: readonly Ending[]): void {
  assert.deepEqual(Object.entries(Object.groupBy(endings, (ending) => ending)).map(([ending, all]) => [ending, all?.length]), [['applied', endings.length]])
}

/** Opens at the entry price, prepares closes at one price, and applies them at another. */
async function closeAcross(movement: Movement, mode: Mode, [preparedBps, appliedBps]: readonly [bigint, bigint]): Promise<void> {
  await movement.setPrice(ENTRY_BPS)
  await movement.trade(movement.wallets, () => openRequest(mode))
  await movement.setPrice(preparedBps)
  const closes = await prepareAll(movement, (wallet) => closeRequest(mode, movement.positionOf(wallet)))
  await movement.setPrice(appliedBps)
  assertApplied(await movement.apply(closes))
}

/** In basis points of the entry price: a gain, a loss, and exactly zero. */
const [GAIN, LOSS, ZERO] = [10_040n, 9_960n, 10_000n]
/** From the entry price to where a position with a leverage of 10 owes more than it has, and back. */
const CRASH = [9_800n, 9_600n, 9_400n, 9_200n, 9_000n, 8_850n, 8_700n]
const RECOVERY = [...CRASH.toReversed(), ENTRY_BPS]

/** Registers the tests of a build. */
export function testMovement(build: Generation): void {
  testCloses(build)
  testOrders(build)
  if (build !== '1') testNetting(build)
  testLeaders(build)
}

function testCloses(build: Generation): void {
  test(`closes survive every change of the PnL's sign (${build})`, async () => {
    await using movement = await startMovement({ build, wallets: 2 })
    for (const mode of ['isolated', 'cross'] as const) {
      for (const prices of [[GAIN, LOSS], [LOSS, GAIN], [ZERO, GAIN], [ZERO, LOSS], [GAIN, ZERO], [LOSS, ZERO]] as const) {
        await closeAcross(movement, mode, prices)
      }
    }
  })

  test(`closes survive a loss above the collateral, in both directions (${build})`, async () => {
    await using movement = await startMovement({ build, wallets: 2 })
    for (const mode of ['isolated', 'cross'] as const) {
      await movement.setPrice(ENTRY_BPS)
      await movement.trade(movement.wallets, () => openRequest(mode))
      const close = (wallet: Keypair): OperationRequest => closeRequest(mode, movement.positionOf(wallet))
      const whileWorth = await prepareAll(movement, close)
      await movement.syncThrough(CRASH)
      const [first, second] = [whileWorth.slice(0, 1), await prepareAll(movement, close)]
      assertApplied(await movement.apply(first))
      await movement.syncThrough(RECOVERY)
      assertApplied(await movement.apply(second.slice(1)))
    }
  })

  test(`closes survive a price that becomes fresh or stale (${build})`, async () => {
    await using movement = await startMovement({ build, wallets: 2 })
    for (const [preparedAge, appliedAge] of [[600, 0], [0, 600]] as const) {
      await movement.setPrice(ENTRY_BPS)
      await movement.trade(movement.wallets, () => openRequest('isolated'))
      await movement.setPrice(GAIN, { ageSeconds: preparedAge })
      const closes = await prepareAll(movement, (wallet) => closeRequest('isolated', movement.positionOf(wallet)))
      await movement.setPrice(GAIN, { ageSeconds: appliedAge })
      assertApplied(await movement.apply(closes))
    }
  })
}

function testOrders(build: Generation): void {
  test(`opens and orders survive others taking their ids (${build})`, async () => {
    await using movement = await startMovement({ build, wallets: 8 })
    const trigger = { triggerPrice: String((PRICE * 90n) / 100n), triggerCondition: 'Below', slippageToleranceBps: 100 } as const
    const together = async (request: (wallet: Keypair) => OperationRequest): Promise<void> =>
      assertApplied(await movement.apply(await prepareAll(movement, request)))
    await movement.setPrice(ENTRY_BPS)
    await together(() => openRequest('cross'))
    await together(() => openRequest('isolated'))
    await together(() => ({ op: 'place_limit_order', ...TERMS, ...trigger }))
    await together(() => ({ op: 'place_stop_limit_order', ...TERMS, ...trigger, limitPrice: trigger.triggerPrice }))
    const attached = (wallet: Keypair) => ({ positionId: movement.positionOf(wallet), slippageToleranceBps: 100 })
    await together((wallet) => ({ op: 'set_stop_loss', ...attached(wallet), triggerPrice: trigger.triggerPrice }))
    await together((wallet) => ({ op: 'set_take_profit', ...attached(wallet), triggerPrice: String((PRICE * 110n) / 100n) }))
    await together((wallet) => ({ op: 'place_trailing_stop', ...attached(wallet), trailingPercentBps: 500 }))
    await movement.setPrice(GAIN)
    const closes = await prepareAll(movement, (wallet) => closeRequest('isolated', movement.positionOf(wallet)))
    await movement.setPrice(LOSS)
    assertApplied(await movement.apply(closes))
  })

  test(`an immediate-or-cancel order survives a price that begins or ceases to trigger it (${build})`, async () => {
    await using movement = await startMovement({ build, wallets: 2 })
    const order = {
      op: 'place_limit_order', ...TERMS, timeInForce: 1, triggerPrice: String(PRICE), triggerCondition: 'Below', slippageToleranceBps: 100,
    } as const
    for (const [preparedBps, appliedBps] of [[GAIN, LOSS], [LOSS, GAIN]] as const) {
      await movement.setPrice(preparedBps)
      const orders = await prepareAll(movement, () => order)
      await movement.setPrice(appliedBps)
      assertApplied(await movement.apply(orders))
    }
  })

  test(`cancels are refused by the contract, not by the host, when a keeper executes the order first (${build})`, async () => {
    await using movement = await startMovement({ build, wallets: 2 })
    await movement.setPrice(ENTRY_BPS)
    await movement.trade(movement.wallets, () => ({
      op: 'place_limit_order', ...TERMS, triggerPrice: String((PRICE * LOSS) / 10_000n), triggerCondition: 'Below', slippageToleranceBps: 100,
    }))
    const cancels = await prepareAll(movement, (wallet) => ({ op: 'cancel_order', orderId: movement.orderOf(wallet) }))
    await movement.setPrice(LOSS)
    await movement.execute(movement.wallets.map((wallet) => movement.orderOf(wallet)))
    assert.deepEqual(new Set(await movement.apply(cancels)), new Set(['contract 61']))
  })
}

function testNetting(build: Generation): void {
  test(`an open that nets positions in the other direction survives a change of their PnL (${build})`, async () => {
    await using movement = await startMovement({ build, wallets: 2 })
    // Otherwise the open tops the pool up with an amount that depends on the PnL, and the signature covers one amount only.
    await movement.trade(movement.wallets, () => ({ op: 'deposit_cross_margin', amount: String(1_000n * ONE) }))
    for (const mode of ['isolated', 'cross'] as const) {
      for (const [preparedBps, appliedBps] of [[GAIN, LOSS], [LOSS, GAIN]] as const) {
        await movement.setPrice(ENTRY_BPS)
        await movement.trade(movement.wallets, () => openRequest(mode))
        await movement.setPrice(preparedBps)
        const opposite = { ...openRequest(mode), direction: 'Short', collateral: String(200n * ONE) } as OperationRequest
        const opens = await prepareAll(movement, () => opposite)
        await movement.setPrice(appliedBps)
        assertApplied(await movement.apply(opens))
        await movement.trade(movement.wallets, (wallet) => closeRequest(mode, movement.positionOf(wallet)))
      }
    }
  })
}

/** The market sees the factory as the trader of every vault. */
function testLeaders(build: Generation): void {
  test(`the trades of vault leaders survive changes of PnL and ids (${build})`, async () => {
    await using movement = await startMovement({ build, wallets: 2 })
    const { wallets } = movement
    const together = async (request: (wallet: Keypair, vaultId: number) => Request): Promise<void> =>
      assertApplied(await movement.apply(await prepareAll(movement, (wallet) => request(wallet, wallets.indexOf(wallet)))))
    await movement.setPrice(ENTRY_BPS)
    await together(() => ({ op: 'create_vault', name: 'A vault' }))
    await together((_wallet, vaultId) => ({ op: 'deposit_vault', vaultId, amount: String(1_000n * ONE) }))
    for (const [preparedBps, appliedBps] of [[GAIN, LOSS], [LOSS, GAIN], [ZERO, GAIN]] as const) {
      await movement.setPrice(ENTRY_BPS)
      await together((_wallet, vaultId) => ({ op: 'leader_open_position', vaultId, ...TERMS }))
      await movement.setPrice(preparedBps)
      const closes = await prepareAll(movement, (wallet) =>
        ({ op: 'leader_close_position', vaultId: wallets.indexOf(wallet), positionId: movement.leaderPositionOf(wallet) }))
      await movement.setPrice(appliedBps)
      assertApplied(await movement.apply(closes))
    }
    await together((_wallet, vaultId) => ({
      op: 'leader_place_limit_order', vaultId, ...TERMS, triggerPrice: String((PRICE * 90n) / 100n), triggerCondition: 'Below', slippageToleranceBps: 100,
    }))
  })
}
