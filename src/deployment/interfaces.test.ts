// Following the interfaces that the indexer stores. The database is the real one; notifications and failures are played.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { anyDeployment } from '../../test/support/deployments.ts'
import { until } from '../../test/support/until.ts'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { ContractSpec } from '../exchange/contracts/contract-spec.ts'
import { createDeployment } from '../exchange/deployment.ts'
import type { Deployment } from '../exchange/deployment.ts'
import { requiredSignatures } from '../exchange/contracts/generations.ts'
import { insertContractVersion, OWN_CODE, storeContractCode } from '../projections/state/contract-versions.ts'
import { textOf } from '../store/sql.ts'
import type { Queryable, Store } from '../store/store.ts'
import { createInterfaceFollower, REFRESH_MS } from './interfaces.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())

before(async () => {
  await store.write.query(
    `insert into idx.epochs (number, epoch, chain, contract_epoch, reason, passphrase, contracts, start_ledger, started_at, name)
     values (1, 'e1', 1, 1, 'first', 'Test', '{}', 1, 0, 'test')`,
  )
  await store.write.query('insert into idx.epoch_ranges (first_seq, epoch) values (1, 1)')
})
beforeEach(() => store.write.query('truncate idx.contract_versions, idx.contract_code'))

const MARKET_1: ContractSpec = {
  functions: Object.entries(requiredSignatures('market', '1')).map(([name, types]) => ({
    name, inputs: types.map((type, index) => ({ name: `a${index}`, type })), output: 'void',
  })),
  structs: [], unions: [], enums: [], errors: [], events: [],
}

function storeVersion(address: string, wasmHash: string, fromLedger: number): Promise<void> {
  return store.write.transaction((tx) => insertContractVersion(tx, 1, {
    ...OWN_CODE, contract: 'market', address, fromLedger, fromEventId: null, wasmHash, generation: null, seq: null, noticedAt: 0,
  }))
}

/** The store with a count of reads, which fail while `fails` is set. */
function countedStore(): { store: Pick<Store, 'read' | 'listen'>; reads: string[]; fails: boolean } {
  const reads: string[] = []
  const read: Queryable = {
    query: async (sql, params) => {
      reads.push(textOf(sql))
      if (counted.fails) throw new Error('the database is gone')
      return await store.read.query(sql, params)
    },
  }
  const counted = { store: { read, listen: store.listen.bind(store) }, reads, fails: false }
  return counted
}

function follow(counted = countedStore()) {
  const clock = createVirtualClock(0)
  const deployment = anyDeployment()
  const replaced: Deployment[] = []
  deployment.subscribe((next) => replaced.push(next))
  return { clock, deployment, replaced, follower: createInterfaceFollower({ store: counted.store, deployment, clock, log: silentLog }), counted }
}

test('composes the deployment from the versions and the code in the database', async () => {
  const { deployment, replaced, follower } = follow()
  await follower.refresh()
  assert.deepEqual(replaced, [], 'nothing is known, so nothing changes')

  const { market } = deployment.current.contracts
  await storeVersion(market, 'aa', 40)
  await follower.refresh()
  const unread = { wasmHash: 'aa', sinceLedger: 40, generation: null, spec: null, notUnderstood: [] }
  assert.deepEqual(deployment.current.interfaces.market, unread)

  await storeContractCode(store.write, { wasmHash: 'aa', spec: MARKET_1, problem: null }, 0)
  await follower.refresh()
  assert.equal(deployment.current.interfaces.market?.generation, '1')
  assert.equal(deployment.current.interfaces.vault, null)
  assert.equal(replaced.length, 2)
})

test('reports code that is unknown with its reason, as no known interface', async () => {
  const { deployment, follower } = follow()
  const { market } = deployment.current.contracts
  await storeVersion(market, 'aa', 40)
  await storeContractCode(store.write, { wasmHash: 'aa', spec: MARKET_1, problem: null }, 0)
  await follower.refresh()
  const reference = { owner: 'C', tag: 'perps-v3' }
  await store.write.transaction((tx) => insertContractVersion(tx, 1, {
    contract: 'market', address: market, fromLedger: 50, fromEventId: null, afterLedger: 40, wasmHash: null, problem: 'found no entry', reference,
    generation: null, seq: 7, noticedAt: 0,
  }))
  await follower.refresh()
  assert.deepEqual(deployment.current.interfaces.market, {
    wasmHash: null, sinceLedger: 50, generation: null, spec: null, notUnderstood: ['found no entry'],
  })
})

test('reads code once, and leaves the deployment alone while nothing changes', async () => {
  const { deployment, replaced, follower, counted } = follow()
  await storeVersion(deployment.current.contracts.market, 'aa', 40)
  await storeContractCode(store.write, { wasmHash: 'aa', spec: MARKET_1, problem: null }, 0)
  for (let refresh = 0; refresh < 3; refresh++) await follower.refresh()
  assert.equal(replaced.length, 1)
  assert.equal(counted.reads.filter((sql) => sql.includes('from idx.contract_code')).length, 1)
})

test('keeps what is known while the database cannot be read, and reads it after the interval', async () => {
  const { clock, deployment, follower, counted } = follow()
  await storeVersion(deployment.current.contracts.market, 'aa', 40)
  const stop = new AbortController()
  const running = follower.run(stop.signal)
  await until(() => deployment.current.interfaces.market !== null && clock.pendingTimers() === 1, 'the first read')

  const known = deployment.current
  for (const fails of [true, false]) {
    counted.fails = fails
    const reads = counted.reads.length
    clock.advance(REFRESH_MS)
    await until(() => counted.reads.length > reads && clock.pendingTimers() === 1, 'the read after the interval')
    assert.equal(deployment.current, known)
  }
  stop.abort()
  await running
})

test('follows a notification and a replaced deployment without waiting', async () => {
  const { clock, deployment, follower } = follow()
  const stop = new AbortController()
  const running = follower.run(stop.signal)
  await until(() => clock.pendingTimers() === 1, 'the first read')
  const { market } = deployment.current.contracts
  await storeVersion(market, 'aa', 40)
  await until(() => deployment.current.interfaces.market?.wasmHash === 'aa', 'the notified version')

  const { sources, assets, ...declared } = deployment.current
  deployment.replace(createDeployment({ ...declared, name: 'next', contracts: sources, assets: assets.all }))
  assert.equal(deployment.current.interfaces.market, null)
  await until(() => deployment.current.interfaces.market?.wasmHash === 'aa', 'the interfaces of the next deployment')
  assert.equal(deployment.current.name, 'next')
  stop.abort()
  await running
})

test('does not put back a deployment that was replaced while the database was read', async () => {
  const counted = countedStore()
  const { deployment, follower } = follow(counted)
  const { market } = deployment.current.contracts
  await storeVersion(market, 'aa', 40)
  const { sources, assets, ...declared } = deployment.current
  const refreshing = follower.refresh()
  deployment.replace(createDeployment({ ...declared, name: 'next', contracts: sources, assets: assets.all }))
  await refreshing
  assert.deepEqual([deployment.current.name, deployment.current.interfaces.market?.wasmHash], ['next', 'aa'])
})
