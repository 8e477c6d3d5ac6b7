// The keeper: reads the market's ledger entries every few seconds and does what is due, one transaction per ledger. It liquidates positions and cross accounts,
// executes triggered orders, updates peaks of trailing stops, applies funding every hour, and syncs prices that have moved.

import type { Actor } from './actor.ts'
import type { Client, LedgerView } from './client.ts'
import type { Deployment } from './exchange-state.ts'
import { createJobList } from './job-list.ts'
import { createMarketReader, findJobs } from './keeper-jobs.ts'
import type { Job, MarketReader } from './keeper-jobs.ts'

/** Time between two snapshots of the market. */
const SNAPSHOT_INTERVAL_SEC = 5
/** A refusal costs only a simulation, but the next ledger waits for the actors. */
const MAX_REFUSALS_PER_TURN = 8

/** Builds the keeper. */
export function createKeeper(options: { client: Client; deployment: Deployment; reader?: MarketReader }): Actor {
  const { client, deployment, reader: market = createMarketReader(client, deployment) } = options
  const jobs = createJobList()
  let inFlight: Job | null = null
  let wasRepeated = false
  let dueSec = 0

  async function act(view: LedgerView): Promise<void> {
    const nowSec = view.closeTimeSec
    const settlement = await client.settle(view)
    if (settlement.kind === 'pending') return
    // The market has changed since the simulation: one more attempt, at once.
    const repeated = settlement.kind === 'failed' && settlement.isOutdated && !wasRepeated ? inFlight : null
    if (inFlight !== null && repeated === null && settlement.kind === 'failed') jobs.postpone(inFlight, nowSec)
    inFlight = null
    wasRepeated = repeated !== null
    if (nowSec >= dueSec) {
      dueSec = nowSec + SNAPSHOT_INTERVAL_SEC
      jobs.update(findJobs(await market.read(), nowSec, deployment.market, client.address), nowSec)
    }
    for (let refusals = 0; refusals < MAX_REFUSALS_PER_TURN; refusals++) {
      const job = refusals === 0 && repeated !== null ? repeated : jobs.takeNext(nowSec)
      if (job === undefined) return
      const { kind } = await client.invoke(job.invocation, view)
      if (kind === 'sent') inFlight = job
      if (kind !== 'refused') return
      jobs.postpone(job, nowSec)
    }
  }

  return {
    name: 'keeper',
    act,
    forget() {
      client.forget()
      market.forget()
      jobs.forget()
      inFlight = null
      wasRepeated = false
      dueSec = 0
    },
  }
}
