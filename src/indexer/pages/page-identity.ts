// Verifies that a page of events is from the indexed chain: its last ledger follows a known one, by hashes, and close times are those of the headers.

import type { LedgerHeader } from '../../chain/codec/ledger-header.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readAnchorAt } from '../../projections/state/anchors.ts'
import type { Anchor, ReadAnchor } from '../../projections/state/anchors.ts'
import type { Queryable } from '../../store/store.ts'
import { HEADERS_PER_CHECK, readHeader, readHeaders, toAnchor } from '../identity/chain-identity.ts'
import { BadPage } from './events-page.ts'
import type { CheckedPage } from './events-page.ts'

/** Close times by ledger. */
type CloseTimes = ReadonlyMap<number, number>

/**
 * Returns the page's last ledgers. At the head of the chain that is one request, and none without a new ledger. While catching up, one more reads the last
 * known ledger again, and one the ledger of the last event. Throws RpcFailure or BadPage.
 */
export async function confirmPage(db: Queryable, chain: number, page: CheckedPage, node: Rpc, call: CallOptions): Promise<readonly ReadAnchor[]> {
  const last = page.through?.ledger ?? page.events.at(-1)?.ledger
  if (last === undefined) return []
  const known = await readAnchorAt(db, chain, last)
  if (known?.ledger === last && known.closeSec !== null) {
    assertCloseTimes(page, new Map([[last, known.closeSec]]))
    return []
  }
  const headers = await readNewHeaders(known, last, page, node, call)
  assertCloseTimes(page, new Map(headers.map(({ sequence, closeSec }) => [sequence, closeSec])))
  await confirmLastEvent(page, headers, node, call)
  return headers.map(toAnchor)
}

/** Reads the headers up to the page's last ledger, and verifies that they follow the known one. */
async function readNewHeaders(
  known: Anchor | null, last: number, { oldestLedger }: CheckedPage, node: Rpc, call: CallOptions,
): Promise<readonly LedgerHeader[]> {
  const next = (known?.ledger ?? 0) + 1
  const from = Math.max(1, Math.min(last, oldestLedger), next, last - HEADERS_PER_CHECK + 1)
  const headers = await readHeaders(node, { from: Math.min(from, last), to: last }, call)
  const first = headers[0]
  if (first === undefined || headers.at(-1)?.sequence !== last) throw new BadPage('missing_ledger', 'the node does not have the last ledger of its page')
  if (known === null) return headers
  if (first.sequence === next) {
    if (first.previousHash !== known.hash) throw otherChain()
  } else if (known.ledger >= oldestLedger && known.ledger < first.sequence) {
    const again = await readHeader(node, known.ledger, call)
    if (again === undefined) throw new BadPage('missing_ledger', 'the node does not have a ledger of its range')
    if (again.hash !== known.hash) throw otherChain()
  }
  return headers
}

/** A page that was cached before a reset has close times that its chain no longer has. */
async function confirmLastEvent({ events }: CheckedPage, headers: readonly LedgerHeader[], node: Rpc, call: CallOptions): Promise<void> {
  const event = events.at(-1)
  if (event === undefined || headers.some(({ sequence }) => sequence === event.ledger)) return
  const header = await readHeader(node, event.ledger, call)
  if (header === undefined) throw new BadPage('missing_ledger', 'the node does not have the ledger of an event')
  if (header.closeSec !== event.closeSec) throw closeTimeMismatch()
}

function assertCloseTimes({ events, through, latest }: CheckedPage, closeTimes: CloseTimes): void {
  for (const reported of [...events, through, latest]) {
    if (reported === null || reported.closeSec === null) continue
    const closeSec = closeTimes.get(reported.ledger)
    if (closeSec !== undefined && closeSec !== reported.closeSec) throw closeTimeMismatch()
  }
}

function otherChain(): BadPage {
  return new BadPage('other_chain', 'the page does not follow the indexed ledgers')
}

function closeTimeMismatch(): BadPage {
  return new BadPage('close_time_mismatch', 'a close time is not that of its ledger\'s header')
}
