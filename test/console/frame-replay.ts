// Repeats the stream's frames inside a page, with other prices and times: hours of them take seconds.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { StillConsole } from './still-console.ts'

/** A trader may leave BTC alone for minutes. */
const LEDGERS_MAX = 600

/** Keeps the page's connections, so that frames can be repeated, and the newest frame of each channel. */
export const RECORD_FRAMES = `
  window.newest = new Map()
  const Native = WebSocket
  window.WebSocket = class extends Native {
    constructor(...options) {
      super(...options)
      this.addEventListener('message', ({ data, isTrusted }) => {
        if (!isTrusted) return
        for (const frame of [JSON.parse(data)].flat()) if (frame.channel !== undefined) newest.set(frame.channel, { socket: this, frame })
      })
    }
  }`

const HAS_FRAMES = 'newest.has("trades.BTC") && newest.has("candles.BTC.1m")'

/** Closes ledgers until the page, which records its frames, has what `replayFrames` repeats. */
export async function awaitFrames(still: StillConsole, page: Page): Promise<void> {
  for (let ledgers = 0; !(await page.evaluate<boolean>(HAS_FRAMES)); ledgers++) {
    assert.ok(ledgers < LEDGERS_MAX, 'no trade of BTC')
    await still.advance()
  }
}

/**
 * An expression that sends what these seconds bring: a price of each market and a candle per second, and a trade every five. `isPaced`: in real time;
 * otherwise a minute per picture that the page draws. Its value is the number of pictures drawn per second.
 */
export function replayFrames(seconds: number, isPaced = false): string {
  return `(${REPLAY})(${seconds}, ${isPaced})`
}

const REPLAY = `async (seconds, isPaced) => {
  const send = (channel, change, position = {}) => {
    const known = newest.get(channel)
    if (known === undefined) throw new Error('no frame of ' + channel)
    known.frame = { ...known.frame, ...position, data: { ...known.frame.data, ...change } }
    known.socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(known.frame) }))
  }
  const assets = [...newest.keys()].filter((channel) => channel.startsWith('ticker.')).map((channel) => channel.slice(7))
  const begun = performance.now()
  let drawn = 0
  for (let second = 0; second < seconds; second++) {
    window.replayed = (window.replayed ?? 0) + 1
    const price = String(900_000_000_000 + (replayed * 7_919_000) % 10_000_000_000)
    const priceFloat = Number(price) / 1e7
    for (const asset of assets) send('ticker.' + asset, { price, priceFloat })
    const { time, open } = newest.get('candles.BTC.1m').frame.data
    send('candles.BTC.1m', { time: replayed % 60 === 0 ? time + 60 : time, high: Math.max(open, priceFloat), close: priceFloat })
    if (replayed % 5 === 0) {
      const { seq, data } = newest.get('trades.BTC').frame
      send('trades.BTC', { price, eventId: 'replayed-' + replayed, positionId: data.positionId + 1 }, { seq: seq + 1, prev: seq })
    }
    do {
      if (isPaced || second % 60 === 59) {
        await new Promise(requestAnimationFrame)
        drawn += 1
      }
    } while (isPaced && performance.now() - begun < (second + 1) * 1000)
  }
  return drawn / ((performance.now() - begun) / 1000)
}`

