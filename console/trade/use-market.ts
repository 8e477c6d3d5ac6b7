// A market's instrument and limits, and what they and the price allow now.

import { useEffect } from 'preact/hooks'
import type { Instrument, MarketLimits } from '../../client/src/index.ts'
import { after } from '../clock.ts'
import { useParts } from '../parts.ts'
import { usePrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { conditionOf, DISCONNECTED, unavailable } from './availability.ts'
import type { MarketCondition, TradeAction } from './availability.ts'

export interface Market {
  readonly asset: string
  /** What the market accepts. Null until it is known. */
  readonly instrument: Instrument | null
  /** Null until they are known. */
  readonly limits: MarketLimits | null
  readonly condition: MarketCondition
  /** Contracts of generation 2. False until that is known. */
  readonly isGeneration2: boolean
}

/** Events that change what the market allows. */
const CONDITION_TOPICS: ReadonlySet<string> = new Set(['paused', 'unpaused', 'pause_degraded', 'asset_halt_set', 'adl_triggered', 'adl_cleared'])
/** The gateway serves limits for this long. */
const LIMITS_CACHE_MS = 3_500

export function useMarket(asset: string): Market {
  const { feed } = useParts()
  const read = useResource('Limits', (client) => client.getMarketLimits({ asset }), [asset])
  const limits = read.answer.value?.body ?? null
  const described = useResource('Instrument', (client) => client.getInstrument({ asset }), [asset], { isManual: true })
  const instrument = described.answer.value?.body ?? null
  useEffect(() => {
    let cancel = (): void => {}
    const stop = feed.stream.on('events', ({ data: { topic } }) => {
      if (!CONDITION_TOPICS.has(topic)) return
      cancel()
      cancel = after(LIMITS_CACHE_MS, () => void Promise.all([read.read(), described.read()]))
    })
    return () => {
      stop()
      cancel()
    }
  }, [read, described])
  const { state } = usePrice(asset)
  const condition = conditionOf(asset, { limits, instrument, priceState: state, isDisconnected: feed.connection.value === 'lost' })
  return { asset, instrument, limits, condition, isGeneration2: limits !== null && limits.pauseMode !== null }
}

/** The reason why nothing can be sent while the connection is lost; null while it is not. */
export function useDisconnected(): string | null {
  const { feed } = useParts()
  return feed.connection.value === 'lost' ? DISCONNECTED : null
}

/** Returns the reason why the user cannot do something in a market now; null if they can. While connected, orders can be cancelled in any state. */
export type Gate = (action: TradeAction) => string | null

export function useGate(condition: MarketCondition): Gate {
  const { session } = useParts()
  const needsWallet = session.wallet() === null ? 'Connect a wallet that signs first.' : null
  return (action) => needsWallet ?? unavailable(action, condition)
}
