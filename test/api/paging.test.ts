// Every list with pages, followed by the nextCursor of its body: every row exactly once, and the last page says that it is the last.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ENDPOINTS, LISTS } from '../../client/src/generated/endpoint-table.ts'
import type { ListName } from '../../client/src/rest.ts'
import { defined } from '../../src/base/assert.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { reconcileAll } from './chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { call, obtainKey } from '../support/keys.ts'
import { createLogGateway } from './log-gateway.ts'
import type { LogGateway } from './log-gateway.ts'
import { cursorIn } from '../support/pagination.ts'
import type { Row } from '../support/pagination.ts'
import { createTrader, lastPositionId, ONE } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

const DAYS = 3
const STEPS_PER_DAY = 2
const DAY_SEC = 86_400
const REFERRER = 'GOWNER'.padEnd(56, 'A')
const PAGES_MAX = 200
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const

interface List {
  /** The path with its parameters; `@trader` is the trader. */
  readonly url: string
  /** The most rows that a page may have. */
  readonly max: number
  /** Rows that the list has at least. */
  readonly rows?: number
  /** Lists without a parameter `limit` have one page here. */
  readonly fixed?: true
  /** Oldest first within a page; later pages are older. */
  readonly ascending?: true
  /** True if it is read from the log that the test wrote. */
  readonly isLogged?: true
  /** Rows per unit of `limit`. */
  readonly rowsPerUnit?: number
}

const TABLE: Readonly<Record<ListName, List>> = {
  listCandles: { url: '/v1/candles?asset=BTC&interval=1h', max: 1_000, ascending: true },
  listTrades: { url: '/v1/trades?include_opens=true', max: 200 },
  listTraderLedger: { url: '/v1/traders/@trader/ledger', max: 200 },
  listAccountLedger: { url: '/v1/account/me/ledger', max: 200 },
  listLeaders: { url: '/v1/leaderboard?sort=volume', max: 200 },
  listCorrections: { url: '/v1/corrections?kind=ended', max: 200 },
  listEvents: { url: '/v1/events?topic=order_placed', max: 500 },
  listOpenPositions: { url: '/v1/positions/open?trader=@trader', max: 500, rows: 1, fixed: true },
  listOrders: { url: '/v1/orders/open?status=all', max: 200 },
  listAccountOrderHistory: { url: '/v1/account/me/orders/history', max: 200 },
  listVaults: { url: '/v1/vaults', max: 200 },
  listVaultTrades: { url: '/v1/vaults/1/trades', max: 200, isLogged: true },
  listVaultHistory: { url: '/v1/vaults/1/history', max: 500 },
  listVaultDeposits: { url: '/v1/vaults/1/deposits', max: 200, isLogged: true },
  listVaultWithdraws: { url: '/v1/vaults/1/withdraws', max: 200, isLogged: true },
  listVaultFeeClaims: { url: '/v1/vaults/1/fee-claims', max: 200, isLogged: true },
  listMyReferralTrades: { url: '/v1/referral/me/trades', max: 200, isLogged: true },
  listMyReferralClaims: { url: '/v1/referral/me/claims', max: 200, isLogged: true },
  listAccountEvents: { url: '/v1/account/me/events', max: 500 },
  listAccountOrderEvents: { url: '/v1/account/me/orders', max: 200 },
  listAccountPositions: { url: '/v1/account/me/positions', max: 500, rows: 1, fixed: true },
  listAccountFills: { url: '/v1/account/me/fills', max: 200 },
  listExports: { url: '/v1/export', max: 90, rowsPerUnit: 5 },
  listPoolHistory: { url: '/v1/pool/history', max: 500 },
  getLogRecord: { url: '/v1/log/records/1', max: 500, rows: 1, fixed: true },
  getFunding: { url: '/v1/funding', max: 200 },
  listKeys: { url: '/v1/keys', max: 200 },
  listAccountTransactions: { url: '/v1/account/me/transactions', max: 200 },
}

let network: GatewayFixture
let log: LogGateway
let trader: Trader
let referrerKey: IssuedKey

/** Three days of the local network, with one trader who uses everything. */
async function runNetwork(): Promise<void> {
  network = await createGatewayFixture({ traders: 3, seed: 'paging' })
  trader = await createTrader(network, 'paging')
  for (let keys = 0; keys < 2; keys++) await obtainKey(network.gateway.app, trader.wallet)
  for (let step = 0; step < DAYS * STEPS_PER_DAY; step++) {
    network.clock.advance((DAY_SEC / STEPS_PER_DAY) * 1_000)
    await network.closeLedgers(5)
    await network.catchUp()
    for (let observed = 1; observed > 0;) observed = await network.indexer.observe()
  }
  for (let trades = 0; trades < 2; trades++) {
    await trader.trade({ op: 'open_position', ...TERMS })
    await trader.trade({ op: 'close_position', positionId: await lastPositionId(network, trader.address) })
    await trader.trade({ op: 'place_limit_order', ...TERMS, triggerPrice: String(50_000n * ONE), triggerCondition: 'Below', slippageToleranceBps: 100 })
  }
  await trader.trade({ op: 'open_position', ...TERMS })
  await network.catchUp()
  // Positions that the ledger does not have.
  await network.store.write.query(`insert into idx.positions
      (contract_epoch, position_id, trader, asset, direction, size, entry_price, opened_seq, opened_at, state)
    select contract_epoch, 900000 + n, trader, asset, direction, size, entry_price, opened_seq, opened_at, 'open'
    from (select * from idx.positions limit 1) p cross join generate_series(1, 3) n`)
  await reconcileAll(network)
  for (let observed = 1; observed > 0;) observed = await network.indexer.observe()
  await network.catchUp()
}

/** A log with what the contracts of the local network do not do yet: referral rewards, fee claims. */
async function writeLog(): Promise<void> {
  log = await createLogGateway()
  referrerKey = await log.issueKey(REFERRER)
  log.log.append('referral', 'code_created', { referrer: REFERRER, code: 'Star' })
  const referee = 'GREFEREE'.padEnd(56, 'A')
  log.log.append('referral', 'referrer_set', { referee, referrer: REFERRER, code: 'Star' })
  for (const fee of [1_000, 2_000, 3_000]) {
    log.log.append('referral', 'trade_recorded', { referee, referrer: REFERRER, originalFee: String(fee), discount: '1', payout: '2' })
    log.log.append('referral', 'claimed', { referrer: REFERRER, amount: '2' })
  }
  log.log.append('vaultFactory', 'vault_created', { vaultId: 1, leader: REFERRER, name: 'first' })
  for (let round = 0; round < 3; round++) {
    log.log.append('vaultFactory', 'deposit', { vaultId: 1, depositor: referee, amount: '5', shares: '90000000' })
    log.log.append('vaultFactory', 'withdraw', { vaultId: 1, depositor: referee, shares: '1', usdcOut: '2' })
    log.log.append('vaultFactory', 'fees_claimed', { vaultId: 1, leader: REFERRER, owed: '3', newNav: '10000000' })
    log.log.leaderOpens({ vaultId: 1, leader: REFERRER, positionId: round, collateral: '5000' })
  }
  await log.log.commit()
}

before(async () => {
  await runNetwork()
  await writeLog()
})
after(async () => {
  await network[Symbol.asyncDispose]()
  await log[Symbol.asyncDispose]()
})

interface ListPage {
  readonly rows: readonly Row[]
  readonly hasMore: unknown
  readonly nextCursor: unknown
  readonly members: readonly string[]
  readonly link: string | undefined
}

async function readPage(name: ListName, { url, isLogged }: List, parameters: Readonly<Record<string, string | number>>): Promise<ListPage> {
  const [path = '', query = ''] = url.replace('@trader', trader.address).split('?')
  const search = new URLSearchParams(query)
  for (const [parameter, value] of Object.entries(parameters)) search.set(parameter, String(value))
  const reader = isLogged === true ? log.withKey(referrerKey) : { get: (page: string) => call(network.gateway.app, page, { key: trader.key }) }
  const { status, body, headers, text } = await reader.get<Record<string, unknown>>(`${path}?${search.toString()}`)
  assert.equal(status, 200, text)
  const rows = defined(body[LISTS[name]], LISTS[name]) as readonly Row[]
  return { rows, hasMore: body['hasMore'], nextCursor: body['nextCursor'], members: Object.keys(body), link: headers['link'] }
}

for (const [name, list] of Object.entries(TABLE) as [ListName, List][]) {
  const { max, rows: least = 2, fixed = false, ascending = false, rowsPerUnit = 1 } = list

  test(`${ENDPOINTS[name]}: nextCursor leads through every row exactly once`, async () => {
    const whole = await readPage(name, list, fixed ? {} : { limit: max })
    assert.ok(whole.rows.length >= least, `${whole.rows.length} rows`)
    const limit = Math.max(1, Math.ceil(whole.rows.length / rowsPerUnit / 10))
    const pages: ListPage[] = []
    for (let cursor: string | undefined; pages.length < PAGES_MAX;) {
      const page = await readPage(name, list, { ...(fixed ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) })
      pages.push(page)
      assert.deepEqual(page.members.slice(-2), ['hasMore', 'nextCursor'], 'after the members of the specification')
      assert.equal(page.hasMore, page.nextCursor !== null)
      if (typeof page.nextCursor !== 'string') break
      assert.equal(cursorIn(page.link), page.nextCursor, 'the Link header has the same cursor')
      cursor = page.nextCursor
    }
    assert.deepEqual([pages.at(-1)?.hasMore, pages.at(-1)?.nextCursor, pages.at(-1)?.link], [false, null, undefined])
    assert.ok(fixed || pages.length > 1, 'several pages')
    const inOrder = ascending ? pages.toReversed() : pages
    assert.deepEqual(inOrder.flatMap(({ rows }) => rows), whole.rows)
  })
}

test('lists without pages have neither member', async () => {
  for (const path of ['/v1/markets', '/v1/markets/stats', '/v1/oracle/prices']) {
    const { body } = await network.get(path)
    assert.deepEqual(['hasMore', 'nextCursor'].filter((member) => member in body), [], path)
  }
})

test('the positions of an account continue at the list of positions', async () => {
  const { body } = await call(network.gateway.app, '/v1/account/me/positions', { key: trader.key })
  assert.deepEqual([body['hasMore'], body['nextCursor']], [false, null])
})
