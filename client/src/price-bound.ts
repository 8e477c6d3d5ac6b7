// The acceptable price that the gateway sets for `slippageBps`. The client calculates it from the price of the preview, and verifies the transaction with it.

import type { TradeRequest } from './calls.ts'
import type { PreparedTransaction } from './generated/resources.ts'

const BPS = 10_000n

/**
 * The request with an acceptable price instead of `slippageBps`, which no contract takes. Whether a close buys or sells is not in the request: the
 * transaction says it, and either price is a bound at most this far from the preview's. Throws TypeError when the preview has no price.
 */
export function withAcceptablePrice(request: TradeRequest, { preview, intent }: Pick<PreparedTransaction, 'preview' | 'intent'>): TradeRequest {
  if (!('slippageBps' in request) || request.slippageBps === undefined) return request
  const { slippageBps, ...rest } = request
  if (preview.price === null) throw new TypeError('The gateway named no price for slippageBps. Use acceptablePrice.')
  const price = BigInt(preview.price)
  const highest = String((price * (BPS + BigInt(slippageBps))) / BPS)
  const lowest = String((price * (BPS - BigInt(slippageBps)) + BPS - 1n) / BPS)
  const buys = 'direction' in rest ? rest.direction === 'Long' : intent.args['acceptable_price'] === highest
  return { ...rest, acceptablePrice: buys ? highest : lowest }
}
