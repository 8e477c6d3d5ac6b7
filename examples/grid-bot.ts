// A grid bot: it leaves an order to buy at every step below the price, and sells what was bought one step higher.
//
//   SECRET=S… npm run example examples/grid-bot.ts BTC 100
//
// The second word is the step in dollars. Give the bot an account of its own, on the local network one that `npm start` prints: it takes the account's orders
// and long positions in that market for its own. Expect a line for each order that it places, each position that is bought, and each that is sold with what
// it earned. It keeps nothing on disk: every round reads from one ledger what the account has, and makes up the difference, so that it may be killed at any
// time. Ctrl-C withdraws the orders to buy; positions stay, with their orders to sell. GATEWAY_URL names another gateway than http://127.0.0.1:8080.

import { setTimeout } from 'node:timers/promises'
import { ContractFailure, createClient, GatewayError, secretSigner, UnknownOutcome, Unreachable } from 'perpetual-exchange-client'
import type { AccountState, OpenOrder, SignedTransaction, TradeRequest } from 'perpetual-exchange-client'

const ONE = 10_000_000n
/** Orders to buy below the price, and how much may be ordered and bought in all. */
const LEVELS = 3n
const PIECES_MAX = 8
const COLLATERAL = 20n * ONE
const LEVERAGE = 2
/** Executed further from its price than this an order is cancelled; the next round places another. */
const SLIPPAGE_BPS = 200
/** At an older price the exchange opens nothing. */
const PRICE_AGE_MAX_SEC = 60
const ROUND_MS = 3_000
/** After so many failures in a row somebody should look. */
const FAILURES_MAX = 20

const [, , asset = 'BTC', stepText = '100'] = process.argv
if (!/^[1-9]\d*$/.test(stepText)) throw new TypeError(`${stepText} is no step: write whole dollars`)
const step = BigInt(stepText) * ONE

const signer = await secretSigner(process.env['SECRET'] ?? '')
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080', signer })
await client.login({ label: 'grid bot' })

/** Signed and handed over, and then nothing was heard of it: nothing else is signed before that is known. */
let unfinished: SignedTransaction | null = null
/** The ledger of the last trade: an older state does not know of it, and the bot would trade again. */
let lastLedger = 0

async function trade(request: TradeRequest, what: string): Promise<void> {
  try {
    lastLedger = (await client.trade(request)).ledger
    console.log(what)
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
    // Any other error makes it certain that the trade was not made; the next round sees what is missing.
    console.error(`a trade was not made: ${(error as Error).message}`)
  }
  unfinished = null
}

interface Step {
  readonly request: TradeRequest
  readonly what: string
}

/** What is to be done: what was bought gets its order to sell, what is too far away is withdrawn, and free levels get their orders to buy. */
function missing(positions: NonNullable<AccountState['positions']>, orders: NonNullable<AccountState['orders']>, price: bigint): Step[] {
  const mine = positions.filter((position) => position.asset === asset && position.direction === 0)
  const toBuy = orders.filter(isToBuy)
  const highest = ((price - 1n) / step) * step
  const levels = Array.from({ length: Number(LEVELS) }, (_, below) => highest - BigInt(below) * step).filter((level) => level > 0n)
  const taken = new Set([...mine.map(({ entryPrice }) => levelOf(entryPrice)), ...toBuy.map(priceOf)])
  const room = Math.max(0, PIECES_MAX - mine.length - toBuy.length)

  const sell = mine.filter(({ positionId }) => orders.every((order) => order.positionId !== positionId)).map(({ positionId, entryPrice }) => {
    const triggerPrice = levelOf(entryPrice) + step
    return {
      request: { op: 'set_take_profit', positionId, triggerPrice: String(triggerPrice), slippageToleranceBps: SLIPPAGE_BPS } as const,
      what: `position ${positionId} to be sold at ${show(triggerPrice)}`,
    }
  })
  const withdraw = toBuy.filter((order) => priceOf(order) < highest - LEVELS * step).map((order) => (
    { request: { op: 'cancel_order', orderId: order.orderId } as const, what: `order at ${show(priceOf(order))} withdrawn` }
  ))
  const buy = levels.filter((level) => !taken.has(level)).slice(0, room).map((level) => ({
    request: {
      op: 'place_limit_order', asset, direction: 'Long', collateral: String(COLLATERAL), leverage: LEVERAGE, triggerPrice: String(level),
      triggerCondition: 'Below', slippageToleranceBps: SLIPPAGE_BPS,
    } as const,
    what: `to be bought at ${show(level)}`,
  }))
  return [...sell, ...withdraw, ...buy]
}

/** The level at which a position was bought: the price may have been a little lower. */
const levelOf = (entryPrice: string): bigint => ((BigInt(entryPrice) + step - 1n) / step) * step
const isToBuy = (order: OpenOrder): boolean => order.asset === asset && order.orderType === 'limit'
const priceOf = ({ triggerPrice }: OpenOrder): bigint => BigInt(triggerPrice ?? 0)

async function round(): Promise<void> {
  await finishTrade()
  const { body: { ledger, positions, orders } } = await client.getAccountState()
  if (positions === null || orders === null || ledger < lastLedger) return
  const { body: { price, timestamp } } = await client.getMarketPrice({ asset })
  const ageSec = Math.floor(Date.now() / 1000) - timestamp
  if (ageSec > PRICE_AGE_MAX_SEC) return console.error(`nothing is done: the price is ${ageSec} s old`)
  for (const { request, what } of missing(positions, orders, BigInt(price))) {
    if (stopped.signal.aborted) return
    await trade(request, what)
  }
}

/** 7-decimal integers as people write them. */
function show(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(8, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

const amount = (value: unknown): bigint => typeof value === 'string' ? BigInt(value) : 0n

const stopped = new AbortController()
process.once('SIGINT', () => {
  console.log('stopping; once more to end at once')
  stopped.abort()
})

// The stream tells what happened; nothing is decided by it, so that nothing goes wrong when it is cut off.
const stream = client.stream()
let earned = 0n
stream.onProblem((problem) => console.error(problem))
stream.on(`account.events.${signer.address}`, ({ data: { topic, raw } }) => {
  const [id, at, pnl] = [String(raw['positionId']), amount(raw['closePrice'] ?? raw['entryPrice']), amount(raw['pnl'])]
  earned += pnl
  if (topic === 'position_opened') console.log(`position ${id} bought at ${show(at)}`)
  if (topic === 'position_closed') console.log(`position ${id} sold at ${show(at)}, earned ${show(pnl)}, in all ${show(earned)}`)
})

let failures = 0
while (!stopped.signal.aborted) {
  try {
    await round()
    failures = 0
  } catch (error) {
    // Another round may do better: the price moved too fast, a node did not answer. Anything else is a mistake that trying again does not mend.
    const isPassing = error instanceof GatewayError || error instanceof Unreachable || error instanceof UnknownOutcome
    failures += 1
    if (!isPassing || failures >= FAILURES_MAX) throw error
    console.error(`not done${error instanceof ContractFailure ? ' (the network refuses it)' : ''}: ${error.message}`)
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
for (const order of resting.orders.filter(isToBuy)) await trade({ op: 'cancel_order', orderId: order.orderId }, `order at ${show(priceOf(order))} withdrawn`)
