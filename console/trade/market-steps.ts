// The steps of prices, amounts and leverage that a market accepts, and its kinds of orders. Pure.

import type { Instrument } from '../../client/src/index.ts'
import { parseAmount, plain } from '../format.ts'

export type MarketSteps = Pick<Instrument, 'tickSize' | 'amountStep' | 'leverageStep'>

type OrderType = Instrument['orderTypes'][number]

/** The order that the contracts must take for each kind. A stop is a limit order with its trigger on the other side. */
const TYPES = {
  market: 'market', limit: 'limit', stop: 'limit', take_profit: 'take_profit', stop_loss: 'stop_loss', trailing: 'trailing_stop',
} as const satisfies Readonly<Record<string, OrderType>>
const STEPS: Readonly<Partial<Record<string, readonly [step: keyof MarketSteps, name: string]>>> = {
  limitPrice: ['tickSize', 'Prices'], triggerPrice: ['tickSize', 'Prices'], takeProfit: ['tickSize', 'Prices'], stopLoss: ['tickSize', 'Prices'],
  amount: ['amountStep', 'Amounts'], leverage: ['leverageStep', 'Leverages'],
}

/** True if the market takes this kind of order, and while it is not known what it takes. */
export function takesKind(kind: keyof typeof TYPES, instrument: Pick<Instrument, 'orderTypes'> | null): boolean {
  return instrument === null || instrument.orderTypes.includes(TYPES[kind])
}

/**
 * Returns the reason why the market does not accept the step of this input, in a sentence; null if it does. `name`: that of the ticket's input. `steps`: null
 * while they are not known.
 */
export function stepProblem(
  name: string, text: string, { unit, steps }: { readonly unit: 'USDC' | 'coin'; readonly steps: MarketSteps | null },
): string | null {
  const [step, title] = STEPS[name] ?? []
  // An amount in coins is converted into collateral.
  if (step === undefined || steps === null || (name === 'amount' && unit === 'coin')) return null
  const isLeverage = step === 'leverageStep'
  const value = isLeverage ? (/^\d+$/.test(text) ? text : null) : parseAmount(text)
  if (value === null || BigInt(value) % BigInt(steps[step]) === 0n) return null
  return `${String(title)} in this market are multiples of ${isLeverage ? steps[step] : plain(steps[step])}.`
}
