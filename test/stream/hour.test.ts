// An hour of the local network with all actors, read twice: as pages of REST and as frames of the stream. Every row is on each side exactly once, and the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { RealizedTrade } from '../../src/resources/realized-trade.ts'
import { executeOrders, liquidate, reduceAndDeleverage } from './every-print.ts'
import type { PrintScript } from './every-print.ts'
import { testServerUrl } from '../support/database.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer } from '../support/keys.ts'
import { followPages } from '../support/pagination.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamClient, StreamFrame } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

/** As on the public network. */
const LEDGER_MS = 5_000
const LEDGERS_PER_ROUND = 60
const ROUNDS = 12

/** The kinds of prints that a generation can cause. */
const KINDS = {
  1: ['close', 'liquidation', 'open'],
  2: ['adl', 'close', 'liquidation', 'open', 'partial_liquidation', 'reduce'],
} as const

const tradesChannels = ({ network }: GatewayFixture): readonly string[] => network.assets.map(({ symbol }) => `trades.${symbol}`)
const accountChannel = ({ address }: Trader): string => `account.events.${address}`

/** A client of all log channels: from now on, or from the beginning. */
async function subscribe(fixture: GatewayFixture, trader: Trader, since?: number): Promise<StreamClient> {
  const client = await fixture.connect()
  client.send({ op: 'login', keyId: trader.key.keyId, secret: trader.key.secret })
  await client.frame(({ type }) => type === 'login')
  client.send({ op: 'subscribe', channels: ['events', ...tradesChannels(fixture), accountChannel(trader)], ...(since === undefined ? {} : { since }) })
  await client.frame(({ type }) => type === 'subscribed')
  return client
}

/** One round: the trader acts, then all actors trade until five minutes have passed. */
async function playRound(script: PrintScript, round: number, generation: keyof typeof KINDS): Promise<void> {
  const { fixture } = script
  const endMs = fixture.clock.nowMs() + LEDGERS_PER_ROUND * LEDGER_MS
  if (round === 1 || round === 7) await executeOrders(script)
  if (round === 4) await liquidate(script)
  if (round === 9 && generation === 2) await reduceAndDeleverage(script)
  await fixture.publishLedgers(Math.max(1, Math.ceil((endMs - fixture.clock.nowMs()) / LEDGER_MS)))
  if (round % 4 === 1) for (let observed = 1; observed > 0;) observed = await fixture.indexer.observe()
}

const bySeq = (rows: readonly StreamFrame[]): StreamFrame[] => rows.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))

/** A frame of `events` as the members that the row has too. */
function toEvent({ seq, data = {} }: StreamFrame): object {
  const { eventId, contractId, topic, ledger, ledgerCloseTs, txHash, payload, raw } = data
  assert.deepEqual(raw, payload)
  return { seq, eventId, contractId, topic, ledger, ledgerCloseTs, txHash, payload }
}

function eventOf({ seq, eventId, contractId, topic, ledger, ledgerCloseTs, txHash, payload }: EventRow): object {
  return { seq, eventId, contractId, topic, ledger, ledgerCloseTs, txHash, payload }
}

function toTrade({ seq, data = {} }: StreamFrame): object {
  const { kind, asset, positionId, trader, price, pnl = null, ledger, ts, txHash, size, direction, eventId, orderId = null } = data
  return { seq, kind, asset, positionId, trader, price, pnl, ledger, ts: Number(ts) / 1_000, txHash, size, direction, eventId, orderId }
}

function tradeOf(row: RealizedTrade): object {
  const { seq, kind, asset, positionId, trader, entryPrice, closePrice, pnl, ledger, ts, txHash, size, direction, eventId, orderId } = row
  return { seq, kind, asset, positionId, trader, price: closePrice ?? entryPrice, pnl, ledger, ts, txHash, size, direction, eventId, orderId }
}

/** On a server, those of generation 2, which has all kinds of prints. */
const GENERATIONS = testServerUrl() === null ? [1, 2] as const : [2] as const

for (const generation of GENERATIONS) {
  test(`generation ${generation}: an hour of rows and of frames is the same, live and resumed`, { timeout: 600_000 }, async (context) => {
    await using fixture = await createGatewayFixture({ listen: true, seed: `hour ${generation}`, generation: `${generation}`, traders: 4, ledgerMs: LEDGER_MS })
    await fixture.publishLedgers(1)
    const trader = await createTrader(fixture, 'hour')
    await fixture.publishLedgers(1)
    const startMs = fixture.clock.nowMs()
    const live = await subscribe(fixture, trader)
    const { epoch, head } = (await live.frame(({ type }) => type === 'hello')) as unknown as { epoch: string; head: number }
    const script = { fixture, trader, name: 'hour' }
    for (let round = 0; round < ROUNDS; round++) {
      await playRound(script, round, generation)
      await live.settle()
    }
    await fixture.publishLedgers(1)
    await live.settle()
    assert.ok(fixture.clock.nowMs() - startMs >= 3_600_000, 'an hour has passed')

    const resumed = await subscribe(fixture, trader, head)
    const last = live.of('events').at(-1)?.seq
    await resumed.frame(({ channel, seq }) => channel === 'events' && seq === last)
    await resumed.settle()
    const reader = { get: <Body>(url: string) => fixture.get<Body>(url, { authorization: bearer(trader.key) }) }
    const rowsOf = async <Row extends { readonly seq: number }>(url: string, key: string): Promise<readonly Row[]> =>
      ((await followPages(reader, url, key)).flat() as unknown as Row[]).filter(({ seq }) => seq > head).toReversed()
    const events = await rowsOf<EventRow>('/v1/events?limit=500', 'events')
    const rows = await rowsOf<RealizedTrade>('/v1/trades?include_opens=true&limit=200', 'trades')
    const trades = rows.filter(({ kind }) => kind !== 'cross_liquidation')
    const account = await rowsOf<EventRow>('/v1/account/me/events?limit=500', 'events')
    for (const row of [...events, ...trades, ...account]) assert.equal(row.epoch, epoch)

    for (const client of [live, resumed]) {
      assertUnbroken(client.of('events'), head)
      assert.deepEqual(client.of('events').map(toEvent), events.map(eventOf))
      assert.deepEqual(bySeq(tradesChannels(fixture).flatMap((channel) => client.of(channel))).map(toTrade), trades.map(tradeOf))
      assert.deepEqual(client.of(accountChannel(trader)).map(toEvent), account.map(eventOf))
    }
    const kinds = Map.groupBy(trades, ({ kind }) => kind)
    const counts = [...kinds].map(([kind, { length }]) => `${length} ${kind}`)
    context.diagnostic(`${events.length} events, ${account.length} of the account, trades: ${counts.join(', ')}`)
    assert.deepEqual([...kinds.keys()].toSorted(), KINDS[generation])
    const byOrder = new Set(trades.flatMap(({ kind, orderId }) => (orderId === null ? [] : [kind])))
    assert.ok(byOrder.has('open') && byOrder.has('close'), 'orders caused some of them')
    const accounts = new Set(rows.flatMap(({ kind, txHash }) => (kind === 'cross_liquidation' ? [txHash] : [])))
    const legs = trades.filter(({ txHash }) => accounts.has(txHash))
    // Generation 1 reports the account of a cross liquidation, but no position of it.
    assert.ok(generation === 1 || (accounts.size > 0 && legs.length >= 2), 'a cross account was liquidated')
    assert.ok(account.length > 10)
  })
}
