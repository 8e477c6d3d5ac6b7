// Events without an account in the log: they reach the account's subscribers when the indexer finds the owner. Frames sent before do not change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

const TERMS = { asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' } as const

test('delivers the end of an order without a placement event late, once and in order, live and replayed', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect, publishLedgers } = fixture
  const [alice, bob] = [await createTrader(fixture, 'alice'), await createTrader(fixture, 'bob')]
  const channel = `account.events.${alice.address}`
  const join = async (trader: Trader, more: object = {}): Promise<StreamClient> => {
    const client = await connect()
    client.send({ op: 'login', keyId: trader.key.keyId, secret: trader.key.secret })
    client.send({ op: 'subscribe', channels: [channel, 'events'], ...more })
    await client.settle()
    return client
  }
  const live = await join(alice)
  const topics = (client: StreamClient): unknown[] => client.of(channel).map(({ data }) => data?.['topic'])
  const limit = { triggerPrice: '500000000000', triggerCondition: 'Below', limitPrice: '490000000000', slippageToleranceBps: 100 } as const
  await alice.trade({ op: 'place_stop_limit_order', ...TERMS, ...limit })
  await alice.trade({ op: 'cancel_order', orderId: 1 })
  await alice.trade({ op: 'open_position', ...TERMS })
  await publishLedgers(1)
  await live.settle()
  assert.deepEqual(topics(live), ['position_opened'], 'the owner of the cancelled order is still unknown')

  assert.ok((await fixture.indexer.observe()) > 0)
  const cut = await join(alice, { since: live.of('events').at(-1)?.seq })
  await bob.trade({ op: 'open_position', ...TERMS })
  await publishLedgers(1)
  await live.settle()
  assert.deepEqual(topics(live), ['position_opened', 'order_cancelled'])
  assertUnbroken(live.of(channel), 0)
  const [before, late] = live.of(channel)
  const carrier = live.of('events').find(({ seq }) => seq === late?.seq)
  assert.ok((before?.seq ?? Infinity) < (late?.seq ?? 0) && carrier !== undefined, 'it has the seq of a later event')
  const original = live.of('events').find(({ data }) => data?.['topic'] === 'order_cancelled')
  assert.deepEqual(late?.data, { ...original?.data, owner: alice.address }, 'it has the data of the original event')

  await alice.trade({ op: 'open_position', ...TERMS, asset: 'XLM' })
  await publishLedgers(1)
  await Promise.all([live.settle(), cut.settle()])
  assertUnbroken(live.of(channel), 0)
  assert.deepEqual(cut.of(channel), live.of(channel).slice(1), 'a client that resumes gets it once')
  const whole = await join(alice, { since: 0 })
  await whole.frame((frame) => frame.channel === channel && frame.seq === live.of(channel).at(-1)?.seq)
  assert.deepEqual(whole.of(channel), live.of(channel), 'a full replay has it too')
})
