import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openTestStore } from '../../../test/support/database.ts'
import { insertContractVersion, OWN_CODE, storeContractCode } from './contract-versions.ts'
import { listRunningVersions } from './running-code.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

test('lists the newest version of each contract on the current chain', async () => {
  await store.write.transaction(async (tx) => {
    for (const [number, chain] of [[1, 1], [2, 2], [3, 1]] as const) {
      await tx.query(
        `insert into idx.epochs (number, epoch, chain, contract_epoch, reason, passphrase, contracts, start_ledger, started_at, name)
         values ($1, $2, $3, 1, 'reset', 'Test', '{}', 1, 0, 'test')`,
        [number, `epoch${number}`, chain],
      )
      await tx.query('insert into idx.epoch_ranges (first_seq, epoch) values ($1, $2)', [number * 100, number])
    }
    const version = { ...OWN_CODE, contract: 'market' as const, generation: null, seq: null, noticedAt: 0 }
    await insertContractVersion(tx, 1, { ...version, address: 'A', fromLedger: 10, fromEventId: null, wasmHash: 'one' })
    await insertContractVersion(tx, 1, { ...version, address: 'A', fromLedger: 20, fromEventId: null, wasmHash: 'two' })
    await insertContractVersion(tx, 1, { ...version, address: 'A', fromLedger: 20, fromEventId: '0000000085899345920-0000000001', wasmHash: 'three' })
    await insertContractVersion(tx, 1, { ...version, address: 'B', fromLedger: 15, fromEventId: null, wasmHash: 'four' })
    await insertContractVersion(tx, 2, { ...version, address: 'A', fromLedger: 99, fromEventId: null, wasmHash: 'other chain' })
    await storeContractCode(tx, { wasmHash: 'three', spec: null, problem: 'the code has no section contractspecv0' }, 0)
  })
  assert.deepEqual(await listRunningVersions(store.read, ['A', 'B', 'C']), [
    { address: 'A', wasmHash: 'three', problem: null, sinceLedger: 20, isRead: true },
    { address: 'B', wasmHash: 'four', problem: null, sinceLedger: 15, isRead: false },
  ])
})
