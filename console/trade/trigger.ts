// On which side of the price an order triggers, and whether it would trigger at once. Pure.

import { price as priceText } from '../format.ts'

export type TriggerSide = 'Above' | 'Below'
export type ExitKind = 'take_profit' | 'stop_loss'

const NAMES: Readonly<Record<ExitKind, string>> = { take_profit: 'take-profit', stop_loss: 'stop-loss' }

/** A limit order waits for a better price, a stop for a worse one. */
export function entryTriggerSide(kind: 'limit' | 'stop', side: 'Long' | 'Short'): TriggerSide {
  return (kind === 'limit') === (side === 'Long') ? 'Below' : 'Above'
}

/** A take-profit of a long triggers above, its stop-loss below; of a short the other way around. */
export function exitTriggerSide(kind: ExitKind, direction: number): TriggerSide {
  return (direction === 0) === (kind === 'take_profit') ? 'Above' : 'Below'
}

/** A warning if the price has already reached the trigger; null if not, and without a price. */
export function atOnceWarning(trigger: bigint, side: TriggerSide, price: string | null): string | null {
  if (price === null || (side === 'Above' ? BigInt(price) < trigger : BigInt(price) > trigger)) return null
  return `The price is already ${side === 'Above' ? 'at or above' : 'at or below'} ${priceText(trigger.toString())}: the order would trigger at once.`
}

/** A stop beyond the liquidation price protects nothing: the position is liquidated first. Null without a liquidation price, as of a cross position. */
export function beyondLiquidation(
  trigger: bigint, { direction, liquidationPrice }: { readonly direction: number; readonly liquidationPrice: string | null },
): string | null {
  if (liquidationPrice === null || (direction === 0 ? trigger > BigInt(liquidationPrice) : trigger < BigInt(liquidationPrice))) return null
  const [position, side] = direction === 0 ? ['long', 'above'] : ['short', 'below']
  return `The stop-loss of this ${position} position must be ${side} its liquidation price, ${priceText(liquidationPrice)}: it would be liquidated first.`
}

/** The contracts accept a take-profit only where the position gains, and a stop-loss only where it loses. `reference`: its entry price, or the price now. */
export function exitProblem(
  kind: ExitKind, trigger: bigint, { direction, reference, name }: { readonly direction: number; readonly reference: bigint; readonly name: string },
): string | null {
  const side = exitTriggerSide(kind, direction)
  if (side === 'Above' ? trigger > reference : trigger < reference) return null
  const position = direction === 0 ? 'long' : 'short'
  return `The ${NAMES[kind]} of a ${position} position must be ${side.toLowerCase()} ${name}, ${priceText(reference.toString())}.`
}
