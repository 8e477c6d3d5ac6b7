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
const CYCLE_SEC = 5
/** Jobs that may be refused in one turn: a refusal costs a simulation and no more, but a ledger waits for its actors. */
const MAX_REFUSALS_PER_TURN = 8

/** Builds the keeper. */
export function createKeeper(options: { client: Client; deployment: Deployment }): Actor {
  const { client, deployment } = options
  const market = createMarketReader(client, deployment)
  const jobs = createJobList()
  let underWay: Job | null = null
  let dueSec = 0

  async function act(view: LedgerView): Promise<void> {
    const nowSec = view.closeTimeSec
    const settlement = await client.settle(view)
    if (settlement.kind === 'pending') return
    if (underWay !== null && settlement.kind === 'failed') jobs.refused(underWay, nowSec)
    underWay = null
    if (nowSec >= dueSec) {
      dueSec = nowSec + CYCLE_SEC
      jobs.offer(findJobs(await market.look(), nowSec, deployment.market, client.address), nowSec)
    }
    for (let refusals = 0; refusals < MAX_REFUSALS_PER_TURN; refusals++) {
      const job = jobs.next(nowSec)
      if (job === undefined) return
      const answer = await client.invoke(job.invocation, view)
      if (answer.kind === 'sent') underWay = job
      if (answer.kind !== 'refused') return
      jobs.refused(job, nowSec)
    }
  }

  return {
    name: 'keeper',
    act,
    forget() {
      client.forget()
      market.forget()
      jobs.forget()
      underWay = null
      dueSec = 0
    },
  }
}
