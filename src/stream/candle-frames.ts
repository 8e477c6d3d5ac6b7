// Candles as frames: which of those that the store has are new to the subscribers of a channel.

import { bucketEnd } from '../projections/candles/candles.ts'
import { toCandles } from '../projections/candles/candle-rows.ts'
import type { CandleSpan, Series } from '../projections/candles/candle-rows.ts'
import { plainFrame } from './frames.ts'
import type { Frame } from './frames.ts'

export interface CandleChannel extends Series {
  readonly name: string
}

/** The candles that the subscribers of each channel have received. */
export interface SentCandles {
  /** Start of the first bucket that was not sent as final, Unix seconds. Undefined: nothing was sent. */
  sinceSec(channel: string): number | undefined
  /** True when final candles come between those that were sent and the span: ledger time has jumped. */
  isBehind(channel: CandleChannel, span: CandleSpan): boolean
  /** Frames of the candles of a span that became final, and of those with other content than was sent. With `isRepeated`, also of the newest one. */
  framesOf(channel: CandleChannel, span: CandleSpan, isRepeated?: boolean): readonly Frame[]
  /** Forgets all other channels, whose next subscribers begin with the forming candle. */
  keepOnly(channels: readonly CandleChannel[]): void
}

interface Sent {
  /** A price may be newer than the indexed ledger, so that more than one candle from then on is not final. */
  readonly sinceSec: number
  /** The candles from then on, as they were sent. */
  readonly texts: ReadonlyMap<number, string>
}

export function createSentCandles(): SentCandles {
  const sent = new Map<string, Sent>()

  return {
    sinceSec: (channel) => sent.get(channel)?.sinceSec,
    isBehind({ name, interval }, { fromSec, ledgerTs }) {
      const sinceSec = sent.get(name)?.sinceSec
      return sinceSec !== undefined && sinceSec < fromSec && ledgerTs !== null && bucketEnd(sinceSec, interval) <= ledgerTs
    },
    framesOf({ name }, span, isRepeated = false) {
      const previous = sent.get(name)
      const candles = toCandles(span)
      const newest = candles.at(-1)
      const texts = new Map(candles.filter((candle) => !candle.final).map((candle) => [candle.time, JSON.stringify(candle)]))
      if (span.fromSec < span.toSec) {
        // While the indexer stands still, no candle becomes final, and the span may begin after the oldest of those.
        const isCut = previous !== undefined && previous.sinceSec < span.fromSec
        sent.set(name, { sinceSec: isCut ? previous.sinceSec : candles.find((candle) => !candle.final)?.time ?? span.toSec, texts })
      }
      return candles.flatMap((candle) => {
        // A candle is sent as final only to subscribers that have received it, or one before it, while it was not.
        if (candle.final) return previous === undefined ? [] : [plainFrame(name, JSON.stringify(candle))]
        const text = texts.get(candle.time) ?? ''
        const isKnown = previous?.texts.get(candle.time) === text
        return isKnown && !(isRepeated && candle === newest) ? [] : [plainFrame(name, text)]
      })
    },
    keepOnly(channels) {
      const names = new Set(channels.map(({ name }) => name))
      for (const name of sent.keys()) if (!names.has(name)) sent.delete(name)
    },
  }
}
