// The acceptable price of market trades: the default tolerance, and the price that the gateway sets for `slippageBps`. The client calculates it from the
// price of the preview, and verifies the transaction with it.

import type { TradeRequest } from './calls.ts'
import type { PreparedTransaction } from './generated/resources.ts'

const BPS = 10_000n
/** The tolerance of market opens and closes that name none. */
export const DEFAULT_SLIPPAGE_BPS = 50

/** The highest and the lowest price at most `bps` from the price, rounded toward it. */
export function priceBounds(price: bigint, bps: number): { readonly highest: bigint; readonly lowest: bigint } {
  return { highest: (price * (BPS + BigInt(bps))) / BPS, lowest: (price * (BPS - BigInt(bps)) + BPS - 1n) / BPS }
}

/** The request with this tolerance if it is a market open or close without a bound of its own; else the request itself. */
export function withSlippage(request: TradeRequest, slippageBps: number): TradeRequest {
  const { op } = request
  if (op !== 'open_position' && op !== 'open_position_cross' && op !== 'close_position' && op !== 'close_position_cross') return request
  return request.acceptablePrice === undefined && request.slippageBps === undefined ? { ...request, slippageBps } : request
}

/**
 * The request with an acceptable price instead of `slippageBps`, which no contract takes. Whether a close buys or sells is not in the request: the
 * transaction says it, and either price is a bound at most this far from the preview's. Throws TypeError when the preview has no price.
 */
export function withAcceptablePrice(request: TradeRequest, { preview, intent }: Pick<PreparedTransaction, 'preview' | 'intent'>): TradeRequest {
  if (!('slippageBps' in request) || request.slippageBps === undefined) return request
  const { slippageBps, ...rest } = request
  if (preview.price === null) throw new TypeError('The gateway named no price for slippageBps. Use acceptablePrice.')
  const { highest, lowest } = priceBounds(BigInt(preview.price), slippageBps)
  const buys = 'direction' in rest ? rest.direction === 'Long' : intent.args['acceptable_price'] === String(highest)
  return { ...rest, acceptablePrice: String(buys ? highest : lowest) }
}
