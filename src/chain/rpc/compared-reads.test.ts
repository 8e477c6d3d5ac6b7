// Figures of one node are compared with a second one's: entries by the ledgers in which they were modified, and a third node decides.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createSeededRandom } from '../../base/random.ts'
import { quiet } from '../../../test/relay/scripted-node.ts'
import { createAgreement } from './agreement.ts'
import { compareEntries, comparedRpc, SECOND_WAIT_MS } from './compared-reads.ts'
import type { LedgerEntriesResponse, LedgerEntry } from './responses.ts'
import { createRpc } from './rpc.ts'

const KEY = 'AAAA'
const entry = (dataXdr: string, lastModifiedLedger: number, more: Partial<LedgerEntry> = {}): LedgerEntry =>
  ({ keyXdr: KEY, dataXdr, lastModifiedLedger, liveUntilLedger: null, ...more })
const at = (latestLedger: number, ...entries: readonly LedgerEntry[]): LedgerEntriesResponse => ({ latestLedger, entries })

const COMPARISONS: readonly (readonly [name: string, first: LedgerEntriesResponse, second: LedgerEntriesResponse, expected: string])[] = [
  ['the same entry at different ledgers', at(100, entry('one', 90)), at(103, entry('one', 90)), 'same'],
  ['an entry that neither has', at(100), at(103), 'same'],
  ['other data of the same modification', at(100, entry('one', 90)), at(103, entry('two', 90)), 'different'],
  ['a modification that the earlier node must have', at(100, entry('one', 80)), at(103, entry('two', 90)), 'different'],
  ['a modification after the earlier ledger', at(100, entry('one', 80)), at(103, entry('two', 102)), 'unknown'],
  ['a modification in the earlier ledger, which that node may not report yet', at(100, entry('one', 80)), at(103, entry('two', 100)), 'unknown'],
  ['an invented modification in the latest ledger', at(103, entry('one', 103)), at(103, entry('two', 90)), 'different'],
  ['an entry that one of two equal ledgers lacks', at(100, entry('one', 90)), at(100), 'different'],
  ['an entry that may have been removed since', at(100, entry('one', 90)), at(103), 'unknown'],
  ['an entry that the earlier node must have', at(100), at(103, entry('one', 90)), 'different'],
  ['an archived entry, which some versions omit', at(100), at(100, entry('one', 80, { liveUntilLedger: 95 })), 'unknown'],
]
for (const [name, first, second, expected] of COMPARISONS) {
  test(`${name}: ${expected}`, () => {
    assert.equal(compareEntries([KEY], first, second), expected)
    if (!name.includes('invented')) assert.equal(compareEntries([KEY], second, first), expected, 'in either order')
  })
}

/** A client of nodes that return these entries; null: no response. */
function clientOf(answers: readonly (LedgerEntriesResponse | null)[]) {
  const clock = createVirtualClock(0)
  const faults: (readonly [number, string])[] = []
  const calls: number[] = []
  const rpc = createRpc({
    urls: answers.map((_answer, index) => `http://node-${index}/`), clock, random: createSeededRandom('compared'), log: silentLog,
    observer: { called() {}, faulted: (node, fault) => void faults.push([node, fault]) },
    async transport(url, body) {
      const node = Number(new URL(url).hostname.slice('node-'.length))
      calls.push(node)
      const answer = answers[node]
      if (answer === null || answer === undefined) return await new Promise(() => {})
      const { id } = JSON.parse(body) as { readonly id: number }
      const entries = answer.entries.map(({ keyXdr: key, dataXdr, lastModifiedLedger }) => ({ key, xdr: dataXdr, lastModifiedLedgerSeq: lastModifiedLedger }))
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: { entries, latestLedger: answer.latestLedger } }) }
    },
  })
  const agreement = createAgreement(clock)
  return { clock, faults, calls, agreement, rpc: comparedRpc({ rpc, clock, agreement }, 'prices') }
}

const believed = ({ agreement }: ReturnType<typeof clientOf>): unknown => {
  const { agreeing, asked } = agreement.view().prices ?? {}
  return [agreeing, asked]
}

test('a node that is alone among three is not believed, and avoided', async () => {
  for (const [liar, honest] of [[0, 1], [1, 0]] as const) {
    const client = clientOf([0, 1, 2].map((node) => at(100, entry(node === liar ? 'lie' : 'truth', 90))))
    assert.equal((await client.rpc.getLedgerEntries([KEY])).entries[0]?.dataXdr, 'truth')
    assert.deepEqual([client.faults, believed(client)], [[[liar, 'false_entries']], [2, 3]], `node ${liar} lies`)
    client.calls.length = 0
    await client.rpc.getLedgerEntries([KEY])
    assert.deepEqual(new Set(client.calls), new Set([honest, 2]))
  }
})

test('two nodes that differ: the first one is used, nobody is blamed, and health says so', async () => {
  const client = clientOf([at(100, entry('one', 90)), at(100, entry('two', 90))])
  assert.equal((await client.rpc.getLedgerEntries([KEY])).entries[0]?.dataXdr, 'one')
  assert.deepEqual([client.faults, believed(client)], [[], [1, 2]])
})

test('a second node that does not respond delays a read by a tenth of a second, and is not blamed', async () => {
  const client = clientOf([at(100, entry('one', 90)), null])
  let settled = false
  const reading = client.rpc.getLedgerEntries([KEY]).then((response) => {
    settled = true
    return response
  })
  await quiet()
  client.clock.advance(SECOND_WAIT_MS - 1)
  await quiet()
  assert.equal(settled, false)
  client.clock.advance(1)
  assert.equal((await reading).entries[0]?.dataXdr, 'one')
  assert.deepEqual([client.faults, believed(client), client.clock.pendingTimers()], [[], [1, 1], 0])
})

test('with one node nothing is compared', async () => {
  const client = clientOf([at(100, entry('one', 90))])
  await client.rpc.getLedgerEntries([KEY])
  assert.deepEqual([client.calls, believed(client)], [[0], [1, 1]])
})
