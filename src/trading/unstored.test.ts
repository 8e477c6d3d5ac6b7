import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { silentLog } from '../base/log.ts'
import { StoreUnavailable } from '../store/store.ts'
import { createUnstoredSubmissions, UNSTORED_MAX } from './unstored.ts'
import type { Unstored } from './unstored.ts'

function submission(hash: number | string, owner = 'GA'): Unstored {
  return { signed: { hash: String(hash) }, submitter: { owner, clientId: null }, outcome: { kind: 'pending' } } as unknown as Unstored
}

function build() {
  const stored: string[] = []
  const database = { isDown: false }
  const unstored = createUnstoredSubmissions({
    log: silentLog,
    journal: {
      async begin(signed) {
        if (database.isDown) throw new StoreUnavailable('connection lost')
        if (signed.hash === 'bad') throw new Error('a statement failed')
        return { isFirst: true } as never
      },
    },
    storeOutcome: async ({ signed, submitter }) => void stored.push(`${submitter.owner} ${signed.hash}`),
  })
  return { unstored, database, stored }
}

test('keeps the newest submissions up to the limit, one of each owner and transaction', async () => {
  const { unstored, stored } = build()
  for (let hash = 0; hash < UNSTORED_MAX + 2; hash++) unstored.keep(submission(hash))
  unstored.keep(submission(UNSTORED_MAX + 1))
  unstored.keep(submission(UNSTORED_MAX + 1, 'GB'))
  await unstored.storeLate()
  assert.equal(stored.length, UNSTORED_MAX)
  assert.deepEqual([stored[0], stored.at(-2), stored.at(-1)], ['GA 3', `GA ${UNSTORED_MAX + 1}`, `GB ${UNSTORED_MAX + 1}`])
})

test('stores them once the database is back, and drops only what it refuses', async () => {
  const { unstored, database, stored } = build()
  database.isDown = true
  for (const hash of ['first', 'bad', 'last']) unstored.keep(submission(hash))
  await unstored.storeLate()
  database.isDown = false
  await unstored.storeLate()
  await unstored.storeLate()
  assert.deepEqual(stored, ['GA first', 'GA last'])
})
