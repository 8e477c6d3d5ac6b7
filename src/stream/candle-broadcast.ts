// Candles on the stream: the forming candle when its prices or volume change, each candle once when ledger time has passed its end, and later corrections.

import type { Clock } from '../base/clock.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { readCandleSpans, readCandleVersion, readRevisedCandles } from '../projections/candles/candle-rows.ts'
import type { CandleSpan } from '../projections/candles/candle-rows.ts'
import { bucketEnd } from '../projections/candles/candles.ts'
import { CANDLE_INTERVALS } from '../resources/candle.ts'
import type { Candle } from '../resources/candle.ts'
import type { Queryable } from '../store/store.ts'
import { createSentCandles } from './candle-frames.ts'
import type { CandleChannel } from './candle-frames.ts'
import { candlesChannel } from './channels.ts'
import { plainFrame } from './frames.ts'
import type { Frame } from './frames.ts'
import type { Hub } from './hub.ts'

/** Candles that are read and published at once, of all channels together: about 180 KB, and a client's buffer holds 1 MB. */
const PIECE_CANDLES = 1_000
/** Of each channel, also when there are many channels: more than the candles that ordinary rounds change. */
const PIECE_CANDLES_MIN = 8
/** A client that does not read delays the next piece for the others by at most this much. */
const DRAIN_MS = 500
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

export function createCandleBroadcast({ hub, db, deployment, clock }: {
  readonly hub: Hub; readonly db: Queryable; readonly deployment: CurrentDeployment; readonly clock: Clock
}): CandleBroadcast {
  let channels = listChannels()
  const sent = createSentCandles()
  /** Corrections up to this version were sent; null while nobody is subscribed. */
  let version: number | null = null
  let running: Promise<void> | undefined
  let isRequested = false
  deployment.subscribe(() => (channels = listChannels()))

  function listChannels(): readonly CandleChannel[] {
    return deployment.current.assets.symbols.flatMap((asset) =>
      CANDLE_INTERVALS.map((interval) => ({ asset, interval, name: candlesChannel(asset, interval) })))
  }

  function subscribedChannels(): readonly CandleChannel[] {
    const subscribed = channels.filter(({ name }) => hub.hasSubscribers(name))
    sent.keepOnly(subscribed)
    return subscribed
  }

  /** Corrections of candles that were final when they were sent. */
  async function readCorrections(subscribed: readonly CandleChannel[]): Promise<readonly Frame[]> {
    if (version === null) {
      version = await readCandleVersion(db)
      return []
    }
    const { through, candles } = await readRevisedCandles(db, { afterVersion: version, series: subscribed, limit: REVISIONS_MAX })
    version = through
    return candles.flatMap(({ asset, interval, ...candle }) => {
      const name = candlesChannel(asset, interval)
      const isSentBelow = candle.time >= (sent.sinceSec(name) ?? 0)
      return isSentBelow ? [] : [plainFrame(name, JSON.stringify(candle satisfies Candle))]
    })
  }

  /** Waits until the subscribers have read what was published, so that the next piece fits into their buffers. */
  async function drained(subscribed: readonly CandleChannel[]): Promise<void> {
    const limit = new AbortController()
    const timer = clock.setTimer(DRAIN_MS, () => limit.abort())
    await hub.drained(subscribed.map(({ name }) => name), limit.signal)
    timer.cancel()
  }

  async function sendCorrections(subscribed: readonly CandleChannel[]): Promise<void> {
    const frames = await readCorrections(subscribed)
    for (let start = 0; start < frames.length; start += PIECE_CANDLES) {
      if (start > 0) await drained(subscribed)
      hub.publish(frames.slice(start, start + PIECE_CANDLES))
    }
  }

  /** Sends the next final candles of channels that are behind. */
  async function sendEnded(behind: readonly CandleChannel[]): Promise<void> {
    const limit = pieceOf(behind.length)
    const spans = await readCandleSpans(db, behind.map(({ asset, interval, name }) => {
      const fromSec = sent.sinceSec(name) ?? 0
      return { asset, interval, fromSec, toSec: fromSec + limit * bucketEnd(0, interval), limit, isListed: true }
    }))
    hub.publish(inPairs(behind, spans).flatMap(([channel, span]) => sent.framesOf(channel, span)))
    await drained(behind)
  }

  async function send(isRepeated: boolean): Promise<void> {
    let subscribed = subscribedChannels()
    if (subscribed.length === 0) version = null
    else await sendCorrections(subscribed)
    // A long jump of ledger time ends more candles than a client's buffer holds. Each round sends the next ones; the last one sends the newest.
    for (; subscribed.length > 0; subscribed = subscribedChannels()) {
      const limit = pieceOf(subscribed.length)
      const read = inPairs(subscribed, await readCandleSpans(db, subscribed.map(({ asset, interval, name }) => {
        const fromSec = sent.sinceSec(name)
        return { asset, interval, fromSec, limit: fromSec === undefined ? 1 : limit, isListed: true }
      })))
      const behind = read.filter(([channel, span]) => sent.isBehind(channel, span))
      if (behind.length === 0) return hub.publish(read.flatMap(([channel, span]) => sent.framesOf(channel, span, isRepeated)))
      await sendEnded(behind.map(([channel]) => channel))
    }
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

function pieceOf(channels: number): number {
  return Math.max(PIECE_CANDLES_MIN, Math.floor(PIECE_CANDLES / channels))
}

function inPairs(channels: readonly CandleChannel[], spans: readonly CandleSpan[]): readonly (readonly [CandleChannel, CandleSpan])[] {
  return channels.flatMap((channel, index) => {
    const span = spans[index]
    return span === undefined ? [] : [[channel, span] as const]
  })
}
