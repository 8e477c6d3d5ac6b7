// PROJECTIONS_VERSION must increase whenever the same archive gives other projections, because that is how databases in use are brought up to date.

import { strict as assert } from 'node:assert'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import test from 'node:test'
import { PROJECTIONS_VERSION } from '../../src/projections/state/tables.ts'
import { openTestStore } from '../support/database.ts'
import { createIndexFixture } from './fixture.ts'
import { dumpProjections } from './tables.ts'
import { GOLDEN_COMMAND, UPDATES_GOLDEN } from '../support/golden.ts'

const GOLDEN = new URL('./projections-version.json', import.meta.url)

/** The digest of the projections of a fixed history. */
async function digestProjections(): Promise<string> {
  await using store = await openTestStore()
  await using fixture = createIndexFixture(store)
  const { exchange } = fixture
  for (let ledger = 0; ledger < 12; ledger++) {
    for (let pick = 0; pick < 24; pick++) {
      const kinds = [exchange.open, exchange.close, exchange.placeOrder, exchange.endOrder, exchange.other, exchange.liquidate]
      fixture.queue(kinds[(pick + ledger) % kinds.length]?.(pick * 7 + ledger, pick + ledger))
    }
    if (ledger % 5 === 4) fixture.queue(exchange.crossLiquidate(ledger))
    fixture.closeLedger()
  }
  await fixture.catchUp()
  return createHash('sha256').update(JSON.stringify(await dumpProjections(store.read))).digest('hex')
}

test('the projections of a fixed history change only with PROJECTIONS_VERSION', async () => {
  const actual = { version: PROJECTIONS_VERSION, digest: await digestProjections() }
  const golden = JSON.parse(await readFile(GOLDEN, 'utf8').catch(() => '{}')) as Partial<typeof actual>
  if (UPDATES_GOLDEN && (golden.version ?? 0) < PROJECTIONS_VERSION) await writeFile(GOLDEN, `${JSON.stringify(actual, null, 2)}\n`)
  else assert.deepEqual(actual, golden, `increase PROJECTIONS_VERSION in src/projections/state/tables.ts, then run ${GOLDEN_COMMAND}`)
})
