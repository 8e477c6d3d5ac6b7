// Public data of markets: prices, positions, trades, limits, quotes.

import type { CallOptions } from '../http.ts'
import type { MarketLimits, OpenPosition } from '../generated/resources.ts'
import type { Argument, Command, Context, Flag } from './command.ts'
import { flagText } from './command.ts'
import { toPercent } from './decimal.ts'
import { listing, table } from './table.ts'
import type { Column } from './table.ts'
import { timeOf } from './time.ts'
import { UsageError } from './usage-error.ts'

const ASSETS_ARGUMENT = { name: 'ASSET', help: 'symbols like BTC; all if omitted', isOptional: true, isMany: true }
export const LIMIT_FLAG = { name: 'limit', value: 'N', help: 'number of rows; 20 by default, at most 1000' }
export const AT_LEDGER_FLAG: Flag = { name: 'at-ledger', value: 'LEDGER', help: 'as it stood after this ledger' }
const ROWS_MAX = 1000
export const PAGE_MAX = 200

export const callOptions = ({ signal }: Context): CallOptions => ({ signal })

/** The number of rows of `--limit`. */
export function limitOf(context: Context, { byDefault = 20, max = ROWS_MAX }: { readonly byDefault?: number; readonly max?: number } = {}): number {
  const text = flagText(context, 'limit') ?? String(byDefault)
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > max) throw new UsageError(`--limit: ${JSON.stringify(text)} is not a number from 1 to ${max}.`)
  return limit
}

/** The parameter of `--at-ledger`. */
export function atLedgerOf(context: Context): { readonly at_ledger?: number } {
  const text = flagText(context, 'at-ledger')
  if (text === undefined) return {}
  if (!/^\d{1,10}$/.test(text)) throw new UsageError(`--at-ledger: ${JSON.stringify(text)} is not the number of a ledger.`)
  return { at_ledger: Number(text) }
}

/** The first `limit` rows of a list, across pages. */
export async function firstRows<Row>(rows: AsyncIterable<Row>, limit: number): Promise<Row[]> {
  const first: Row[] = []
  for await (const row of rows) {
    first.push(row)
    if (first.length >= limit) break
  }
  return first
}

/** The rows of the given assets, or all rows. Throws UsageError for an unknown asset. */
function selectAssets<Row extends { readonly asset: string }>(rows: readonly Row[], wanted: readonly string[]): readonly Row[] {
  const symbols = wanted.map((asset) => asset.toUpperCase())
  const unknown = symbols.find((symbol) => rows.every(({ asset }) => asset !== symbol))
  if (unknown !== undefined) throw new UsageError(`Unknown market ${unknown}.`, `Markets: ${rows.map(({ asset }) => asset).join(', ')}.`)
  return symbols.length === 0 ? rows : rows.filter(({ asset }) => symbols.includes(asset))
}

/** An empty list has two causes. Throws UsageError when it is an asset that the exchange does not have. */
export async function checkAssetOfEmpty(context: Context, rows: readonly unknown[], asset: string | undefined): Promise<void> {
  if (rows.length > 0 || asset === undefined) return
  const { body } = await context.client().listMarkets({}, callOptions(context))
  selectAssets(body.markets.map(({ asset: { symbol } }) => ({ asset: symbol })), [asset])
}

export const sideOf = (direction: number | null): string | null => (direction === null ? null : direction === 0 ? 'long' : 'short')

async function prices(context: Context): Promise<void> {
  const { body, isStale } = await context.progress.run('Loading prices', () => context.client().listOraclePrices({}, callOptions(context)))
  const rows = selectAssets(body.prices, context.rest)
  context.show({ prices: rows }, table([
    { title: 'asset', text: ({ asset }) => asset },
    { title: 'price', align: 'point', text: ({ price }) => context.format(price) },
    { title: 'attested (UTC)', text: ({ timestamp }) => timeOf(timestamp) }, { title: 'age, s', align: 'right', text: ({ ageSec }) => ageSec },
    { title: 'ledger', align: 'right', text: ({ ledger }) => ledger },
    { title: 'state', text: ({ stale }) => (stale === null ? null : stale ? 'stale' : 'live') },
  ], rows, 'No prices are available.'))
  if (isStale) context.note('Some prices could not be refreshed. Check when they were attested.')
}

async function markets(context: Context): Promise<void> {
  const { body } = await context.progress.run('Loading markets', () => context.client().listMarketStats(atLedgerOf(context), callOptions(context)))
  const rows = selectAssets(body.stats, context.rest)
  const amount = (title: string, text: (row: (typeof rows)[number]) => string | null): Column<(typeof rows)[number]> =>
    ({ title, align: 'point', text: (row) => context.format(text(row)) })
  context.show({ stats: rows }, table([
    { title: 'asset', text: ({ asset }) => asset },
    amount('long', ({ openInterestLong }) => openInterestLong), amount('short', ({ openInterestShort }) => openInterestShort),
    amount('net', ({ openInterestNet }) => openInterestNet), { title: 'positions', align: 'right', text: ({ openPositions }) => openPositions },
    amount('volume 24 h', ({ volume24h }) => volume24h),
    { title: 'change 24 h', align: 'point', text: ({ change24h }) => (change24h === null ? null : `${change24h.toFixed(2)} %`) },
    amount('high 24 h', ({ high24h }) => high24h), amount('low 24 h', ({ low24h }) => low24h),
  ], rows, 'No markets.'))
}

type Trading = Pick<MarketLimits, 'tradingPaused' | 'pauseMode' | 'assetHalted' | 'adlActive'>

/** Says if a position can be opened. Null: unknown. */
export function tradingState({ tradingPaused, pauseMode, assetHalted, adlActive }: Trading): string | null {
  if (pauseMode !== null && pauseMode !== 0) return pauseText(pauseMode)
  if (tradingPaused === true) return 'paused: no position can be opened'
  if (assetHalted === true) return 'halted: no position can be opened'
  if (adlActive === true) return 'auto-deleveraging: no position can be opened'
  // Only contracts that have pause modes can halt one asset.
  const isUnknown = tradingPaused === null || (pauseMode !== null && (assetHalted === null || adlActive === null))
  return isUnknown ? null : 'open'
}

/** Describes what a pause mode of the market allows. */
export function pauseText(mode: number): string {
  return ['open', 'paused: positions can only be closed', 'frozen: no position can be opened or closed'][mode] ?? `mode ${mode}`
}

const BINDING_LIMITS: Readonly<Record<NonNullable<MarketLimits['headroom']['bindingLong']>, string>> = {
  aggregate: 'open interest of all markets', side: 'cap of this side', skew: 'difference between longs and shorts', liquidity: 'liquidity of the pool',
  maxPosition: 'maximum size',
}

async function limits(context: Context): Promise<void> {
  const asset = context.args['ASSET'] ?? ''
  const { body } = await context.progress.run('Loading limits', () => context.client().getMarketLimits({ asset }, callOptions(context)))
  const bps = (value: number | null): string | null => (value === null ? null : toPercent(String(value * 1000)))
  const tiers = body.feeTiers?.map(({ minVolume, makerRate, takerRate }) =>
    `taker ${toPercent(takerRate)}, maker ${toPercent(makerRate)} from a 14-day volume of ${context.format(minVolume) ?? ''}`)
  const room = (units: string | null, limit: MarketLimits['headroom']['bindingLong']): string | null =>
    (units === null ? null : `${context.format(units) ?? ''}${limit === null ? '' : `, by the ${BINDING_LIMITS[limit]}`}`)
  const { base, rate } = body.keeperFee
  context.show(body, listing([
    ['asset', body.asset], ['ledger', body.ledger], ['leverage', `${body.minLeverage} to ${body.maxLeverage ?? '–'}`],
    ['minimum collateral', context.format(body.minCollateral)], ['maximum size', context.format(body.maxPositionSize)],
    ['initial margin', bps(body.initialMarginBps)], ['maintenance margin', bps(body.maintenanceMarginBps)],
    ['slippage', `${bps(body.slippageToleranceBps.min) ?? ''} to ${bps(body.slippageToleranceBps.max) ?? ''}`],
    ['trailing distance', `${bps(body.trailingPercentBps.min) ?? ''} to ${bps(body.trailingPercentBps.max) ?? ''}`],
    ['open longs', context.format(body.openInterest.long)], ['room for longs', room(body.headroom.long, body.headroom.bindingLong)],
    ['open shorts', context.format(body.openInterest.short)], ['room for shorts', room(body.headroom.short, body.headroom.bindingShort)],
    ['cap of each side', context.format(body.assetSideCap)],
    ['maximum price age', body.maxPriceAgeSec === null ? null : `${body.maxPriceAgeSec} s`],
    ['maximum price deviation', bps(body.maxPriceDeviationBps)],
    ['keeper\'s fee', base === null || rate === null ? null : `${context.format(base) ?? ''} and ${toPercent(rate)} of the size`],
    ['trading', tradingState(body)],
    ...(tiers ?? []).map((tier, index) => [index === 0 ? 'fees' : '', tier] as const),
  ]))
}

function bookColumns(context: Context): Column<OpenPosition>[] {
  return [
    { title: 'position', align: 'right', text: ({ positionId }) => positionId }, { title: 'asset', text: ({ asset }) => asset },
    { title: 'side', text: ({ direction }) => sideOf(direction) }, { title: 'size', align: 'point', text: ({ size }) => context.format(size) },
    { title: 'entry price', align: 'point', text: ({ entryPrice }) => context.format(entryPrice) },
    { title: 'opened (UTC)', text: ({ openedAt }) => timeOf(openedAt) }, { title: 'account', text: ({ trader }) => context.formatAddress(trader) },
  ]
}

async function book(context: Context): Promise<void> {
  const asset = context.args['ASSET']?.toUpperCase()
  const account = flagText(context, 'account')
  const limit = limitOf(context, { byDefault: 100 })
  const input = { ...atLedgerOf(context), ...(account === undefined ? {} : { trader: account }) }
  const client = context.client()
  async function* matching(): AsyncGenerator<OpenPosition> {
    for await (const row of client.rows('listOpenPositions', input, callOptions(context))) {
      if (asset === undefined || row.asset === asset) yield row
    }
  }
  const { rows, isMore } = await context.progress.run('Loading positions', async () => {
    const first = await firstRows(matching(), limit + 1)
    return { rows: first.slice(0, limit), isMore: first.length > limit }
  })
  await checkAssetOfEmpty(context, rows, asset)
  const total = (direction: number): string => String(rows.filter((row) => row.direction === direction).reduce((sum, { size }) => sum + BigInt(size), 0n))
  const empty = asset === undefined ? 'No open positions.' : `No open positions in ${asset}.`
  const text = table(bookColumns(context), [...rows].sort(byBookOrder), empty)
  const totals = `${rows.length} shown: long ${context.format(total(0)) ?? ''}, short ${context.format(total(1)) ?? ''}\n`
  const side = (name: string, [level]: readonly (readonly string[])[]): string =>
    (level === undefined ? '' : `${name} ${context.format(level[0] ?? '') ?? ''}, room ${context.format(level[1] ?? '') ?? ''}\n`)
  const levels = asset === undefined || input.at_ledger !== undefined ? undefined : (await client.getBook({ asset }, callOptions(context))).body
  const head = levels === undefined ? '' : side('ask', levels.asks) + side('bid', levels.bids)
  context.show({ positions: rows, ...(levels === undefined ? {} : { book: levels }) }, head + (rows.length === 0 ? text : text + totals))
  if (isMore) context.note(`Only the newest positions are shown. Use --limit for up to ${ROWS_MAX}.`)
}

/** By market; in each market shorts above longs and higher prices above lower ones, as in an order book. */
function byBookOrder(one: OpenPosition, other: OpenPosition): number {
  if (one.asset !== other.asset) return one.asset < other.asset ? -1 : 1
  if (one.direction !== other.direction) return other.direction - one.direction
  const difference = BigInt(other.entryPrice) - BigInt(one.entryPrice)
  return difference > 0n ? 1 : difference < 0n ? -1 : one.positionId - other.positionId
}

async function trades(context: Context): Promise<void> {
  const market = context.args['ASSET']
  const account = flagText(context, 'account')
  const limit = limitOf(context)
  const input = {
    limit: Math.min(limit, PAGE_MAX), ...(market === undefined ? {} : { asset: market }), ...(account === undefined ? {} : { trader: account }),
    ...(context.flags['opens'] === true ? { include_opens: true } : {}), ...atLedgerOf(context),
  }
  const rows = await context.progress.run('Loading trades', () => firstRows(context.client().rows('listTrades', input, callOptions(context)), limit))
  await checkAssetOfEmpty(context, rows, market)
  context.show({ trades: rows }, table([
    { title: 'time (UTC)', text: ({ ts }) => timeOf(ts) }, { title: 'asset', text: ({ asset }) => asset },
    { title: 'side', text: ({ direction }) => sideOf(direction) },
    { title: 'kind', text: ({ kind }) => kind }, { title: 'size', align: 'point', text: ({ size }) => context.format(size) },
    { title: 'entry price', align: 'point', text: ({ entryPrice }) => context.format(entryPrice) },
    { title: 'close price', align: 'point', text: ({ closePrice }) => context.format(closePrice) },
    { title: 'pnl', align: 'point', text: ({ pnl }) => context.format(pnl) }, { title: 'position', align: 'right', text: ({ positionId }) => positionId },
    { title: 'order', align: 'right', text: ({ orderId }) => orderId }, { title: 'account', text: ({ trader }) => context.formatAddress(trader) },
  ], rows, 'No trades.'))
}

async function quote(context: Context): Promise<void> {
  const { ASSET: asset = '', SIDE: side = '', COLLATERAL: collateral = '' } = context.args
  const trader = flagText(context, 'account')
  const input = {
    asset: asset.toUpperCase(), direction: directionOf(side), collateral: context.parseUnits(collateral, 'COLLATERAL'), leverage: leverageOf(context),
    marginMode: context.flags['cross'] === true ? 'cross' as const : 'isolated' as const, ...(trader === undefined ? {} : { trader }),
  }
  const { body } = await context.progress.run('Loading the quote', () => context.client().getQuote(input, callOptions(context)))
  const price = (units: string | null): string | null => context.format(units)
  context.show(body, listing([
    ['entry price', price(body.entryPrice)], ['size', price(body.size)], ['collateral after fees', price(body.collateral)], ['fee', price(body.fee)],
    ['liquidation price', price(body.liquidationPrice)], ['price attested (UTC)', timeOf(body.priceTimestamp)], ['ledger', body.ledger],
    ['room in this direction', price(body.headroom)], ['limited by', body.bindingLimit],
  ]))
}

/** The direction that SIDE names. */
export function directionOf(side: string): 'Long' | 'Short' {
  const direction = { long: 'Long', short: 'Short' }[side.toLowerCase()] as 'Long' | 'Short' | undefined
  if (direction === undefined) throw new UsageError(`SIDE: ${JSON.stringify(side)} is neither long nor short.`)
  return direction
}

/** The number of --leverage, which is required. */
export function leverageOf(context: Context): number {
  const text = flagText(context, 'leverage')
  if (text === undefined) throw new UsageError('--leverage is missing. Example: --leverage 5')
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--leverage: ${JSON.stringify(text)} is not a whole number.`)
  return Number(text)
}

export const ENTRY: readonly Argument[] = [
  { name: 'ASSET', help: 'a symbol like BTC' }, { name: 'SIDE', help: 'long or short' }, { name: 'COLLATERAL', help: 'in USDC, like 100' },
]
export const CROSS: Flag = { name: 'cross', help: 'use cross margin' }
export const LEVERAGE: Flag = { name: 'leverage', value: 'N', help: 'position size as a multiple of the collateral; required' }

const ACCOUNT_FLAG = { name: 'account', value: 'ADDRESS', help: 'only this account (G…) or contract (C…)' }
export const MARKET_ARGUMENT = { name: 'ASSET', help: 'a symbol like BTC; all markets if omitted', isOptional: true }

export const EXCHANGE_COMMANDS: readonly Command[] = [
  { name: 'prices', summary: 'Oracle prices.', arguments: [ASSETS_ARGUMENT], examples: ['prices', 'prices BTC ETH --json'], run: prices },
  {
    name: 'markets', summary: 'Open interest of each market, and volume and price range of the past 24 hours.',
    arguments: [ASSETS_ARGUMENT], flags: [AT_LEDGER_FLAG], examples: ['markets BTC'], run: markets,
  },
  {
    name: 'limits', summary: 'A market\'s limits: leverage, sizes, fees and remaining open interest.',
    arguments: [{ name: 'ASSET', help: 'a symbol like BTC' }], examples: ['limits BTC'], run: limits,
  },
  {
    name: 'book', summary: 'Open positions, of one market or of all; of one with the price and the room of each side.', arguments: [MARKET_ARGUMENT],
    details: ['This exchange has no order book: positions are opened against a pool at the oracle price. This lists the positions instead.'],
    flags: [ACCOUNT_FLAG, { name: 'limit', value: 'N', help: 'number of positions, newest first; 100 by default, at most 1000' }, AT_LEDGER_FLAG],
    examples: ['book BTC', 'book --account GBX7… --json'], run: book,
  },
  {
    name: 'trades', summary: 'Closed and liquidated positions, newest first.', arguments: [MARKET_ARGUMENT],
    flags: [ACCOUNT_FLAG, { name: 'opens', help: 'also list opened positions' }, LIMIT_FLAG, AT_LEDGER_FLAG],
    examples: ['trades BTC --limit 5', 'trades --opens'], run: trades,
  },
  {
    name: 'quote', summary: 'What opening a position would do now: price, fee, liquidation price and room.', arguments: ENTRY,
    flags: [LEVERAGE, { name: 'account', value: 'ADDRESS', help: 'with the fees and positions of this account (G…)' }, CROSS],
    examples: ['quote BTC long 100 --leverage 5'], run: quote,
  },
]
