// As footprints.test.ts, on the other builds (from 2.0 to 2.2 a loss touches other entries than a profit), and a thousand closes of both generations: profits
// that become losses, and losses that become profits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Keypair } from '@stellar/stellar-sdk'
import { readTransactionResult } from '../../src/chain/rpc/outcome.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { ONE, startMovement } from './movement.ts'
import type { Ending } from './movement.ts'
import { testMovement } from './movement-tests.ts'

for (const build of ['1', '2.0', '2.1', '2.2'] as const) testMovement(build)

const WALLETS = 125
/** Of each kind; the four tests make a thousand. */
const CLOSES = 250
const TERMS = { asset: 'BTC', collateral: String(20n * ONE), leverage: 5, direction: 'Long' } as const

/** The mean and the largest, in stroops. */
const summary = (fees: readonly bigint[]): string => {
  const sum = fees.reduce((total, fee) => total + fee, 0n)
  return `${sum / BigInt(fees.length)} (largest ${fees.reduce((largest, fee) => (fee > largest ? fee : largest), 0n)})`
}

for (const build of ['1', '2.3'] as const) {
  for (const [name, preparedBps, appliedBps] of [['winning', 10_040n, 9_960n], ['losing', 9_960n, 10_040n]] as const) {
    test(`of ${CLOSES} closes that are prepared while ${name}, none is refused after the price has moved to the other side (${build})`, async (t) => {
      await using movement = await startMovement({ build, wallets: WALLETS })
      const endings: Ending[] = []
      const [minimum, extra, declared, charged]: [bigint[], bigint[], bigint[], bigint[]] = [[], [], [], []]
      for (let round = 0; endings.length < CLOSES; round++) {
        const cross = round % 2 === 1
        await movement.setPrice(10_000n)
        await movement.trade(movement.wallets, () => ({ op: cross ? 'open_position_cross' : 'open_position', ...TERMS }))
        await movement.setPrice(preparedBps)
        const closes: [Keypair, PreparedTransaction][] = []
        for (const wallet of movement.wallets) {
          const positionId = movement.positionOf(wallet)
          closes.push([wallet, await movement.prepare(wallet, { op: cross ? 'close_position_cross' : 'close_position', positionId })])
        }
        await movement.setPrice(appliedBps)
        endings.push(...await movement.apply(closes))
        for (const [, { hash, minResourceFee, extraResourceFee }] of closes) {
          const [min, added] = [BigInt(minResourceFee ?? 0), BigInt(extraResourceFee)]
          minimum.push(min)
          extra.push(added)
          declared.push(min + added)
          charged.push(readTransactionResult(movement.network.chain.history.transaction(hash)?.resultXdr ?? '')?.feeCharged ?? 0n)
        }
      }
      t.diagnostic(`stroops per close: simulated ${summary(minimum)}, added ${summary(extra)}, declared ${summary(declared)}, charged ${summary(charged)}`)
      assert.deepEqual(Object.entries(Object.groupBy(endings, (ending) => ending)).map(([ending, all]) => [ending, all?.length]), [['applied', CLOSES]])
    })
  }
}
