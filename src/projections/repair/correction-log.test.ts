import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import { readRepairStart } from './correction-log.ts'
import { insertEpoch } from '../state/epochs.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

test('the corrections that ended an epoch begin after those of an earlier change at the same time', async () => {
  const add = (seq: number, kind: 'event' | 'epoch', before: object): Promise<unknown> => store.write.query(
    `insert into idx.corrections (seq, contract_epoch, kind, ledger, noticed_at, before, after) values ($1, 1, $2, 7, 1000, $3::jsonb, '{}')`,
    [seq, kind, JSON.stringify(before)],
  )
  const contracts = { market: 'M', vault: 'V', vaultFactory: 'F', referral: 'R', usdcToken: 'U', router: 'A' }
  const epoch = {
    number: 1, epoch: 'first', chain: 1, contractEpoch: 1, reason: 'first' as const, passphrase: 'test', startLedger: 1, finalCursor: null, name: 'test',
  }
  await insertEpoch(store.write, { ...epoch, contracts }, 1, 0)
  await add(3, 'event', {})
  await add(4, 'epoch', { epoch: 'first' })
  await add(8, 'event', {})
  await add(9, 'event', {})
  await add(10, 'epoch', { epoch: 'second' })
  assert.deepEqual(await Promise.all(['first', 'second', 'third'].map((name) => readRepairStart(store.read, name))), [3, 8, null])
})
