// Fills candles of minutes in which no oracle price was read, for example while the gateway was down, with the prices of trades from the archive. A trade
// executes at the oracle's price, and its event can be read for as long as a node retains it.

import { columns, expression } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Writer } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { bucketStart, foldTicks } from './candles.ts'
import type { CandleTick } from './candles.ts'
import { arraysOf } from '../array-params.ts'

/** The state of the archive that decides whether there is something to fill. */
export interface ArchiveHead {
  /** Changes also when events were inserted before the head: a gap was filled from another node. */
  readonly epoch: string | null
  readonly lastSeq: number
}

/** Trades of the archive with `afterSeq < seq < beforeSeq`. */
export interface FillRange {
  readonly assets: readonly string[]
  readonly afterSeq: number
  readonly beforeSeq: number
  /** Trades in ledgers that closed before this time are not used. */
  readonly fromSec: number
  /** Trades in ledgers that closed at or after this time are not used yet: the ticker may still write prices of their minute. */
  readonly toSec: number
  readonly limit: number
}

export interface FillPage {
  /** The number of trades whose minute had no price of the oracle. */
  readonly filled: number
  /** The next page ends before this seq. Null after the last page. */
  readonly beforeSeq: number | null
  /** The oldest trade that was too new; null when there was none. */
  readonly tooNewSeq: number | null
}

const HEAD = columns(idx.cursor, 'c', { epoch: expression<string | null>(sql`e.epoch`), lastSeq: 'last_seq' })

export async function readArchiveHead(db: Writer): Promise<ArchiveHead> {
  const [head] = await db.query(sql`select ${HEAD} from ${idx.cursor} c left join ${idx.epochs} e on e.number = c.epoch`)
  return head ?? { epoch: null, lastSeq: 0 }
}

/** Fills candles from one page of trades, newest first. Repeating it changes nothing. */
export async function fillCandles(db: Writer, range: FillRange): Promise<FillPage> {
  const { assets, fromSec, toSec, limit } = range
  const trades = await readTradePrices(db, range)
  const oldest = trades.at(-1)
  const isLast = oldest === undefined || trades.length < limit || oldest.ts < fromSec
  const known = new Set(assets)
  const ticks: CandleTick[] = []
  for (const { seq, ts, asset, price } of trades) {
    if (ts < fromSec || ts >= toSec || asset === null || price === null || !known.has(asset) || !/^[1-9]\d{0,37}$/.test(price)) continue
    ticks.push({ asset, price: BigInt(price), timestampSec: ts, seq })
  }
  // Ascending, as the ticker reads prices.
  const missing = (await withoutOraclePrice(db, ticks)).toReversed()
  await foldTicks(db, missing, 'trades')
  const tooNew = trades.findLast(({ ts }) => ts >= toSec)
  return { filled: missing.length, beforeSeq: isLast ? null : oldest.seq, tooNewSeq: tooNew?.seq ?? null }
}

/** Trades with a price. An auto-deleveraging follows a close at the same price. */
const TOPICS = ['position_opened', 'position_closed', 'position_liquidated', 'position_reduced', 'position_partial_liq']

const TRADE_PRICE = columns(idx.events, 't', {
  seq: 'seq', ts: 'ledger_close_ts', asset: expression<string | null>(sql`t.payload ->> 'asset'`),
  price: expression<string | null>(sql`coalesce(t.payload ->> 'closePrice', t.payload ->> 'price', t.payload ->> 'entryPrice')`),
})

/** Each branch reads one range of the index by topic. */
async function readTradePrices(db: Writer, { afterSeq, beforeSeq, limit }: FillRange): Promise<readonly RowOf<typeof TRADE_PRICE>[]> {
  return await db.query(
    sql`select ${TRADE_PRICE} from unnest($4::text[]) k (topic)
     cross join lateral (
       select e.seq, e.ledger_close_ts, e.payload from ${idx.events} e
       where not e.is_transfer and e.topic = k.topic and e.seq > $1::bigint and e.seq < $2::bigint order by e.seq desc limit $3::int
     ) t order by t.seq desc limit $3::int`,
    [afterSeq, beforeSeq, limit, TOPICS],
  )
}

const MINUTE = columns(idx.candles, 'c', { asset: 'asset', time: 'time' })

/** The ticks whose minute has no candle of oracle prices. */
async function withoutOraclePrice(db: Writer, ticks: readonly CandleTick[]): Promise<readonly CandleTick[]> {
  if (ticks.length === 0) return []
  const minutes = ticks.map(({ asset, timestampSec }) => ({ asset, time: bucketStart(timestampSec, '1m') }))
  const rows = await db.query(
    sql`select distinct ${MINUTE} from unnest($1::text[], $2::bigint[]) m (asset, time)
     join ${idx.candles} c on c.asset = m.asset and c.interval = '1m' and c.time = m.time and c.source = 'oracle'`,
    arraysOf(minutes, { asset: 'text', time: 'bigint' }),
  )
  const present = new Set(rows.map(({ asset, time }) => `${asset} ${time}`))
  return ticks.filter(({ asset, timestampSec }) => !present.has(`${asset} ${bucketStart(timestampSec, '1m')}`))
}
