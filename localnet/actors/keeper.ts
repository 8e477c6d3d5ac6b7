// The keeper: every few seconds it looks at the market through its ledger entries and lines up what is due: liquidations first, then
// funding once an hour, then prices that have moved since the market last saw them.

import { u64, symbol, address } from '../contracts/host.ts'
import type { Actor } from './actor.ts'
import type { Client, LedgerView } from './client.ts'
import type { Invocation } from './envelope.ts'
import { createOverviewReader, createPositionReader } from './exchange-state.ts'
import type { Deployment, MarketOverview } from './exchange-state.ts'
import { isLiquidatable } from './risk.ts'

/** Seconds between two looks at the market. */
const CYCLE_SEC = 5
const FUNDING_INTERVAL_SEC = 3_600
/** Calls lined up at one time; what does not fit is found again in the next cycle. */
const MAX_JOBS = 64
/**
 * The market refuses to open at a price more than 100 bps from the last one that it saw within 600 s. A keeper that shows it the price at half of
 * that keeps trading possible in a moving market.
 */
const SYNC_MOVE_BPS = 50n
const LAST_GOOD_LIVES_SEC = 600
const BPS = 10_000n

/** Builds the keeper. */
export function createKeeper(options: { client: Client; deployment: Deployment }): Actor {
  const { client, deployment } = options
  const readOverview = createOverviewReader(deployment)
  const positions = createPositionReader(client, deployment.market)
  let jobs: Invocation[] = []
  let dueSec = 0

  const call = (functionName: string, ...args: Invocation['args']): Invocation => ({ contract: deployment.market, functionName, args })

  async function findJobs(view: LedgerView): Promise<Invocation[]> {
    const overview = await readOverview(client)
    const open = await positions.byIds(overview.positionIds)
    const liquidations = open
      .filter((position) => {
        const price = overview.oraclePrices.get(position.asset)?.price
        return price !== undefined && isLiquidatable(position, price, overview.cumulativeFunding)
      })
      .map((position) => call('liquidate', address(client.address), u64(position.id)))
    const fundingDue = overview.lastFundingSec !== null && view.closeTimeSec >= overview.lastFundingSec + FUNDING_INTERVAL_SEC
    const syncs = movedAssets(overview, view.closeTimeSec).map((asset) => call('sync_asset_pnl', symbol(asset)))
    return [...liquidations, ...(fundingDue ? [call('apply_funding')] : []), ...syncs].slice(0, MAX_JOBS)
  }

  async function act(view: LedgerView): Promise<void> {
    if ((await client.settle(view)).kind === 'pending') return
    if (view.closeTimeSec >= dueSec) {
      dueSec = view.closeTimeSec + CYCLE_SEC
      jobs = await findJobs(view)
    }
    // A refusal costs a simulation and no more; the next job may have its turn in the same ledger.
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const answer = await client.invoke(job, view)
      if (answer.kind !== 'refused') return
    }
  }

  return {
    name: 'keeper',
    act,
    forget() {
      client.forget()
      jobs = []
      dueSec = 0
    },
  }
}

/** The assets whose oracle price has left the price that the market knows, while that one still counts. */
function movedAssets(overview: MarketOverview, nowSec: number): readonly string[] {
  return [...overview.lastGoodPrices]
    .filter(([asset, known]) => {
      const price = overview.oraclePrices.get(asset)?.price
      if (price === undefined || price <= 0n || known.price <= 0n || nowSec - known.timestampSec > LAST_GOOD_LIVES_SEC) return false
      const move = price > known.price ? price - known.price : known.price - price
      return (move * BPS) / known.price >= SYNC_MOVE_BPS
    })
    .map(([asset]) => asset)
}
