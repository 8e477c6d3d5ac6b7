// A simulated trader: opens, protects and ends positions by its habit, with signed transactions like anyone else's. What it owns it learns from the
// ledger, so that it goes on after a restart where it was.

import type { Random } from '../../src/base/random.ts'
import { defined } from '../../src/base/assert.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import { address, i128, u64 } from '../contracts/host.ts'
import type { Actor } from './actor.ts'
import type { Client, LedgerView } from './client.ts'
import { drawCollateral, drawInteger } from './strategies.ts'
import type { Strategy } from './strategies.ts'
import { isVolatile, MARKETS } from './markets.ts'
import { createPlans, opensPosition } from './plans.ts'
import { positionPnl } from './risk.ts'
import { createHoldingsReader, CROSS_MARGIN } from './stored-entries.ts'
import type { Holdings, StoredPosition } from './stored-entries.ts'
import { drawEntry, entryCall, exitCall } from './order-calls.ts'
import type { Entry, EntryTerms, TraderCall } from './order-calls.ts'
import type { Ticker } from './ticker.ts'

/** The first turn comes within this time, so that not all start in the same ledger. */
const MAX_START_DELAY_SEC = 3
/** After a refusal the trader waits, twice as long each time. */
const MIN_BACKOFF_SEC = 5
const MAX_BACKOFF_SEC = 300
/** How old the trader's knowledge of what it owns may be: others end its positions and orders too. */
const MAX_HOLDINGS_AGE_SEC = 60
/** Of the entries on cross margin without any: those that begin with a deposit, of up to this many times the first collateral. */
const DEPOSIT_SHARE = 0.5
const DEPOSIT_MULTIPLE = { min: 1, max: 3 } as const

const NO_HOLDINGS: Holdings = { positions: [], orders: [], pool: 0n }

/** Builds a trader. */
export function createTrader(options: { name: string; client: Client; market: string; ticker: Ticker; habit: Strategy; random: Random }): Actor {
  const { name, client, market, ticker, habit, random } = options
  const reader = createHoldingsReader(client, market, client.address)
  const markets = drawMarkets(habit, random)
  const plans = createPlans(habit, random)
  let holdings = NO_HOLDINGS
  let readSec = Number.NEGATIVE_INFINITY
  let nextOpenSec: number | null = null
  /** Where the next entry is no open question: the very first one is at the market, since a new network is to have positions soon. */
  let nextEntry: Entry | null = 'market'
  let waitUntilSec = 0
  let refusals = 0

  function backOff(nowSec: number): void {
    waitUntilSec = nowSec + Math.min(MAX_BACKOFF_SEC, MIN_BACKOFF_SEC * 2 ** refusals)
    refusals += 1
  }

  async function refresh(nowSec: number): Promise<void> {
    if (nowSec - readSec < MAX_HOLDINGS_AGE_SEC) return
    holdings = await reader.read()
    readSec = nowSec
    plans.update(holdings, nowSec)
  }

  function wantsToClose(position: StoredPosition, nowSec: number): boolean {
    if (nowSec >= plans.closeAtSec(position)) return true
    const gain = Number(positionPnl(position, ticker.price(position.asset))) / Number(position.collateral)
    return (habit.takeProfit !== null && gain >= habit.takeProfit) || (habit.stopLoss !== null && gain <= -habit.stopLoss)
  }

  /** What is to be done about what the trader has: ends first, then orders that have waited too long, protection, idle margin. */
  function upkeep(nowSec: number): TraderCall | undefined {
    const { positions, orders, pool } = holdings
    const closing = positions.find((position) => wantsToClose(position, nowSec))
    if (closing !== undefined) {
      return { functionName: closing.marginMode === CROSS_MARGIN ? 'close_position_cross' : 'close_position', args: [u64(closing.id)] }
    }
    const stale = orders.find((order) => nowSec >= plans.cancelAtSec(order))
    if (stale !== undefined) return { functionName: 'cancel_order', args: [u64(stale.id)] }
    for (const position of positions) {
      const exit = plans.takeNextExit(position, orders)
      if (exit !== undefined) return exitCall(exit, position, ticker.price(position.asset), habit.orders, random)
    }
    if (nextEntry !== 'cross' && plans.takeDueWithdrawal(nowSec)) return { functionName: 'withdraw_cross_margin', args: [i128(pool)] }
    return undefined
  }

  /** Who never cuts a loss doubles up on cross margin: the market and the direction of what is there. */
  function drawTerms(entry: Entry): EntryTerms | undefined {
    const drawn = markets[random.integer(markets.length)] ?? 'BTC'
    const held = entry === 'cross' && habit.stopLoss === null ? holdings.positions.find((position) => position.marginMode === CROSS_MARGIN) : undefined
    const asset = held?.asset ?? drawn
    const direction = habit.direction(ticker.change(asset, habit.lookbackSec), random)
    const collateral = drawCollateral(habit.collateralUsdc, random)
    const leverage = drawInteger(habit.leverage, random)
    if (direction === null) return undefined
    return { asset, direction: held === undefined ? direction : held.direction === 0 ? 0 : 1, collateral, leverage, price: ticker.price(asset) }
  }

  /** The next entry, or the deposit that prepares it. */
  function entry(nowSec: number): TraderCall | undefined {
    nextOpenSec = nowSec + drawInteger(habit.pauseSec, random)
    const way = nextEntry ?? drawEntry(habit.orders, random)
    const terms = drawTerms(way)
    if (terms === undefined) return undefined
    if (way === 'cross' && nextEntry === null && holdings.pool === 0n && random.float() < DEPOSIT_SHARE) {
      nextEntry = way
      nextOpenSec = nowSec
      return { functionName: 'deposit_cross_margin', args: [i128(terms.collateral * BigInt(drawInteger(DEPOSIT_MULTIPLE, random)))] }
    }
    nextEntry = null
    return entryCall(way, terms, habit.orders, random)
  }

  function hasRoom(): boolean {
    return holdings.positions.length + holdings.orders.filter(opensPosition).length < habit.maxPositions
  }

  async function send({ functionName, args }: TraderCall, view: LedgerView): Promise<boolean> {
    const answer = await client.invoke({ contract: market, functionName, args: [address(client.address), ...args] }, view)
    readSec = Number.NEGATIVE_INFINITY
    if (answer.kind !== 'sent') backOff(view.closeTimeSec)
    else if (functionName.startsWith('close_position')) plans.onPositionClosed()
    return answer.kind === 'sent'
  }

  async function act(view: LedgerView): Promise<void> {
    const nowSec = view.closeTimeSec
    nextOpenSec ??= nowSec + random.integer(MAX_START_DELAY_SEC)
    const settlement = await client.settle(view)
    if (settlement.kind === 'pending') return
    if (settlement.kind === 'applied') refusals = 0
    if (settlement.kind === 'failed') backOff(nowSec)
    if (nowSec < waitUntilSec) return
    await refresh(nowSec)
    const due = upkeep(nowSec)
    if (due !== undefined) {
      await send(due, view)
      return
    }
    if (nowSec < nextOpenSec || !hasRoom()) return
    const call = entry(nowSec)
    if (call === undefined || (await send(call, view))) return
    nextOpenSec = waitUntilSec
    nextEntry = null
  }

  return {
    name,
    act,
    forget() {
      client.forget()
      reader.forget()
      plans.forget()
      holdings = NO_HOLDINGS
      readSec = Number.NEGATIVE_INFINITY
      nextOpenSec = null
      nextEntry = 'market'
      waitUntilSec = 0
      refusals = 0
    },
  }
}

/** Some of the listed assets, each once. */
function drawMarkets(habit: Strategy, random: Random): readonly string[] {
  const left = ASSET_SYMBOLS.filter((asset) => !habit.volatileOnly || isVolatile(defined(MARKETS[asset], `the market of ${asset}`)))
  const chosen: string[] = []
  while (chosen.length < habit.markets && left.length > 0) chosen.push(...left.splice(random.integer(left.length), 1))
  return chosen
}
