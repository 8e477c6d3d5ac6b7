// The deployment is replaced while the indexer runs.

import { strict as assert } from 'node:assert'
import { after, beforeEach, test } from 'node:test'
import { listEpochs } from '../../projections/state/epochs.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import { openTestStore } from '../../../test/support/database.ts'
import { ConnectionBroken, createIndexFixture } from '../../../test/index/fixture.ts'
import type { IndexFixture, WriterFault } from '../../../test/index/fixture.ts'
import { testContracts } from '../../../test/index/history.ts'
import { emptyIndex } from '../../../test/index/tables.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
beforeEach(() => emptyIndex(store.write))

const OTHER = testContracts(2)

async function epochs(): Promise<readonly (readonly [reason: Epoch['reason'], market: string])[]> {
  return (await listEpochs(store.read)).map(({ reason, contracts }) => [reason, contracts.market] as const)
}

async function archived(): Promise<readonly { readonly epoch: number; readonly contractId: string }[]> {
  return await store.read.query('select epoch, contract_id as "contractId" from idx.events order by seq')
}

/** Indexes one event of the first deployment, then deploys another, which emits one too. */
async function redeployed(fixture: IndexFixture): Promise<void> {
  fixture.queue(fixture.exchange.open(0, 1))
  fixture.closeLedger()
  await fixture.catchUp()
  fixture.redeploy(OTHER)
  fixture.queue(fixture.exchange.open(1, 2))
  fixture.closeLedger()
}

test('the next step begins one epoch, which reads the new contracts from the oldest ledger', async () => {
  await using fixture = createIndexFixture(store)
  const { market } = fixture.exchange.contracts
  await redeployed(fixture)
  assert.equal((await fixture.indexer.step()).kind, 'epoch')
  await fixture.catchUp()
  assert.deepEqual(await epochs(), [['first', market], ['contracts', OTHER.market]])
  assert.deepEqual(await archived(), [{ epoch: 1, contractId: market }, { epoch: 2, contractId: OTHER.market }])
  fixture.redeploy(testContracts(1))
  fixture.redeploy(OTHER)
  await fixture.catchUp()
  assert.equal((await epochs()).length, 2, 'a change that was taken back before the next step begins no epoch')
})

const FAULTS: readonly WriterFault[] = [{ beforeStatement: 0 }, { beforeStatement: 2 }, { beforeStatement: 4 }, 'after commit']

for (const fault of FAULTS) {
  const moment = fault === 'after commit' ? fault : `before statement ${fault.beforeStatement}`
  test(`a kill ${moment} of the new epoch leaves one epoch after the restart`, async () => {
    await using fixture = createIndexFixture(store)
    const { market } = fixture.exchange.contracts
    await redeployed(fixture)
    fixture.nextFault = fault
    await fixture.indexer.step().catch((error: unknown) => assert.ok(error instanceof ConnectionBroken))
    await fixture.restart()
    await fixture.catchUp()
    assert.deepEqual(await epochs(), [['first', market], ['contracts', OTHER.market]])
    assert.deepEqual(await archived(), [{ epoch: 1, contractId: market }, { epoch: 2, contractId: OTHER.market }])
  })
}

test('on the day of a reset, the epoch of the new chain and that of the new contracts follow each other, in either order', async () => {
  for (const isManifestFirst of [true, false]) {
    await emptyIndex(store.write)
    await using fixture = createIndexFixture(store, { startLedger: 9 })
    const { market } = fixture.exchange.contracts
    for (let ledger = 0; ledger < 10; ledger++) {
      fixture.queue(fixture.exchange.open(ledger % 3, ledger))
      fixture.closeLedger()
    }
    await fixture.catchUp()
    fixture.reset()
    if (isManifestFirst) fixture.redeploy(OTHER)
    for (let ledger = 0; ledger < 4; ledger++) fixture.closeLedger(60)
    await fixture.untilEpoch()
    if (!isManifestFirst) fixture.redeploy(OTHER)
    fixture.queue(fixture.exchange.open(0, 1))
    fixture.closeLedger()
    await fixture.catchUp()
    const [first, ...later] = await epochs()
    assert.deepEqual(first, ['first', market])
    assert.deepEqual(later, isManifestFirst ? [['reset', OTHER.market]] : [['reset', market], ['contracts', OTHER.market]])
    const rows = await archived()
    assert.deepEqual(rows.slice(-1), [{ epoch: later.length + 1, contractId: OTHER.market }], 'ledger 5 of the new chain is before START_LEDGER')
    assert.equal(rows.length, 3)
  }
})
