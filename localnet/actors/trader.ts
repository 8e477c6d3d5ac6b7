// A simulated trader: opens and closes positions by its habit, with signed transactions like anyone else's. What it owns it learns from the ledger,
// so that it goes on after a restart where it was.

import type { Random } from '../../src/base/random.ts'
import { defined } from '../../src/base/assert.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import { address, i128, symbol, u32, u64 } from '../contracts/host.ts'
import type { Actor } from './actor.ts'
import type { Client, LedgerView } from './client.ts'
import { createPositionReader } from './exchange-state.ts'
import type { StoredPosition } from './exchange-state.ts'
import { drawCollateral, drawInteger } from './habits.ts'
import type { Habit } from './habits.ts'
import { isWild, MARKETS } from './markets.ts'
import { positionPnl } from './risk.ts'
import type { Ticker } from './ticker.ts'

/** The first turn comes within this time, so that not all start in the same ledger. */
const FIRST_TURN_WITHIN_SEC = 3
/** After a refusal the trader waits, twice as long each time. */
const BACKOFF_LEAST_SEC = 5
const BACKOFF_MOST_SEC = 300
/** How old the trader's knowledge of its own positions may be: others close them too. */
const POSITIONS_KNOWN_FOR_SEC = 60

/** Builds a trader. */
export function createTrader(options: { name: string; client: Client; market: string; ticker: Ticker; habit: Habit; random: Random }): Actor {
  const { name, client, market, ticker, habit, random } = options
  const reader = createPositionReader(client, market)
  const markets = favourites(habit, random)
  const closingTimes = new Map<bigint, number>()
  let positions: readonly StoredPosition[] = []
  let positionsReadSec = Number.NEGATIVE_INFINITY
  let nextOpenSec: number | null = null
  let waitUntilSec = 0
  let refusals = 0
  let hasClosed = false

  function backOff(nowSec: number): void {
    waitUntilSec = nowSec + Math.min(BACKOFF_MOST_SEC, BACKOFF_LEAST_SEC * 2 ** refusals)
    refusals += 1
  }

  async function refresh(nowSec: number): Promise<void> {
    if (nowSec - positionsReadSec < POSITIONS_KNOWN_FOR_SEC) return
    positions = await reader.byTrader(client.address)
    positionsReadSec = nowSec
    const open = new Set(positions.map((position) => position.id))
    for (const id of closingTimes.keys()) if (!open.has(id)) closingTimes.delete(id)
    for (const position of positions) {
      if (closingTimes.has(position.id)) continue
      const hold = hasClosed ? habit.holdSec : habit.firstHoldSec
      closingTimes.set(position.id, position.openedAtSec + drawInteger(hold, random))
    }
  }

  function wantsToClose(position: StoredPosition, nowSec: number): boolean {
    if (nowSec >= (closingTimes.get(position.id) ?? Number.POSITIVE_INFINITY)) return true
    const gain = Number(positionPnl(position, ticker.price(position.asset))) / Number(position.collateral)
    return (habit.takeProfit !== null && gain >= habit.takeProfit) || (habit.stopLoss !== null && gain <= -habit.stopLoss)
  }

  async function close(position: StoredPosition, view: LedgerView): Promise<void> {
    const args = [address(client.address), u64(position.id)]
    const answer = await client.invoke({ contract: market, functionName: 'close_position', args }, view)
    if (answer.kind === 'sent') hasClosed = true
    else backOff(view.closeTimeSec)
    positionsReadSec = Number.NEGATIVE_INFINITY
  }

  async function open(view: LedgerView): Promise<void> {
    nextOpenSec = view.closeTimeSec + drawInteger(habit.pauseSec, random)
    const asset = markets[random.integer(markets.length)] ?? 'BTC'
    const direction = habit.direction(ticker.change(asset, habit.looksBackSec), random)
    const collateral = drawCollateral(habit.collateralUsdc, random)
    const leverage = drawInteger(habit.leverage, random)
    if (direction === null) return
    const args = [address(client.address), symbol(asset), i128(collateral), u32(leverage), u32(direction)]
    const answer = await client.invoke({ contract: market, functionName: 'open_position', args }, view)
    if (answer.kind !== 'sent') {
      backOff(view.closeTimeSec)
      nextOpenSec = waitUntilSec
    }
    positionsReadSec = Number.NEGATIVE_INFINITY
  }

  async function act(view: LedgerView): Promise<void> {
    const nowSec = view.closeTimeSec
    nextOpenSec ??= nowSec + random.integer(FIRST_TURN_WITHIN_SEC)
    const settlement = await client.settle(view)
    if (settlement.kind === 'pending') return
    if (settlement.kind === 'applied') refusals = 0
    if (settlement.kind === 'failed') backOff(nowSec)
    if (nowSec < waitUntilSec) return
    await refresh(nowSec)
    const closing = positions.find((position) => wantsToClose(position, nowSec))
    if (closing !== undefined) return close(closing, view)
    if (nowSec >= nextOpenSec && positions.length < habit.maxPositions) return open(view)
  }

  return {
    name,
    act,
    forget() {
      client.forget()
      closingTimes.clear()
      positions = []
      positionsReadSec = Number.NEGATIVE_INFINITY
      nextOpenSec = null
      waitUntilSec = 0
      refusals = 0
      hasClosed = false
    },
  }
}

/** Some of the listed assets, each once. */
function favourites(habit: Habit, random: Random): readonly string[] {
  const left = ASSET_SYMBOLS.filter((asset) => !habit.wildOnly || isWild(defined(MARKETS[asset], `the market of ${asset}`)))
  const chosen: string[] = []
  while (chosen.length < habit.markets && left.length > 0) chosen.push(...left.splice(random.integer(left.length), 1))
  return chosen
}
