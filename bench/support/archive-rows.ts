// The archive rows of a history, as the indexer would write them, ready for a bulk insert.

import { parseEvents } from '../../src/chain/rpc/responses.ts'
import { EVENTS_PAGE_LIMIT } from '../../src/limits.ts'
import { epochContracts } from '../../src/indexer/identity/epochs.ts'
import { interfacesOf } from '../../src/indexer/pages/interfaces.ts'
import { toNumberedPage } from '../../src/indexer/pages/write-page.ts'
import type { ArchivedEvent } from '../../src/projections/log/archived-event.ts'
import type { Epoch } from '../../src/projections/state/epochs.ts'
import { appendEvents } from '../../src/projections/log/events.ts'
import type { Deployment } from './deployment.ts'
import { createHistory, FIRST_LEDGER } from './history.ts'
import { captureStatements } from './statements.ts'
import type { CapturedStatement } from './statements.ts'

const INSERTED_AT_MS = 1_783_339_200_000

/** The first epoch of this deployment. */
export function firstEpoch({ contracts, name, passphrase }: Deployment): Epoch {
  return {
    number: 1, epoch: 'bench', chain: 1, contractEpoch: 1, reason: 'first', passphrase, contracts: epochContracts(contracts),
    startLedger: FIRST_LEDGER, finalCursor: null, name,
  }
}

/** The archive rows of a history, one array per page of events. */
export async function archivePages(deployment: Deployment, count: number): Promise<readonly (readonly ArchivedEvent[])[]> {
  const epoch = firstEpoch(deployment)
  const history = createHistory(deployment.contracts, count)
  const pages: (readonly ArchivedEvent[])[] = []
  for (let from = 0; from < count; from += EVENTS_PER_INSERT) {
    const page = history.events.slice(from, from + EVENTS_PER_INSERT).map(({ json }): unknown => JSON.parse(json))
    const { events } = parseEvents({ events: page, cursor: 'unused', latestLedger: history.lastLedger, oldestLedger: FIRST_LEDGER })
    const declared = { interfaces: interfacesOf([], new Map()), upgrades: new Map(), code: [] }
    pages.push((await toNumberedPage(events, { epoch, epochs: [epoch], afterSeq: from }, declared)).archived)
  }
  return pages
}

/** One insert statement per page of events. */
export async function archiveStatements(deployment: Deployment, count: number): Promise<readonly CapturedStatement[]> {
  const statements: CapturedStatement[] = []
  for (const rows of await archivePages(deployment, count)) {
    const captured = await captureStatements((db) => appendEvents(db, 1, rows, INSERTED_AT_MS))
    statements.push(...captured.filter(({ sql }) => /^\s*insert into idx\.events\b/.test(sql)))
  }
  return statements
}

const EVENTS_PER_INSERT = EVENTS_PAGE_LIMIT
