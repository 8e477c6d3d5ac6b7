// The actions that the exchange allows now, and why not the others: a lost connection, pauses, halts, deleveraging and stale prices. Pure.

import type { Instrument, MarketLimits } from '../../client/src/index.ts'
import type { Freshness } from '../freshness.ts'

/** `place_exit`: an order that only reduces a position, other than a trailing stop, whose placement needs a current price. */
export type TradeAction = (typeof ACTIONS)[number]

const ACTIONS = [
  'open', 'place_entry', 'place_exit', 'place_trailing', 'close', 'add_collateral', 'remove_collateral', 'move_cross_margin', 'cancel',
] as const

export interface MarketCondition {
  readonly asset: string
  readonly priceState: Freshness
  /**
   * `opens`: what adds risk is paused. `trades`: so is everything that changes a position, as in contracts of generation 1. `frozen`: only cancelling orders
   * and adding collateral remain. `disconnected`: the page cannot reach the exchange. Null if nothing is paused, and if that is unknown.
   */
  readonly pause: 'opens' | 'trades' | 'frozen' | 'disconnected' | null
  readonly isHalted: boolean
  /** Positions are closed to deleverage the exchange. */
  readonly isDeleveraging: boolean
  /** `reduceOnly`: nothing can be opened now, for a reason that no other member has. `closed`: the contracts have no settings for the asset. */
  readonly market: 'open' | 'reduceOnly' | 'closed'
}

type Conditions = Pick<MarketLimits, 'tradingPaused' | 'pauseMode' | 'assetHalted' | 'adlActive'>

interface Readings {
  /** Null if they are not known yet. */
  readonly limits: Conditions | null
  readonly instrument: Pick<Instrument, 'open' | 'maxLeverage'> | null
  readonly priceState: Freshness
  readonly isDisconnected?: boolean
}

export function conditionOf(asset: string, { limits, instrument, priceState, isDisconnected = false }: Readings): MarketCondition {
  return {
    asset, priceState, pause: isDisconnected ? 'disconnected' : limits === null ? null : pauseOf(limits),
    isHalted: limits?.assetHalted === true, isDeleveraging: limits?.adlActive === true,
    market: instrument === null || instrument.open ? 'open' : instrument.maxLeverage === null ? 'closed' : 'reduceOnly',
  }
}

export const DISCONNECTED = 'Disconnected, reconnecting. Nothing can be sent until the connection is back.'

function pauseOf({ tradingPaused, pauseMode }: Conditions): Exclude<MarketCondition['pause'], 'disconnected'> {
  if (pauseMode === null) return tradingPaused === true ? 'trades' : null
  return pauseMode === 0 ? null : pauseMode === 1 ? 'opens' : 'frozen'
}

const ADDS_RISK: ReadonlySet<TradeAction> = new Set(['open', 'place_entry', 'remove_collateral'])
const CHANGES_POSITION: ReadonlySet<TradeAction> = new Set([...ADDS_RISK, 'place_exit', 'place_trailing', 'close'])
const PAUSED: Readonly<Record<NonNullable<MarketCondition['pause']>, { readonly actions: ReadonlySet<TradeAction>; readonly text: string }>> = {
  opens: { actions: ADDS_RISK, text: 'Trading is paused. No position can be opened. Positions can still be closed and orders cancelled.' },
  trades: { actions: CHANGES_POSITION, text: 'Trading is paused. No position can be opened or closed until it resumes. Orders can still be cancelled.' },
  frozen: {
    actions: new Set([...CHANGES_POSITION, 'move_cross_margin']),
    text: 'Trading is frozen. No position can be opened or closed until it resumes. Orders can still be cancelled and collateral added.',
  },
  disconnected: { actions: new Set(ACTIONS), text: DISCONNECTED },
}
/** Actions that need a current price. */
const NEEDS_PRICE: Readonly<Partial<Record<TradeAction, string>>> = {
  open: 'The exchange opens nothing', place_trailing: 'The exchange places no trailing stop', remove_collateral: 'The exchange pays out no collateral',
}

/** Returns the reason why the action is not possible now; null if it is. */
export function unavailable(action: TradeAction, { asset, priceState, pause, isHalted, isDeleveraging, market }: MarketCondition): string | null {
  if (pause !== null && PAUSED[pause].actions.has(action)) return PAUSED[pause].text
  const isEntry = action === 'open' || action === 'place_entry'
  if (isEntry && isHalted) return `${asset} is halted. No position can be opened in it until the exchange resumes it. Positions can still be closed.`
  if (action === 'open' && isDeleveraging) {
    return `Positions in ${asset} are being deleveraged. No position can be opened in it until that ends. Positions can still be closed.`
  }
  if (isEntry && market === 'closed') return `${asset} is not traded: the exchange has no settings for it. Positions can still be closed.`
  if (action === 'open' && market === 'reduceOnly') return `${asset} takes no new positions now. Positions can still be closed.`
  const effect = NEEDS_PRICE[action]
  if (effect === undefined || priceState === 'fresh') return null
  return priceState === 'stale' ? `The price of ${asset} is stale. ${effect} until a new price arrives.` : `The price of ${asset} is not known yet.`
}

/** The pause, for a note above what it disables; null without one. */
export function pauseText({ pause }: MarketCondition): string | null {
  return pause === null ? null : PAUSED[pause].text
}
