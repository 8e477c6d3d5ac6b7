// The limits of a market, and what they and the price allow now.

import type { MarketLimits } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { usePrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { conditionOf, unavailable } from './availability.ts'
import type { MarketCondition, TradeAction } from './availability.ts'

export interface Market {
  readonly asset: string
  /** Null until they are known. */
  readonly limits: MarketLimits | null
  readonly condition: MarketCondition
  /** Contracts of generation 2. False until that is known. */
  readonly isGeneration2: boolean
}

export function useMarket(asset: string): Market {
  const limits = useResource('Limits', (client) => client.getMarketLimits({ asset }), [asset]).answer.value?.body ?? null
  const { state } = usePrice(asset)
  return { asset, limits, condition: conditionOf(asset, limits, state), isGeneration2: limits !== null && limits.pauseMode !== null }
}

/** Why the user cannot do something in a market now; null if they can. Orders can be cancelled in any state of the market. */
export type Gate = (action: TradeAction) => string | null

export function useGate(condition: MarketCondition): Gate {
  const { session } = useParts()
  const needsWallet = session.wallet() === null ? 'Connect a wallet that signs first.' : null
  return (action) => needsWallet ?? unavailable(action, condition)
}
