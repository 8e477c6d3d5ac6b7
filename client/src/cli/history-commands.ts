// Public history of markets: candles and funding.

import type { Candle } from '../generated/resources.ts'
import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { toPercent } from './decimal.ts'
import { callOptions, checkAssetOfEmpty, LIMIT_FLAG, limitOf, MARKET_ARGUMENT, PAGE_MAX } from './exchange-commands.ts'
import { table } from './table.ts'
import type { Column } from './table.ts'
import { timeOf, toSeconds } from './time.ts'
import { UsageError } from './usage-error.ts'

export const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const
const CANDLES_MAX = 5_000

/** The parameters of `--from` and `--to`. */
function rangeOf(context: Context): { readonly from?: number; readonly to?: number } {
  const [from, to] = (['from', 'to'] as const).map((name) => {
    const text = flagText(context, name)
    return text === undefined ? undefined : toSeconds(text, `--${name}`)
  })
  if (from !== undefined && to !== undefined && from >= to) throw new UsageError('--from must be before --to.')
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}

async function candles(context: Context): Promise<void> {
  const interval = INTERVALS.find((one) => one === (flagText(context, 'interval') ?? '1h'))
  if (interval === undefined) throw new UsageError(`--interval must be one of ${INTERVALS.join(', ')}.`)
  const range = rangeOf(context)
  const limit = limitOf(context, { byDefault: range.from === undefined ? 20 : CANDLES_MAX, max: CANDLES_MAX })
  const { body } = await context.progress.run('Loading candles', () =>
    context.client().listCandles({ asset: context.args['ASSET'] ?? '', interval, limit, ...range }, callOptions(context)))
  await checkAssetOfEmpty(context, body.candles, context.args['ASSET'])
  const price = (title: string, text: (row: Candle) => number): Column<Candle> => ({ title, align: 'point', text })
  context.show(body, table([
    { title: 'begin (UTC)', text: ({ time }) => timeOf(time) }, price('open', ({ open }) => open), price('high', ({ high }) => high),
    price('low', ({ low }) => low), price('close', ({ close }) => close),
    { title: 'volume', align: 'point', text: ({ volume }) => context.format(volume) }, { title: 'trades', align: 'right', text: ({ trades: count }) => count },
    { title: 'prices of', text: ({ source, filled }) => (filled === true ? 'the candle before' : SOURCES[source]) },
    { title: 'state', text: ({ final, revision }) => `${final ? 'final' : 'forming'}${revision === undefined ? '' : `, revision ${revision}`}` },
  ], body.candles, 'No candles.'))
  const [oldest] = body.candles
  if (body.hasMore && range.from !== undefined && oldest !== undefined) context.note(`Older candles of this range: --to ${oldest.time}`)
}

const SOURCES: Readonly<Record<Candle['source'], string>> = { noeracle: 'the oracle', trades: 'trades', binance: 'binance' }

async function funding(context: Context): Promise<void> {
  const limit = limitOf(context)
  const input = { limit: Math.min(limit, PAGE_MAX), ...(context.args['ASSET'] === undefined ? {} : { asset: context.args['ASSET'] }) }
  const pages = await context.progress.run('Loading funding', async () => {
    const read = []
    let rows = 0
    for await (const { body } of context.client().pages('getFunding', input, callOptions(context))) {
      read.push(body)
      rows += body.history.length
      if (rows >= limit) break
    }
    return read
  })
  const current = pages[0]?.current ?? null
  const history = pages.flatMap((page) => page.history).slice(0, limit)
  await checkAssetOfEmpty(context, current?.assets ?? [], context.args['ASSET'])
  const percent = (rate: string | null): string | null => (rate === null ? null : toPercent(rate))
  const now = table([
    { title: 'asset', text: ({ asset }) => asset }, { title: 'rate per hour', align: 'right', text: ({ rate }) => percent(rate) },
    { title: 'next', align: 'right', text: ({ predictedRate }) => percent(predictedRate) },
    { title: 'next (UTC)', text: ({ nextTs }) => timeOf(nextTs) }, { title: 'applied (UTC)', text: ({ lastTs }) => timeOf(lastTs) },
  ], current?.assets ?? [], 'The current rates are unknown.')
  context.show({ current, history }, `Positive: longs pay.\n\n${now}\n${table([
    { title: 'asset', text: ({ asset }) => asset ?? 'all' }, { title: 'applied (UTC)', text: ({ ts }) => timeOf(ts) },
    { title: 'rate per hour', align: 'right', text: ({ fundingRate }) => toPercent(fundingRate) },
    { title: 'hours', align: 'right', text: ({ hoursElapsed }) => hoursElapsed }, { title: 'ledger', align: 'right', text: ({ ledger }) => ledger },
  ], history, 'No funding was applied yet.')}`)
}

export const HISTORY_COMMANDS: readonly Command[] = [
  {
    name: 'candles', summary: 'Price history.', arguments: [{ name: 'ASSET', help: 'a symbol like BTC' }],
    details: ['Times are UTC. A candle is final when a ledger has closed after its end; a revision says that it changed later.'],
    flags: [
      { name: 'interval', value: 'WIDTH', help: `${INTERVALS.join(', ')}; 1h by default` },
      { name: 'from', value: 'TIME', help: 'only candles that start at or after this time: 2026-11-22, "2026-11-22 04:19" or Unix seconds' },
      { name: 'to', value: 'TIME', help: 'only candles that start before this time' },
      { name: 'limit', value: 'N', help: `number of candles, the newest ones; 20 by default, with --from ${CANDLES_MAX}, the maximum` },
    ],
    examples: ['candles BTC --interval 5m', 'candles BTC --interval 1d --from 2026-11-01'], run: candles,
  },
  {
    name: 'funding', summary: 'The current funding rate and the funding history.', arguments: [MARKET_ARGUMENT], flags: [LIMIT_FLAG],
    examples: ['funding', 'funding BTC'], run: funding,
  },
]
