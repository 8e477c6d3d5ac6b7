// The predicted rate of funding is the rate that the contracts apply next, while nothing changes before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { readMarketSummary } from '../../src/chain/views/market-summary.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { describeFunding } from '../../src/markets/funding.ts'
import type { CurrentFunding, FundingRow } from '../../src/resources/funding.ts'
import { createControlledTransport } from '../support/controlled-transport.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { applyInOneLedger, createChainTrader, createTrader, ONE } from '../support/traders.ts'

const HOUR_SEC = 3_600
const ASSETS = ['BTC', 'ETH']

interface Funding {
  readonly current: CurrentFunding
  readonly history: readonly FundingRow[]
}

const opens = fc.record({
  asset: fc.constantFrom(...ASSETS), direction: fc.constantFrom('Long' as const, 'Short' as const), collateral: fc.bigInt(10n * ONE, 400n * ONE),
  leverage: fc.integer({ min: 1, max: 10 }),
})
const steps = fc.record({ opens: fc.array(opens, { maxLength: 2 }), waitSec: fc.integer({ min: 1, max: 2 * HOUR_SEC }) })

for (const generation of ['1', '2'] as const) {
  test(`generation ${generation}: the predicted rate is applied next, and the history of an asset has each application once`, async () => {
    await using fixture = await createGatewayFixture({ traders: 0, seed: `funding ${generation}`, generation })
    const { network } = fixture
    await fixture.control('local_actors', { keeper: false })
    await fixture.closeLedgers(3)
    // One for each side: from generation 2 on, an open may not offset all of an opposite position.
    const traders = { Long: await createTrader(fixture, 'funding longs'), Short: await createTrader(fixture, 'funding shorts') }
    const caller = await createChainTrader(fixture, 'caller')
    const rpc = createRpc({
      urls: ['http://local/rpc'], transport: createControlledTransport(network).transport, clock: fixture.clock, random: createSeededRandom('rpc'),
      log: silentLog,
    })
    const apply = (): Promise<void> => applyInOneLedger(fixture, [{ trader: caller, functionName: 'apply_funding', args: [] }])
    await fixture.control('local_advance', { seconds: HOUR_SEC })
    await apply()
    let applications = 0
    await fc.assert(fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 3 }), async (rounds) => {
      for (const round of rounds) {
        for (const terms of round.opens) {
          await fixture.closeLedgers(2)
          await traders[terms.direction].trade({ op: 'open_position', ...terms, collateral: String(terms.collateral) })
        }
        await fixture.control('local_advance', { seconds: round.waitSec })
      }
      await fixture.control('local_advance', { seconds: HOUR_SEC })
      const summary = await readMarketSummary(rpc, {
        market: network.contracts.market, generation: fixture.deployment.current.targetOf('market').generation, assets: ASSETS,
      })
      await apply()
      applications += 1
      await fixture.catchUp()
      const appliedSec = network.chain.history.latest().closeTimeSec
      const { assets: predicted } = describeFunding(summary, ASSETS, appliedSec)
      for (const asset of ASSETS) {
        const { body } = await fixture.get<Funding>(`/v1/funding?asset=${asset.toLowerCase()}&limit=1`)
        const [row] = body.history
        const { nextTs, predictedRate } = predicted.find((each) => each.asset === asset) ?? assert.fail(asset)
        assert.deepEqual([row?.ts, row?.fundingRate], [appliedSec, predictedRate], asset)
        assert.ok(nextTs !== null && nextTs <= appliedSec)
        assert.equal(row?.asset, generation === '1' ? null : asset)
      }
    }), { numRuns: fuzzRuns(3, 20), endOnFailure: true })
    const history = async (query: string): Promise<readonly FundingRow[]> => (await fixture.get<Funding>(`/v1/funding?limit=200${query}`)).body.history
    const all = await history('')
    for (const asset of ASSETS) {
      const expected = all.filter((row) => row.asset === null || row.asset === asset)
      // The list of one asset reaches further back.
      assert.deepEqual((await history(`&asset=${asset}`)).slice(0, expected.length), expected)
    }
    assert.ok((await history('&asset=BTC')).length >= applications)
    assert.deepEqual(await history('&asset=NONE'), [])
    fixture.clock.advance(60_000)
    const { current } = (await fixture.get<Funding>('/v1/funding?asset=ETH')).body
    assert.deepEqual(current.assets.map(({ asset }) => asset), ['ETH'])
    assert.equal(current.predictedRate === null, generation === '2')
    assert.equal(current.nextTs, generation === '2' ? null : Number(current.lastAppliedAt) + HOUR_SEC)
  })
}
