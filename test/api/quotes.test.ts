// GET /v1/markets/{asset}/quote equals the preview of a prepared open to the stroop when nothing has moved, on both generations.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LEVERAGE, QUOTE_CACHE_MS } from '../../src/limits.ts'
import type { MarketLimits } from '../../src/resources/market-limits.ts'
import type { TradePreview } from '../../src/resources/trade-preview.ts'
import type { TradeQuote } from '../../src/resources/trade-quote.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { call } from '../support/keys.ts'
import { createPreviewedTrader } from './previewed-trader.ts'
import type { PreviewedTrader } from './previewed-trader.ts'
import { createTrader, ONE, sign } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

interface Terms {
  readonly asset: string
  readonly collateral: string
  readonly leverage: number
  readonly direction: 'Long' | 'Short'
  /** Isolated without one. */
  readonly marginMode?: 'isolated' | 'cross'
}

const TERMS: Terms = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' }

for (const generation of ['1', '2'] as const) {
  describe(`generation ${generation}`, () => {
    let opened: PreviewedTrader
    before(async () => {
      opened = await createPreviewedTrader(generation)
      await opened.fixture.catchUp()
    })
    after(() => opened.fixture[Symbol.asyncDispose]())
    quoteTests(() => opened)
    traderTests(() => opened)
  })
}

async function quote({ fixture }: PreviewedTrader, { asset, ...terms }: Terms, trader?: string): Promise<TradeQuote> {
  fixture.clock.advance(QUOTE_CACHE_MS)
  const query = new URLSearchParams({ ...terms, leverage: String(terms.leverage), ...(trader === undefined ? {} : { trader }) })
  const { status, body, text } = await fixture.get<TradeQuote>(`/v1/markets/${asset}/quote?${query.toString()}`)
  assert.equal(status, 200, text)
  return body
}

/** The preview of preparing the open in a new ledger. */
async function preview({ fixture }: PreviewedTrader, { marginMode, ...opened }: Terms, trader: Trader): Promise<TradePreview> {
  await fixture.closeLedgers(1)
  const request = { method: 'POST', body: { op: marginMode === 'cross' ? 'open_position_cross' : 'open_position', ...opened }, key: trader.key } as const
  const { status, body, text } = await call(fixture.gateway.app, '/v1/orders/prepare', request)
  assert.equal(status, 200, text)
  return body['preview'] as TradePreview
}

async function act({ fixture }: PreviewedTrader, trader: Trader, body: object): Promise<void> {
  const prepared = await call(fixture.gateway.app, '/v1/actions/prepare', { method: 'POST', body, key: trader.key })
  assert.equal(prepared.status, 200, prepared.text)
  assert.equal((await trader.submit(sign(prepared.body as never, trader.wallet, fixture.network.networkPassphrase))).body['status'], 'SUCCESS')
}

function withoutHeadroom({ headroom: _headroom, bindingLimit: _bindingLimit, ...rest }: TradeQuote): TradePreview {
  return rest
}

const anyTerms = fc.record({
  asset: fc.constantFrom('BTC', 'XLM', 'DOGE'),
  collateral: fc.bigInt({ min: 10n * ONE + 1_000_000n, max: 5_000n * ONE }).map(String),
  leverage: fc.integer(LEVERAGE),
  direction: fc.constantFrom('Long' as const, 'Short' as const),
  marginMode: fc.constantFrom('isolated' as const, 'cross' as const),
})

function quoteTests(world: () => PreviewedTrader): void {
  test('equals the preview of a trader without a history, without naming the trader', async () => {
    const fresh = await createTrader(world().fixture, 'fresh')
    await fc.assert(fc.asyncProperty(anyTerms, async (drawn) => {
      const [expected, quoted] = [await preview(world(), drawn, fresh), await quote(world(), drawn)]
      assert.deepEqual(withoutHeadroom(quoted), expected)
    }), { numRuns: fuzzRuns(10, 60) })
  })

  test('the headroom and what binds are those of the market, at the same ledger', async () => {
    for (const direction of ['Long', 'Short'] as const) {
      await world().fixture.closeLedgers(4)
      const quoted = await quote(world(), { ...TERMS, direction })
      const { body } = await world().fixture.get<MarketLimits>('/v1/markets/btc/limits')
      const [room, limit] = direction === 'Long' ? [body.headroom.long, body.headroom.bindingLong] : [body.headroom.short, body.headroom.bindingShort]
      assert.deepEqual([BigInt(quoted.headroom ?? 0) <= BigInt(room ?? 0), quoted.ledger], [true, body.ledger])
      assert.ok(quoted.bindingLimit === 'maxPosition' || quoted.bindingLimit === limit)
    }
  })

  test('needs no key, is cacheable, and names the parameter that is wrong', async () => {
    const { fixture } = world()
    await fixture.closeLedgers(1)
    const good = { direction: 'Long', collateral: '100000000', leverage: '5' }
    const get = (changes: Record<string, string>, asset = 'btc') =>
      fixture.get(`/v1/markets/${asset}/quote?${new URLSearchParams({ ...good, ...changes }).toString()}`)
    const { status, headers } = await get({})
    assert.deepEqual([status, headers['cache-control']], [200, 'public, max-age=1'])
    assert.deepEqual((await get({}, 'shib')).status, 404)
    const wrong = [
      ['direction', 'long'], ['collateral', '-1'], ['collateral', '1e9'], ['leverage', '11'], ['leverage', '0'], ['trader', 'G'], ['marginMode', 'Cross'],
    ] as const
    for (const [name, value] of wrong) {
      const { status: rejected, body } = await get({ [name]: value })
      assert.equal(rejected, 400)
      assert.match(String(body['message']), new RegExp(`querystring/${name} `))
    }
    const notAddress = await get({ trader: 'G'.repeat(56) })
    assert.deepEqual([notAddress.status, String(notAddress.body['message'])], [400, 'querystring/trader must be an account (G…) or a contract (C…)'])
    assert.equal((await get({ trader: ' ' })).status, 200)
  })
}

function traderTests(world: () => PreviewedTrader): void {
  test('applies the trader\'s volume tier', async () => {
    const { fixture } = world()
    const active = await createTrader(fixture, 'active')
    const large: Terms = { ...TERMS, collateral: String(9_000n * ONE), leverage: 10 }
    await active.trade({ op: 'open_position', ...large })
    const other = { ...TERMS, asset: 'ETH' }
    const [expected, named, unnamed] = [await preview(world(), other, active), await quote(world(), other, active.address), await quote(world(), other)]
    assert.deepEqual(withoutHeadroom(named), expected)
    if (world().generation === '1') assert.ok(BigInt(named.fee ?? 0) < BigInt(unnamed.fee ?? 0), 'a lower fee')
  })

  test('applies the referral discount', async () => {
    const { fixture, generation } = world()
    if (generation === '1') return
    const [referrer, referee] = [await createTrader(fixture, 'referrer'), await createTrader(fixture, 'referee')]
    await act(world(), referrer, { op: 'create_referral_code', code: 'STAR' })
    await act(world(), referee, { op: 'set_referrer', code: 'STAR' })
    const [expected, named, unnamed] = [await preview(world(), TERMS, referee), await quote(world(), TERMS, referee.address), await quote(world(), TERMS)]
    assert.deepEqual(withoutHeadroom(named), expected)
    assert.equal(BigInt(named.fee ?? 0), (BigInt(unnamed.fee ?? 0) * 96n) / 100n)
  })

  for (const marginMode of ['isolated', 'cross'] as const) {
    test(`closes the trader's ${marginMode} positions in the other direction first, where the exchange does`, async () => {
      const { fixture } = world()
      const trader = await createTrader(fixture, `netting ${marginMode}`)
      const op = marginMode === 'cross' ? 'open_position_cross' : 'open_position'
      await act(world(), trader, { op: 'deposit_cross_margin', amount: String(500n * ONE) })
      await trader.trade({ op, ...TERMS, asset: 'SOL' })
      await trader.trade({ op, ...TERMS, asset: 'SOL', leverage: 2 })
      // A position of the other mode stays.
      await trader.trade({ op: marginMode === 'cross' ? 'open_position' : 'open_position_cross', ...TERMS, asset: 'SOL' })
      await fixture.control('local_advance', { seconds: 3 * 86_400 })
      await fixture.closeLedgers(5)
      await fc.assert(fc.asyncProperty(fc.bigInt({ min: 200n * ONE, max: 4_000n * ONE }), async (collateral) => {
        const opposite: Terms = { asset: 'SOL', collateral: String(collateral), leverage: 10, direction: 'Short', marginMode }
        const [expected, quoted] = [await preview(world(), opposite, trader), await quote(world(), opposite, trader.address)]
        assert.deepEqual(withoutHeadroom(quoted), expected)
        assert.equal(quoted.pnl === null, world().generation === '1')
        assert.equal(quoted.payout === null, world().generation === '1')
      }), { numRuns: fuzzRuns(5, 30) })
      if (world().generation === '1') return
      const tooSmall = await quote(world(), { asset: 'SOL', collateral: String(60n * ONE), leverage: 10, direction: 'Short', marginMode }, trader.address)
      assert.deepEqual([tooSmall.size, tooSmall.fee, tooSmall.positionId], [null, null, null], 'the exchange would not open it')
    })
  }
}
