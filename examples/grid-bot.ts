// A grid bot: places buy orders at every step below the price and sells each position one step higher.
//
//   SECRET=S… npm run example examples/grid-bot.ts BTC 100
//
// The second argument is the step in dollars. Use a separate account, on the local network one that `npm start` prints: the bot manages all orders and long
// positions of the account in that market. Expect a line for each order placed, each position bought, and each position sold with its profit. The bot stores
// nothing on disk: each round reads the account from one ledger and places what is missing, so it can be killed at any time. Ctrl-C cancels the buy orders;
// positions and their sell orders stay. Set GATEWAY_URL for a gateway other than http://127.0.0.1:8080.

import { setTimeout } from 'node:timers/promises'
import { ContractFailure, createClient, GatewayError, secretSigner, UnknownOutcome, Unreachable } from 'perpetual-exchange-client'
import type { AccountState, OpenOrder, SignedTransaction, TradeRequest } from 'perpetual-exchange-client'

const ONE = 10_000_000n
/** The number of levels below the price. */
const LEVELS = 3n
/** The maximum number of buy orders and positions together. */
const ENTRIES_MAX = 8
const COLLATERAL = 20n * ONE
const LEVERAGE = 2
/** An order that would execute further from its price is cancelled by the contract. The next round places another. */
const SLIPPAGE_BPS = 200
/** The exchange opens no positions at older prices. */
const PRICE_AGE_MAX_SEC = 60
const ROUND_MS = 3_000
/** Consecutive failures after which the bot gives up. */
const FAILURES_MAX = 20

const [, , asset = 'BTC', stepText = '100'] = process.argv
if (!/^[1-9]\d*$/.test(stepText)) throw new TypeError(`${stepText} is not a step: write whole dollars`)
const step = BigInt(stepText) * ONE

const signer = await secretSigner(process.env['SECRET'] ?? '')
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080', signer })
await client.login({ label: 'grid bot' })

/** A transaction with an unknown outcome. Nothing else is signed before its outcome is known. */
let unfinished: SignedTransaction | null = null
/** The ledger of the last trade. Older states do not include the trade, and the bot would repeat it. */
let lastLedger = 0

async function trade(request: TradeRequest, message: string): Promise<void> {
  try {
    lastLedger = (await client.trade(request)).ledger
    console.log(message)
  } catch (error) {
    if (error instanceof UnknownOutcome) unfinished = error.transaction
    throw error
  }
}

async function finishTrade(): Promise<void> {
  if (unfinished === null) return
  try {
    lastLedger = (await client.finish(unfinished)).ledger
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    // Any other error means that the trade certainly failed. The next round places what is missing.
    console.error(`a trade failed: ${(error as Error).message}`)
  }
  unfinished = null
}

interface PlannedTrade {
  readonly request: TradeRequest
  readonly message: string
}

/** The trades of a round: sell orders for new positions, cancellations of buy orders that are too low, and buy orders for free levels. */
function plan(positions: NonNullable<AccountState['positions']>, orders: NonNullable<AccountState['orders']>, price: bigint): PlannedTrade[] {
  const longs = positions.filter((position) => position.asset === asset && position.direction === 0)
  const buyOrders = orders.filter(isBuyOrder)
  const highest = ((price - 1n) / step) * step
  const levels = Array.from({ length: Number(LEVELS) }, (_, below) => highest - BigInt(below) * step).filter((level) => level > 0n)
  const taken = new Set([...longs.map(({ entryPrice }) => levelOf(entryPrice)), ...buyOrders.map(priceOf)])
  const room = Math.max(0, ENTRIES_MAX - longs.length - buyOrders.length)

  const sell = longs.filter(({ positionId }) => orders.every((order) => order.positionId !== positionId)).map(({ positionId, entryPrice }) => {
    const triggerPrice = levelOf(entryPrice) + step
    return {
      request: { op: 'set_take_profit', positionId, triggerPrice: String(triggerPrice), slippageToleranceBps: SLIPPAGE_BPS } as const,
      message: `placed sell order for position ${positionId} at ${format(triggerPrice)}`,
    }
  })
  const cancel = buyOrders.filter((order) => priceOf(order) < highest - LEVELS * step).map((order) => (
    { request: { op: 'cancel_order', orderId: order.orderId } as const, message: `cancelled buy order at ${format(priceOf(order))}` }
  ))
  const buy = levels.filter((level) => !taken.has(level)).slice(0, room).map((level) => ({
    request: {
      op: 'place_limit_order', asset, direction: 'Long', collateral: String(COLLATERAL), leverage: LEVERAGE, triggerPrice: String(level),
      triggerCondition: 'Below', slippageToleranceBps: SLIPPAGE_BPS,
    } as const,
    message: `placed buy order at ${format(level)}`,
  }))
  return [...sell, ...cancel, ...buy]
}

/** The level of a position, whose entry price may be slightly below the level. */
const levelOf = (entryPrice: string): bigint => ((BigInt(entryPrice) + step - 1n) / step) * step
const isBuyOrder = (order: OpenOrder): boolean => order.asset === asset && order.orderType === 'limit'
const priceOf = ({ triggerPrice }: OpenOrder): bigint => BigInt(triggerPrice ?? 0)

async function round(): Promise<void> {
  await finishTrade()
  const { body: { ledger, positions, orders } } = await client.getAccountState()
  if (positions === null || orders === null || ledger < lastLedger) return
  const { body: { price, timestamp } } = await client.getMarketPrice({ asset })
  const ageSec = Math.floor(Date.now() / 1000) - timestamp
  if (ageSec > PRICE_AGE_MAX_SEC) return console.error(`skipped a round: the price is ${ageSec} s old`)
  for (const { request, message } of plan(positions, orders, BigInt(price))) {
    if (stopped.signal.aborted) return
    await trade(request, message)
  }
}

/** Formats a 7-decimal integer. */
function format(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(8, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

const unitsOf = (value: unknown): bigint => typeof value === 'string' ? BigInt(value) : 0n

const stopped = new AbortController()
process.once('SIGINT', () => {
  console.log('stopping; press Ctrl-C again to exit now')
  stopped.abort()
})

// The stream only reports what happened. No decision depends on it, so a lost connection does no harm.
const stream = client.stream()
let totalProfit = 0n
stream.onProblem((problem) => console.error(problem))
stream.on(`account.events.${signer.address}`, ({ data: { topic, raw } }) => {
  const [id, at, pnl] = [String(raw['positionId']), unitsOf(raw['closePrice'] ?? raw['entryPrice']), unitsOf(raw['pnl'])]
  totalProfit += pnl
  if (topic === 'position_opened') console.log(`position ${id} bought at ${format(at)}`)
  if (topic === 'position_closed') console.log(`position ${id} sold at ${format(at)}, profit ${format(pnl)}, total ${format(totalProfit)}`)
})

let failures = 0
while (!stopped.signal.aborted) {
  try {
    await round()
    failures = 0
  } catch (error) {
    // These errors may be temporary, such as a fast price or an unreachable node. Retrying does not fix anything else.
    const isTemporary = error instanceof GatewayError || error instanceof Unreachable || error instanceof UnknownOutcome
    failures += 1
    if (!isTemporary || failures >= FAILURES_MAX) throw error
    console.error(`round failed${error instanceof ContractFailure ? ' (transaction failed)' : ''}: ${error.message}`)
  }
  await setTimeout(ROUND_MS, undefined, { signal: stopped.signal }).catch(() => {})
}

stream.close()
await finishTrade()
let { body: resting } = await client.listAccountOpenOrders()
while (resting.ledger < lastLedger) {
  await setTimeout(ROUND_MS)
  resting = (await client.listAccountOpenOrders()).body
}
for (const order of resting.orders.filter(isBuyOrder)) {
  await trade({ op: 'cancel_order', orderId: order.orderId }, `cancelled buy order at ${format(priceOf(order))}`)
}
