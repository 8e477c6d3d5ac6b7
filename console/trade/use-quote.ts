// The quote for what the ticket would open, read again after each change of the inputs and every two seconds.

import { useEffect } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import type { ReadonlySignal } from '@preact/signals'
import type { TradeQuote } from '../../client/src/index.ts'
import { after } from '../clock.ts'
import { useParts } from '../parts.ts'
import { problemOf } from '../problems.ts'
import type { Problem } from '../problems.ts'
import type { MarginMode, Side } from './ticket.ts'

export interface QuoteInput {
  readonly asset: string
  readonly side: Side
  readonly marginMode: MarginMode
  /** Digits with seven implied decimals; null while the inputs are incomplete. */
  readonly collateral: string | null
  readonly leverage: number | null
}

export interface QuoteReading {
  /** Null: not read yet, or it could not be read. */
  readonly quote: TradeQuote | null
  readonly problem: Problem | null
}

const TYPING_MS = 250
const REPEAT_MS = 2_000
const NOTHING: QuoteReading = { quote: null, problem: null }

export function useQuote({ asset, side, marginMode, collateral, leverage }: QuoteInput): ReadonlySignal<QuoteReading> {
  const { session, account } = useParts()
  const reading = useSignal<QuoteReading>(NOTHING)
  const trader = account.owner.value
  useEffect(() => {
    reading.value = NOTHING
    if (collateral === null || leverage === null) return
    const aborted = new AbortController()
    let cancel = after(TYPING_MS, () => void read(collateral, leverage))

    async function read(amount: string, times: number): Promise<void> {
      const parameters = { asset, direction: side, marginMode, collateral: amount, leverage: times, ...(trader === null ? {} : { trader }) }
      try {
        const { body } = await session.client().getQuote(parameters, { signal: aborted.signal })
        reading.value = { quote: body, problem: null }
      } catch (error) {
        if (aborted.signal.aborted) return
        reading.value = { quote: null, problem: problemOf(error) }
      }
      if (!aborted.signal.aborted) cancel = after(REPEAT_MS, () => void read(amount, times))
    }

    return () => {
      aborted.abort()
      cancel()
    }
  }, [asset, side, marginMode, collateral, leverage, trader])
  return reading
}
