// Candles on the stream: the forming candle when its prices or volume change, each candle once when ledger time has passed its end, and later corrections.

import type { CurrentDeployment } from '../exchange/deployment.ts'
import { readCandleSpans, readCandleVersion, readRevisedCandles, toCandles } from '../projections/candle-rows.ts'
import type { CandleSpan, Series } from '../projections/candle-rows.ts'
import { CANDLE_INTERVALS } from '../resources/candle.ts'
import type { Candle } from '../resources/candle.ts'
import type { Queryable } from '../store/store.ts'
import { candlesChannel } from './channels.ts'
import { plainFrame } from './frames.ts'
import type { Frame } from './frames.ts'
import type { Hub } from './hub.ts'

/** Candles of one channel that end at once: a day of minutes. Clients read more from REST. */
const ENDED_MAX = 1_440
/** Corrections that are read at once; the next broadcast reads more. */
const REVISIONS_MAX = 500

export interface CandleBroadcast {
  /** Sends what changed, and each forming candle again. Rejects when the database cannot be read. */
  broadcast(): Promise<void>
  /** Sends what changed soon: prices or trades were stored. Never throws. */
  notify(): void
  /** Publishes frames of the log, and what they change in candles. Never throws. */
  publish(frames: readonly Frame[]): void
  /** Resolves when nothing is being read. */
  settled(): Promise<void>
}

interface Channel extends Series {
  readonly name: string
}

/** What subscribers of a channel have received. */
interface Sent {
  /** Start of the first bucket that is not final. A price may be newer than the indexed ledger, so that more than one is not. */
  readonly sinceSec: number
  /** The candles from then on, as they were sent. */
  readonly texts: ReadonlyMap<number, string>
}

export function createCandleBroadcast({ hub, db, deployment }: {
  readonly hub: Hub; readonly db: Queryable; readonly deployment: CurrentDeployment
}): CandleBroadcast {
  let channels = listChannels()
  const sent = new Map<string, Sent>()
  /** Corrections up to this version were sent; null while nobody is subscribed. */
  let version: number | null = null
  let running: Promise<void> | undefined
  let isRequested = false
  deployment.subscribe(() => (channels = listChannels()))

  function listChannels(): readonly Channel[] {
    return deployment.current.assets.symbols.flatMap((asset) =>
      CANDLE_INTERVALS.map((interval) => ({ asset, interval, name: candlesChannel(asset, interval) })))
  }

  function subscribedChannels(): readonly Channel[] {
    const subscribed = channels.filter(({ name }) => hub.hasSubscribers(name))
    const names = new Set(subscribed.map(({ name }) => name))
    // New subscribers begin with the forming candle.
    for (const name of sent.keys()) if (!names.has(name)) sent.delete(name)
    return subscribed
  }

  /** Frames of a channel's candles since the first one that was not final. */
  function framesOf({ name }: Channel, span: CandleSpan | undefined, isRepeated: boolean): readonly Frame[] {
    const previous = sent.get(name)
    const candles = span === undefined ? [] : toCandles(span)
    const texts = new Map(candles.filter((candle) => !candle.final).map((candle) => [candle.time, JSON.stringify(candle)]))
    const newest = candles.at(-1)
    if (newest !== undefined) sent.set(name, { sinceSec: candles.find((candle) => !candle.final)?.time ?? newest.time + 1, texts })
    return candles.flatMap((candle) => {
      // A candle is sent as final only to subscribers that have received it, or one before it, while it was not.
      if (candle.final) return previous === undefined ? [] : [plainFrame(name, JSON.stringify(candle))]
      const text = texts.get(candle.time) ?? ''
      const isKnown = previous?.texts.get(candle.time) === text
      return isKnown && !(isRepeated && candle === newest) ? [] : [plainFrame(name, text)]
    })
  }

  /** Corrections of candles that were final when they were sent. */
  async function readCorrections(subscribed: readonly Channel[]): Promise<readonly Frame[]> {
    if (version === null) {
      version = await readCandleVersion(db)
      return []
    }
    const { through, candles } = await readRevisedCandles(db, { afterVersion: version, series: subscribed, limit: REVISIONS_MAX })
    version = through
    return candles.flatMap(({ asset, interval, ...candle }) => {
      const name = candlesChannel(asset, interval)
      const isSentBelow = candle.time >= (sent.get(name)?.sinceSec ?? 0)
      return isSentBelow ? [] : [plainFrame(name, JSON.stringify(candle satisfies Candle))]
    })
  }

  async function send(isRepeated: boolean): Promise<void> {
    const subscribed = subscribedChannels()
    if (subscribed.length === 0) {
      version = null
      return
    }
    const corrections = await readCorrections(subscribed)
    const spans = await readCandleSpans(db, subscribed.map(({ asset, interval, name }) => {
      const fromSec = sent.get(name)?.sinceSec
      return { asset, interval, fromSec, limit: fromSec === undefined ? 1 : ENDED_MAX, isListed: true }
    }))
    hub.publish([...corrections, ...subscribed.flatMap((channel, index) => framesOf(channel, spans[index], isRepeated))])
  }

  async function sendRequested(): Promise<void> {
    try {
      while (isRequested) {
        isRequested = false
        await send(false)
      }
    } finally {
      running = undefined
    }
  }

  function notify(): void {
    isRequested = true
    // The timed broadcast reports a database that cannot be read.
    running ??= sendRequested()
    running.catch(() => {})
  }

  return {
    async broadcast() {
      await running?.catch(() => {})
      running = send(true).finally(() => (running = undefined))
      await running
    },
    notify,
    publish(frames) {
      hub.publish(frames)
      notify()
    },
    async settled() {
      await running?.catch(() => {})
    },
  }
}
