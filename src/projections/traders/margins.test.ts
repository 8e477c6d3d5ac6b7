// The margin that traders put into positions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import { sql } from '../../store/sql.ts'
import type { Store } from '../../store/store.ts'
import { addToMargins, MARGIN, marginSince } from './margins.ts'
import type { MarginFill } from './margins.ts'

const ALICE = 'G-alice'
/** 10:30 of a day. */
const START = 20_000 * 86_400 + 37_800
const HOUR = 3_600
const DAY = 86_400
const opened = (ts: number, collateral: bigint | null): MarginFill => ({ trader: ALICE, kind: 'open', ts, collateral })

async function marginOf(store: Store, trader: string): Promise<string | null | undefined> {
  const rows = await store.read.query(
    sql`select ${MARGIN} from (select 1) one left join lateral ${marginSince(sql`$1::text`, sql`$2::bigint`)} on true`, [trader, START],
  )
  return rows[0]?.margin
}

test('the margin of a period is the collateral of what was opened since the hour in which it begins, and null with an unknown part', async () => {
  await using store = await openTestStore()
  await addToMargins(store.write, [
    opened(START - HOUR, 1n), opened(START - 1_000, 10n), opened(START, 100n), opened(START + 14 * HOUR, 1_000n), opened(START + 2 * DAY, 10_000n),
    { ...opened(START, 5n), kind: 'close' }, { ...opened(START, 7n), trader: 'G-bob' },
  ], [])
  assert.equal(await marginOf(store, ALICE), '11110')
  assert.equal(await marginOf(store, 'G-carol'), '0')
  await addToMargins(store.write, [opened(START + DAY, null)], [])
  assert.equal(await marginOf(store, ALICE), null)
  // Its transaction was read later.
  await addToMargins(store.write, [opened(START + DAY, 100_000n)], [opened(START + DAY, null)])
  assert.equal(await marginOf(store, ALICE), '111110')
})
