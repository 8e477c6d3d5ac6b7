// The keeper: every few seconds it looks at the market through its ledger entries and does what is due, one transaction per ledger: liquidations,
// orders whose moment has come, cross accounts that are worth too little, peaks of trailing stops, funding once an hour, and prices that have moved
// since the market last saw them.

import type { Actor } from './actor.ts'
import type { Client, LedgerView } from './client.ts'
import type { Deployment } from './exchange-state.ts'
import { createJobList } from './job-list.ts'
import { createMarketReader, findJobs } from './keeper-jobs.ts'
import type { Job } from './keeper-jobs.ts'

/** Seconds between two looks at the market. */
const SNAPSHOT_INTERVAL_SEC = 5
/** Jobs that may be refused in one turn: a refusal costs a simulation and no more, but a ledger waits for its actors. */
const MAX_REFUSALS_PER_TURN = 8

/** Builds the keeper. */
export function createKeeper(options: { client: Client; deployment: Deployment }): Actor {
  const { client, deployment } = options
  const market = createMarketReader(client, deployment)
  const jobs = createJobList()
  let inFlight: Job | null = null
  let dueSec = 0

  async function act(view: LedgerView): Promise<void> {
    const nowSec = view.closeTimeSec
    const settlement = await client.settle(view)
    if (settlement.kind === 'pending') return
    if (inFlight !== null && settlement.kind === 'failed') jobs.postpone(inFlight, nowSec)
    inFlight = null
    if (nowSec >= dueSec) {
      dueSec = nowSec + SNAPSHOT_INTERVAL_SEC
      jobs.update(findJobs(await market.look(), nowSec, deployment.market, client.address), nowSec)
    }
    for (let refusals = 0; refusals < MAX_REFUSALS_PER_TURN; refusals++) {
      const job = jobs.takeNext(nowSec)
      if (job === undefined) return
      const answer = await client.invoke(job.invocation, view)
      if (answer.kind === 'sent') inFlight = job
      if (answer.kind !== 'refused') return
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
      dueSec = 0
    },
  }
}
