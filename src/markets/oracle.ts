// The ticker: reads the prices of all assets in one call, soon after each ledger closes and before they expire, so that requests do not wait. Simulates those
// that cannot be read this way. Writes new prices into candles.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { PriceEntries, PricePoll } from '../chain/views/price-entries.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { CandleTick } from '../projections/candles/candles.ts'
import { createCandleFiller } from './candle-filler.ts'
import type { CandleFillerOptions } from './candle-filler.ts'
import { withTimeout } from '../chain/rpc/with-timeout.ts'
import { CADENCE_MAX_MS, createLedgerCadence } from './ledger-cadence.ts'
import type { AttestedPrice } from './price-book.ts'
import { createPrices } from './prices.ts'
import type { Prices } from './prices.ts'
import { createPublicationWatch } from './publication-watch.ts'

/** A price that expires within this time after the next round is simulated in this one. */
const SIMULATION_LEAD_MS = 500
/** A poll that takes longer must not let prices expire. */
const POLL_TIMEOUT_MS = 1_000
/** One asset is simulated this often although its entries were read, to confirm that they hold its price. */
const CONFIRM_INTERVAL_MS = 5_000
/** Maximum number of ticks that wait while the database is unavailable; the oldest are dropped. */
const MAX_PENDING_TICKS = 5_000

/** Writes ticks into the candles of every interval, atomically. A tick is a read with a new price or attestation time. */
type FoldTicks = (ticks: readonly CandleTick[]) => Promise<void>

export interface Oracle {
  readonly prices: Prices
  /** Runs one round: reads every price and writes the ticks. Rejects only on a defect. */
  step(signal?: AbortSignal): Promise<void>
  /** Fills candles that the ticker missed. Rejects when the database cannot be used. */
  fillCandles(signal?: AbortSignal): Promise<number>
  /** Runs the ticker, and the filling of candles besides it, until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface OracleOptions {
  readonly deployment: CurrentDeployment
  readonly entries: PriceEntries
  readonly foldTicks: FoldTicks
  /** As for prices. */
  readonly nowSec?: () => number
  readonly filling: Pick<CandleFillerOptions, 'readHead' | 'fillPage'>
  readonly clock: Clock
  readonly log: Log
}

export function createOracle(options: OracleOptions): Oracle {
  const { clock, log, deployment, entries } = options
  const filler = createCandleFiller({ assets: () => deployment.current.assets.symbols, ...options.filling, clock, log })
  const latest = new Map<string, AttestedPrice>()
  let pending: CandleTick[] = []
  let folding: Promise<void> | null = null
  let isWriting = true
  let confirmed = { index: 0, atMs: clock.elapsedMs() }

  const prices = createPrices({
    assets: deployment.current.assets.symbols,
    readPrice: entries.read,
    ...(options.nowSec === undefined ? {} : { nowSec: options.nowSec }),
    clock,
    log,
    onRead(asset, read) {
      // A price of zero or less is served, but is not part of a candle: no trade can happen at it.
      if (read.price <= 0n) return
      const previous = latest.get(asset)
      if (previous?.price === read.price && previous.timestampSec === read.timestampSec) return
      latest.set(asset, read)
      pending.push({ asset, price: read.price, timestampSec: read.timestampSec })
      if (pending.length > MAX_PENDING_TICKS) pending = pending.slice(-MAX_PENDING_TICKS)
    },
  })

  const watchPublication = createPublicationWatch({ prices, log })

  deployment.subscribe((next, previous) => {
    const isSameSource = next.contracts.oracleShim === previous.contracts.oracleShim
    if (!isSameSource) latest.clear()
    prices.replaceAssets(next.assets.symbols, { keep: isSameSource })
  })

  /** Ticks stay pending until they are written, so that a short outage of the database leaves no gap in the candles. */
  async function foldPending(): Promise<void> {
    const ticks = pending
    if (ticks.length === 0) return
    pending = []
    try {
      await options.foldTicks(ticks)
      if (!isWriting) log.info({ ticks: ticks.length }, 'candle writes recovered')
      isWriting = true
    } catch (error) {
      if (isWriting) log.warn({ err: error }, 'candles could not be written')
      isWriting = false
      pending = [...ticks, ...pending].slice(-MAX_PENDING_TICKS)
    }
  }

  function fold(): Promise<void> {
    return (folding ??= foldPending().finally(() => {
      folding = null
    }))
  }

  /** Null when the entries cannot be read; then the simulations report why. */
  async function poll(signal?: AbortSignal): Promise<PricePoll | null> {
    try {
      const found = await withTimeout(clock, { limitMs: POLL_TIMEOUT_MS, method: 'getLedgerEntries', signal }, entries.poll)
      prices.observe(found.prices, found.maxAgeSec)
      return found
    } catch (error) {
      if (error instanceof RpcFailure || signal?.aborted === true) return null
      throw error
    }
  }

  async function step(signal?: AbortSignal): Promise<void> {
    const known = (await poll(signal))?.prices
    await prices.refresh(signal, deployment.current.assets.symbols.filter((asset) => known?.has(asset) !== true))
    watchPublication()
    await folding
    await fold()
  }

  /** The asset whose turn it is to be simulated, if one is due. */
  function nextToConfirm(): readonly string[] {
    if (clock.elapsedMs() - confirmed.atMs < CONFIRM_INTERVAL_MS) return []
    const { symbols } = deployment.current.assets
    confirmed = { index: (confirmed.index + 1) % symbols.length, atMs: clock.elapsedMs() }
    return symbols.slice(confirmed.index, confirmed.index + 1)
  }

  async function tick(signal: AbortSignal): Promise<void> {
    const cadence = createLedgerCadence(clock)
    let simulating = Promise.resolve()
    while (!signal.aborted) {
      const found = await poll(signal)
      if (found !== null) cadence.observe(found.ledger)
      const delayMs = found === null ? CADENCE_MAX_MS : cadence.delayMs()
      const due = new Set([...prices.expiring(delayMs + SIMULATION_LEAD_MS), ...(found?.changed ?? []), ...nextToConfirm()])
      // Not awaited: an asset that hangs must not delay the others.
      if (due.size > 0) simulating = prices.refresh(signal, [...due]).then(fold)
      watchPublication()
      void fold()
      await clock.sleep(delayMs, signal)
    }
    await simulating
    await folding
  }

  return {
    prices,
    step,
    fillCandles: filler.step,
    async run(signal) {
      await Promise.all([tick(signal), filler.run(signal)])
    },
  }
}
