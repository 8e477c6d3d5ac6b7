// The latest trades of one market, newest first: those before the page was opened over REST, which finds them however busy other markets are, then new ones.

import { useSignal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RealizedTrade, TradeData } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import type { Resource } from '../state/resource.ts'
import { useResource } from '../state/use-resource.ts'

export interface Trade extends Pick<TradeData, 'kind' | 'positionId' | 'trader' | 'direction' | 'ts'> {
  readonly price: string | null
  readonly size: string | null
  /** Position in the log. */
  readonly seq: number
}

export interface Trades {
  readonly rows: ReadonlySignal<readonly Trade[]>
  readonly past: Resource<unknown>
}

export const TAPE_ROWS = 40
/** More than the tape shows: the market's figures count all trades since they were read. */
const TRADES_MAX = 200
const MS_PER_SEC = 1_000

export function useTrades(asset: string): Trades {
  const { feed } = useParts()
  const rows = useSignal<readonly Trade[]>([])
  const past = useResource('Trades', (client) => client.listTrades({ asset, include_opens: true, limit: TAPE_ROWS }), [asset], { isManual: true })
  const answer = past.answer.value
  const since = answer?.seq ?? null
  useEffect(() => {
    rows.value = answer === null ? [] : answer.body.trades.flatMap(tradeOf)
    if (answer === null) return undefined
    return feed.stream.on(`trades.${asset}`, ({ seq, data }) => {
      rows.value = [{ ...data, seq: seq ?? 0 }, ...rows.value].slice(0, TRADES_MAX)
    }, since === null ? {} : { since })
  }, [asset, answer])
  return { rows, past }
}

/** The total of a cross account repeats the liquidations of its positions. */
function tradeOf({ kind, positionId, trader, direction, ts, closePrice, entryPrice, size, seq }: RealizedTrade): Trade[] {
  if (kind === 'cross_liquidation' || positionId === null) return []
  return [{ kind, positionId, trader, direction, ts: ts * MS_PER_SEC, price: kind === 'open' ? entryPrice : closePrice, size, seq }]
}
