// Versions of the open interest: what is read as of each seq, for steps that were known from the beginning and for those that became known later.

import { strict as assert } from 'node:assert'
import { after, before, test } from 'node:test'
import { createIndexFixture } from '../../../test/index/fixture.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { fc, fuzzRuns } from '../../../test/support/fuzz.ts'
import { addPastInterest, alignInterestVersions, changeOpenInterest } from './interest-versions.ts'
import type { InterestStep } from './interest-versions.ts'
import { INTEREST_VERSIONS, versionAt } from '../state/version-blocks.ts'
import { sql } from '../../store/sql.ts'

const DEPLOYMENT = 1
const { width } = INTEREST_VERSIONS

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

/** The sums refer to a deployment. */
before(async () => {
  await using fixture = createIndexFixture(store)
  fixture.closeLedger()
  await fixture.untilEpoch()
})

const clear = (): Promise<unknown> => store.write.query('delete from idx.interest_versions; delete from idx.open_interest')

const addPage = (page: readonly InterestStep[]): Promise<void> => changeOpenInterest(store.write, DEPLOYMENT, page)

/** The stored rows, except sums of zero. */
async function dump(): Promise<readonly object[]> {
  return [
    ...(await store.read.query('select * from idx.interest_versions order by asset, from_seq')),
    ...(await store.read.query('select * from idx.open_interest where (long_size, short_size, positions) <> (0, 0, 0) order by asset')),
  ]
}

/** As read for clients: zeros before the first version. */
async function readAt(asset: string, seqs: readonly number[]): Promise<string[]> {
  const rows = await store.read.query<{ text: string }>(
    sql`select concat_ws(' ', coalesce(v.long_size, 0), coalesce(v.short_size, 0), coalesce(v.positions, 0)) as text
     from unnest($1::bigint[]) with ordinality s (seq, ordinal)
     left join lateral (${versionAt(INTEREST_VERSIONS, sql`s.seq`, sql`w.contract_epoch = $2 and w.asset = $3`)}) v on true order by s.ordinal`,
    [seqs, DEPLOYMENT, asset],
  )
  return rows.map(({ text }) => text)
}

/** The sums of all steps up to a seq. */
function sumAt(steps: readonly InterestStep[], asset: string, seq: number): string {
  const parts = steps.filter((step) => step.asset === asset && step.seq <= seq)
  const sum = (value: (step: InterestStep) => bigint | number): bigint => parts.reduce((total, step) => total + BigInt(value(step)), 0n)
  return `${sum(({ long }) => long)} ${sum(({ short }) => short)} ${sum(({ positions }) => positions)}`
}

const ASSETS = ['BTC', 'ETH']
const step = fc.record({
  seq: fc.integer({ min: 1, max: width * 3 }), asset: fc.constantFrom(...ASSETS), long: fc.bigInt(-1n, 2n), short: fc.bigInt(0n, 1n),
  positions: fc.integer({ min: 0, max: 1 }),
})
/** At the first or the last seq of a block's range. */
const edgeStep = step.map((each) => ({ ...each, seq: Math.ceil(each.seq / width) * width - (each.seq % 2) }))
/** In the order of the log. */
const steps = fc.array(fc.oneof(step, edgeStep), { maxLength: 60, size: 'max' }).map((all) => all.toSorted((a, b) => a.seq - b.seq))

test('the open interest as of each seq is the sum of the steps up to it, and the rows are the same for any page boundaries', async () => {
  await fc.assert(fc.asyncProperty(steps, async (all) => {
    // A page holds all steps of an event.
    const pages = [...Map.groupBy(all, ({ seq }) => seq).values()]
    await clear()
    for (const page of pages) await addPage(page)
    const small = await dump()
    await clear()
    await addPage(all)
    assert.deepEqual(await dump(), small)
    const seqs = [...new Set(all.flatMap(({ seq }) => [seq - 1, seq]))]
    for (const asset of ASSETS) assert.deepEqual(await readAt(asset, seqs), seqs.map((seq) => sumAt(all, asset, seq)))
  }), { numRuns: fuzzRuns(15, 100) })
})

test('a step that became known later leaves the rows that there would be if it had been known', async () => {
  const past = fc.record({ step, length: fc.option(fc.oneof(fc.nat(5), fc.nat(width * 3))), repeats: fc.boolean() })
  await fc.assert(fc.asyncProperty(steps, past, async (all, { step: drawn, length, repeats }) => {
    // A later step often begins or ends where a version is, and cancels what happened there.
    const same = repeats ? all[drawn.seq % (all.length + 1)] : undefined
    const late = same === undefined ? drawn : { ...same, long: -same.long, short: -same.short, positions: -same.positions }
    const untilSeq = length === null ? null : (all.find(({ seq }) => seq > late.seq + length)?.seq ?? late.seq + length + 1)
    const undone = untilSeq === null ? [] : [{ ...late, seq: untilSeq, long: -late.long, short: -late.short, positions: -late.positions }]
    await clear()
    await addPage([...all, late, ...undone].toSorted((a, b) => a.seq - b.seq))
    const expected = await dump()
    await clear()
    await addPage(all)
    await addPastInterest(store.write, DEPLOYMENT, late, untilSeq)
    assert.deepEqual(await dump(), expected)
  }), { numRuns: fuzzRuns(40, 400) })
})

test('sums that were corrected are a version at the end of the log, and the earlier versions stay', async () => {
  await clear()
  const at = (seq: number): InterestStep => ({ seq, asset: 'BTC', long: 5n, short: 0n, positions: 1 })
  await addPage([at(width - 2), at(width - 1), at(width + 3)])
  for (const [endSeq, long, last] of [[width + 3, 9, '9 0 3'], [width + 3, 8, '8 0 3'], [width + 5, 8, '8 0 3'], [width * 2, 7, '7 0 3']] as const) {
    await store.write.query('update idx.cursor set reserved_seq = $1', [endSeq])
    await store.write.query('update idx.open_interest set long_size = $1', [long])
    await alignInterestVersions(store.write, DEPLOYMENT)
    assert.deepEqual(await readAt('BTC', [width - 3, width - 2, width + 2, endSeq]), ['0 0 0', '5 0 1', '10 0 2', last])
  }
  const rows = await store.read.query('select seqs from idx.interest_versions order by from_seq')
  assert.deepEqual(rows, [{ seqs: [width - 2, width - 1] }, { seqs: [width + 3] }, { seqs: [width * 2] }])
  await store.write.query('delete from idx.open_interest')
  await alignInterestVersions(store.write, DEPLOYMENT)
  assert.deepEqual(await readAt('BTC', [width * 2 - 1, width * 2]), ['8 0 3', '0 0 0'], 'an asset without positions')
})
