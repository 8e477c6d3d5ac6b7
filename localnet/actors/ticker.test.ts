import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPriceFeed } from './price-feed.ts'
import { createTicker } from './ticker.ts'

/** A market in which every price is 100 until a test sets it. */
function setUp() {
  let price = 100n
  const feed = createPriceFeed({ advance: () => {}, price: () => price, setPrices: () => {} })
  const ticker = createTicker(feed)
  return {
    feed,
    ticker,
    at: (timeSec: number, present: bigint) => {
      price = present
      ticker.observe(timeSec)
    },
  }
}

test('measures the change over the requested period, or since the first sample', () => {
  const { ticker, at } = setUp()
  assert.equal(ticker.change('BTC', 60), 0)
  at(1_000, 100n)
  at(1_030, 110n)
  at(1_060, 121n)
  assert.equal(ticker.price('BTC'), 121n)
  assert.ok(Math.abs(ticker.change('BTC', 30) - 0.1) < 1e-9)
  assert.ok(Math.abs(ticker.change('BTC', 60) - 0.21) < 1e-9)
  assert.ok(Math.abs(ticker.change('BTC', 3_600) - 0.21) < 1e-9, 'no more is known')
})

test('keeps half an hour of samples', () => {
  const { ticker, at } = setUp()
  at(0, 50n)
  for (let timeSec = 1; timeSec <= 3_600; timeSec++) at(timeSec, 100n)
  assert.equal(ticker.change('BTC', 3_600), 0, 'the price of an hour ago is forgotten')
  at(3_605, 200n)
  assert.equal(ticker.change('BTC', 1_700), 1)
})

test('returns held prices, and no change after forget', () => {
  const { feed, ticker, at } = setUp()
  at(1_000, 100n)
  feed.hold('BTC', { price: 300n, ageSec: 0 })
  assert.equal(ticker.price('BTC'), 300n)
  assert.equal(ticker.change('BTC', 60), 2)
  assert.equal(ticker.change('ETH', 60), 0)
  ticker.forget()
  assert.equal(ticker.change('BTC', 60), 0)
})
