// The exchange as a whole: vaults, the liquidity pool, the leaderboard, and the state of everything on one screen.

import { RateLimited, Unauthorized } from '../errors.ts'
import type { Health, Instrument, PoolState, TraderVault } from '../generated/resources.ts'
import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { toPercent } from './decimal.ts'
import { AT_LEDGER_FLAG, atLedgerOf, callOptions, firstRows, LIMIT_FLAG, limitOf, PAGE_MAX, pauseText } from './exchange-commands.ts'
import { listing, table } from './table.ts'
import type { Column } from './table.ts'
import { timeOf } from './time.ts'
import { UsageError } from './usage-error.ts'

const bps = (value: number | null): string | null => (value === null ? null : toPercent(String(value * 1000)))

async function vaults(context: Context): Promise<void> {
  const limit = limitOf(context)
  const leader = flagText(context, 'leader')
  const input = { limit: Math.min(limit, PAGE_MAX), ...(leader === undefined ? {} : { leader }), ...atLedgerOf(context) }
  const rows = await context.progress.run('Loading vaults', () => firstRows(context.client().rows('listVaults', input, callOptions(context)), limit))
  const amount = (title: string, text: (row: TraderVault) => string): Column<TraderVault> =>
    ({ title, align: 'point', text: (row) => context.format(text(row)) })
  context.show({ vaults: rows }, table([
    { title: 'vault', align: 'right', text: ({ id }) => id }, { title: 'name', text: ({ name }) => name },
    amount('value', ({ totalUsdc }) => totalUsdc), amount('shares', ({ circulatingShares }) => circulatingShares),
    amount('trading pnl', ({ closedTradePnl }) => closedTradePnl), { title: 'apy', align: 'right', text: ({ apyBps }) => bps(apyBps) },
    { title: 'drawdown', align: 'right', text: ({ drawdownBps }) => bps(drawdownBps) },
    { title: 'leader\'s share', align: 'right', text: ({ profitShareBps }) => bps(profitShareBps) },
    { title: 'depositors', align: 'right', text: ({ depositorCount }) => depositorCount },
    { title: 'open', align: 'right', text: ({ openPositions }) => openPositions }, { title: 'trades', align: 'right', text: ({ tradeCount }) => tradeCount },
    { title: 'state', text: ({ paused }) => (paused ? 'paused' : 'open') }, { title: 'leader', text: ({ leader: address }) => context.formatAddress(address) },
  ], rows, 'No vaults.'))
}

async function pool(context: Context): Promise<void> {
  const { body } = await context.progress.run('Loading the pool', () => context.client().getPool({}, callOptions(context)))
  const amount = (units: string | null): string | null => context.format(units)
  const state = listing([
    ['ledger', body.ledger], ['value', amount(body.aum)], ['share price', amount(body.lpPrice)], ['shares', amount(body.lpSupply)],
    ['deposited', amount(body.totalUsdc)], ['USDC held', amount(body.usdcBalance)], ['fees earned', amount(body.totalFees)],
    ['unrealized pnl', amount(body.unrealizedPnl)], ['reserved for payouts', amount(body.reservedPayout)], ['shortfall', amount(body.shortfall)],
    ['deposit fee', bps(body.depositFeeBps)], ['withdrawal fee', bps(body.withdrawFeeBps)],
    ['state', body.paused === null ? null : body.paused ? 'paused' : 'open'], ['room for positions', amount(body.headroom.total)],
  ])
  type Room = PoolState['headroom']['assets'][number]
  const room = (title: string, text: (row: Room) => string | null): Column<Room> => ({ title, align: 'point', text: (row) => amount(text(row)) })
  context.show(body, `${state}\n${table([
    { title: 'asset', text: ({ asset }) => asset }, room('room for longs', ({ long }) => long), room('room for shorts', ({ short }) => short),
  ], body.headroom.assets, 'No markets.')}`)
}

async function instruments(context: Context): Promise<void> {
  const { body } = await context.progress.run('Loading instruments', () => context.client().listInstruments({}, callOptions(context)))
  const amount = (title: string, text: (row: Instrument) => string | null): Column<Instrument> =>
    ({ title, align: 'point', text: (row) => context.format(text(row)) })
  context.show(body, table([
    { title: 'asset', text: ({ symbol }) => symbol }, amount('min size', ({ minNotional }) => minNotional), amount('max size', ({
      maxNotional }) => maxNotional),
    { title: 'leverage', align: 'right', text: ({ maxLeverage }) => maxLeverage },
    { title: 'initial margin', align: 'right', text: ({ initialMarginBps }) => bps(initialMarginBps) },
    { title: 'maintenance', align: 'right', text: ({ maintenanceMarginBps }) => bps(maintenanceMarginBps) },
    { title: 'taker fee', align: 'right', text: ({ feeTiers: [tier] }) => (tier === undefined ? null : toPercent(String(tier.takerDeciBps * 100))) },
    { title: 'orders', text: ({ orderTypes }) => orderTypes.length }, { title: 'state', text: ({ open }) => (open ? 'open' : 'closed') },
  ], body.instruments, 'No markets.'))
}

const SORTS = ['pnl', 'volume'] as const

async function leaders(context: Context): Promise<void> {
  const sort = SORTS.find((one) => one === (flagText(context, 'sort') ?? 'pnl'))
  if (sort === undefined) throw new UsageError(`--sort must be ${SORTS.join(' or ')}.`)
  const limit = limitOf(context)
  const list = context.client().rows('listLeaders', { sort, limit: Math.min(limit, PAGE_MAX), ...atLedgerOf(context) }, callOptions(context))
  const rows = await context.progress.run('Loading the leaderboard', () => firstRows(list, limit))
  context.show({ sort, leaders: rows }, table([
    { title: 'rank', align: 'right', text: ({ rank }) => rank }, { title: 'account', text: ({ trader }) => context.formatAddress(trader) },
    { title: 'realised pnl', align: 'point', text: ({ pnl }) => context.format(pnl) },
    { title: 'volume', align: 'point', text: ({ volume }) => context.format(volume) },
    { title: 'trades', align: 'right', text: ({ trades }) => trades }, { title: 'liquidations', align: 'right', text: ({ liqCount }) => liqCount },
  ], rows, 'Nobody has traded yet.'))
}

/** The account of the configured key, and what prevents it from being read. */
interface StatusAccount {
  readonly value: { readonly owner: string; readonly usdc: string | null; readonly positions: number | null; readonly orders: number | null } | null
  readonly problem: string
}

async function accountOf(context: Context): Promise<StatusAccount> {
  try {
    const { body } = await context.clientWithKey().getAccountState({}, callOptions(context))
    const { owner, balances, positions, orders } = body
    return { value: { owner, usdc: balances.usdc, positions: positions?.length ?? null, orders: orders?.length ?? null }, problem: '' }
  } catch (error) {
    if (error instanceof UsageError) return { value: null, problem: 'no API key configured' }
    if (error instanceof Unauthorized) return { value: null, problem: `the API key was not accepted (${error.code})` }
    if (error instanceof RateLimited) throw error
    return { value: null, problem: 'not available now' }
  }
}

function accountLines(context: Context, { value, problem }: StatusAccount): readonly (readonly [string, string | number | null])[] {
  if (value === null) return [['account', problem]]
  const { owner, usdc, positions, orders } = value
  return [['account', owner], ['USDC', context.format(usdc)], ['positions', positions ?? 'unknown'], ['resting orders', orders ?? 'unknown']]
}

async function status(context: Context): Promise<void> {
  const client = context.client()
  const options = callOptions(context)
  const [{ body: health }, { body: { prices } }, account] = await context.progress.run('Loading the state', () =>
    Promise.all([client.getHealth({}, options), client.listOraclePrices({}, options), accountOf(context)]))
  const { indexer } = health
  const { mode } = health.market.pauseState
  const trading = mode === null ? await tradingText(context, prices[0]?.asset) : pauseText(mode)
  const oldest = [...prices].sort((one, other) => other.ageSec - one.ageSec)[0]
  const stale = prices.filter((price) => price.stale === true).map(({ asset }) => asset)
  const lag = indexer.ledgerAgeSeconds
  // Health has the same nulls before the first ledger and while the index cannot be read.
  const progress = lag === null ? 'nothing indexed yet, or not readable now' : `${lag} s behind the last ledger's close`
  const value = {
    gateway: { version: health.version, network: health.network, uptime: health.uptime }, protocol: health.protocol,
    index: { lastLedger: indexer.lastLedger, ledgerAgeSeconds: lag, gaps: indexer.gaps },
    prices: { count: prices.length, oldestAsset: oldest?.asset ?? null, oldestAgeSec: oldest?.ageSec ?? null, stale },
    trading, account: account.value,
  }
  context.show(value, listing([
    ['gateway', `version ${health.version}, up for ${durationOf(health.uptime)}`], ['network', health.network], ['protocol', protocolText(health.protocol)],
    ['ledger', indexer.lastLedger], ['index', progress],
    ['last update (UTC)', timeOf(indexer.lastUpdatedAt === null ? null : Math.floor(indexer.lastUpdatedAt / 1000))],
    ['missing ledgers', indexer.gaps], ['trading', trading],
    ['prices', oldest === undefined ? 'none' : `${prices.length}, the oldest is ${oldest.ageSec} s old (${oldest.asset})`],
    ['stale prices', stale.length === 0 ? 'none' : stale.join(', ')], ...accountLines(context, account),
  ]))
}

/** The network's protocol, and whether the gateway knows it. */
function protocolText(protocol: Health['protocol'] | undefined): string {
  // Older gateways do not report it.
  const { network = null, known = 0, unknown = [] } = protocol ?? {}
  if (network === null) return 'unknown'
  return network <= known && unknown.length === 0 ? String(network) : `${network}, and the gateway is older: it knows ${known}`
}

/** Says if a market without pause modes allows opens; null when that is unknown. */
async function tradingText(context: Context, asset: string | undefined): Promise<string | null> {
  if (asset === undefined) return null
  try {
    const { body } = await context.client().getMarketLimits({ asset }, callOptions(context))
    return body.tradingPaused === null ? null : body.tradingPaused ? 'paused' : 'open'
  } catch (error) {
    if (error instanceof RateLimited) throw error
    return null
  }
}

function durationOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  return days > 0 ? `${days} d ${hours} h` : hours > 0 ? `${hours} h ${minutes % 60} min` : minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`
}

export const VENUE_COMMANDS: readonly Command[] = [
  {
    name: 'status', summary: 'The state of the gateway, the index, prices and your account on one screen.', examples: ['status', 'status --json'], run: status,
  },
  {
    name: 'vaults', summary: 'Trader vaults, newest first.',
    flags: [{ name: 'leader', value: 'ADDRESS', help: 'only vaults of this leader (G…)' }, LIMIT_FLAG, AT_LEDGER_FLAG], examples: ['vaults'], run: vaults,
  },
  { name: 'instruments', summary: 'Sizes, leverage, margins and fees of every market.', examples: ['instruments', 'instruments --json'], run: instruments },
  { name: 'pool', summary: 'The liquidity pool: value, share price, fees and room for positions.', examples: ['pool'], run: pool },
  {
    name: 'leaders', summary: 'The leaderboard.',
    flags: [{ name: 'sort', value: 'ORDER', help: 'pnl or volume; pnl by default' }, LIMIT_FLAG, AT_LEDGER_FLAG],
    examples: ['leaders --sort volume'], run: leaders,
  },
]
