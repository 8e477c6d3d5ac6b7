// The value of the account over time, with the unrealised profit of its positions.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { AccountState, Candle, Client, RealizedTrade } from '../../client/src/index.ts'
import { dateTime } from '../format.ts'
import { useParts } from '../parts.ts'
import { useFreshPrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { Card, Choice, Fresh, ReadNote } from '../ui/layout.tsx'
import { LineChart } from '../ui/line-chart.tsx'
import { candlePriceAt, partsOf, valueCurve } from './account-value.ts'
import { requestOf } from './curve.ts'
import type { CurveRange, CurveRequest } from './curve.ts'

const RANGES: readonly (readonly [CurveRange, string])[] = [['day', 'Day'], ['week', 'Week'], ['month', 'Month']]
const TRADES_PER_PAGE = 200
/** Pages of trades and markets with candles that are read for a curve. Beyond, the curve is not shown. */
const TRADE_PAGES_MAX = 5
const ASSETS_MAX = 8
const CANDLES_MAX = 500
const ONE = 1e7

/** `value`: of the account now; null while no part of it is known. */
export function ValueSection({ address, state, value }: {
  readonly address: string
  readonly state: AccountState | null
  readonly value: string | null
}) {
  const { feed, account } = useParts()
  const freshPrice = useFreshPrice()
  const [range, setRange] = useState<CurveRange>('week')
  const positions = state?.positions ?? null
  const held = (positions ?? []).map(({ asset }) => asset)
  const history = useResource('Account value', async (client) => {
    const request = requestOf(range, { nowSec: feed.serverTimeSec(), firstSec: 0 })
    const { interval, from, to } = request
    const answer = await client.getTraderPnl({ address, interval, from, to })
    const trades = await readTrades(client, address, from)
    const candles = trades === null ? null : await readCandles(client, new Set([...held, ...assetsOf(trades)]), request)
    return { ...answer, body: { points: answer.body.points, request, trades, candles } }
  }, [address, range, positions === null], { isManual: true, isEnabled: positions !== null })
  const version = account.version.value
  useEffect(() => {
    if (history.answer.peek() !== null) void history.read()
  }, [version])
  const body = history.answer.value?.body ?? null
  const prices = held.map((asset) => freshPrice(asset) ?? '').join(' ')
  const curve = useMemo(() => {
    const parts = body === null || body.trades === null || positions === null ? null : partsOf(body.trades, positions)
    if (body === null || body.candles === null || parts === null || value === null) return null
    const { points, request, candles } = body
    const now = (asset: string): number | undefined => {
      const price = freshPrice(asset)
      return price === undefined ? candles.get(asset)?.at(-1)?.close : Number(price) / ONE
    }
    return valueCurve({ points, toSec: request.to, parts, value, priceNow: now, priceAt: (asset, sec) => candlePriceAt(candles.get(asset) ?? [], sec) })
  }, [body, positions, value, prices])
  return (
    <Card title='Account value'>
      <Choice label='Range of the account value' options={RANGES} value={range} onChoose={setRange} />
      <Fresh resource={history}>
        {curve !== null && <LineChart title='Account value' unit='USDC' decimals={2} points={curve} empty='No values yet.' />}
        {body !== null && curve === null && <p class='empty'>{unknownText(body)}</p>}
        {body !== null && curve !== null && (curve[0]?.time ?? 0) > body.request.from && (
          <p class='note'>{`The curve begins at ${dateTime(curve[0]?.time ?? 0)}: fees, funding or prices before are not known.`}</p>
        )}
      </Fresh>
      <p class='note'>
        Realised and unrealised, as if today's funds had been there all the time: transfers of the wallet are not known. Pool and vault shares count at
        today's value, and funding that is not settled as of now.
      </p>
      <ReadNote resource={history} />
    </Card>
  )
}

interface ValueBody {
  readonly trades: readonly RealizedTrade[] | null
  readonly candles: ReadonlyMap<string, readonly Candle[]> | null
}

function unknownText({ trades, candles }: ValueBody): string {
  if (trades === null) return `More than ${TRADES_PER_PAGE * TRADE_PAGES_MAX} trades in this range: choose a shorter one.`
  if (candles === null) return `More than ${ASSETS_MAX} markets in this range: choose a shorter one.`
  return 'The value is not known yet: a price or a part of the account could not be read.'
}

/** Trades since then, newest first; null if there are more than are read. */
async function readTrades(client: Client, trader: string, fromSec: number): Promise<readonly RealizedTrade[] | null> {
  const trades: RealizedTrade[] = []
  let pages = 0
  for await (const { body } of client.pages('listTrades', { trader, include_opens: true, limit: TRADES_PER_PAGE })) {
    trades.push(...body.trades.filter(({ ts }) => ts >= fromSec))
    if (!body.hasMore || (body.trades.at(-1)?.ts ?? 0) < fromSec) return trades
    if (++pages === TRADE_PAGES_MAX) return null
  }
  return trades
}

const assetsOf = (trades: readonly RealizedTrade[]): readonly string[] => trades.flatMap(({ asset }) => (asset === null ? [] : [asset]))

/** By market; null for too many markets. */
async function readCandles(
  client: Client, assets: ReadonlySet<string>, { interval, intervalSec, from, to }: CurveRequest,
): Promise<ReadonlyMap<string, readonly Candle[]> | null> {
  if (assets.size > ASSETS_MAX) return null
  const read = async (asset: string): Promise<readonly [string, readonly Candle[]]> =>
    [asset, (await client.listCandles({ asset, interval, from: from - intervalSec, to, limit: CANDLES_MAX })).body.candles]
  return new Map(await Promise.all([...assets].map(read)))
}
