// No client can keep others from the database: reads take turns per address and owner, and a full queue makes room for callers with fewer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { App } from '../../src/http/app.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { READ_QUEUE_MAX } from '../../src/store/bounds.ts'
import type { Store } from '../../src/store/store.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { call, createWallet, obtainKey } from '../support/keys.ts'
import { until, untilIdle } from '../support/until.ts'

const KEYS = 20
const FLOOD = READ_QUEUE_MAX + 50
const HONEST = 20
/** Turns of the event loop after which every request has asked for its reads. */
const ARRIVAL_TURNS = 100
/** Paths that honest clients request: large and small pages, with and without a key, and those of the flood itself. */
const PATHS = ['/v1/events?limit=500', '/v1/events?limit=5', '/v1/trades', '/v1/leaderboard', '/v1/account/me/orders'] as const

/** Makes reads of events wait until the returned function is called, as slow ones do. */
async function holdReads(store: Store): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = store.write.transaction(async (tx) => {
    // The embedded engine has one connection, which this transaction has now.
    if (store.engine === 'server') await tx.query('lock table idx.events, idx.trades in access exclusive mode')
    held.resolve()
    await release.promise
  })
  await held.promise
  return async () => {
    release.resolve()
    await holding
  }
}

interface Flood {
  readonly keys: readonly IssuedKey[]
  readonly floodFrom: (index: number) => string
  /** The key of honest requests that need one. */
  readonly own: IssuedKey
}

/** Returns the statuses of the flood, and the honest requests that were not served. */
async function floodAndAsk(
  app: App, store: Store, { keys, own, floodFrom }: Flood,
): Promise<{ readonly flood: readonly number[]; readonly honest: readonly string[] }> {
  const release = await holdReads(store)
  const flood = Array.from({ length: FLOOD }, (_, index) => {
    const key = keys[index % keys.length]
    return call(app, '/v1/events?limit=500', { from: floodFrom(index), ...(key === undefined ? {} : { key }) })
  })
  await until(() => store.waiting().reads >= READ_QUEUE_MAX, 'a full queue')
  const honest = Array.from({ length: HONEST }, (_, index) => {
    const path = PATHS[index % PATHS.length] ?? ''
    const from = `198.51.100.${index}`
    return call(app, path, { from, ...(path.startsWith('/v1/account') ? { key: own } : {}) })
  })
  const answered = Promise.all(honest)
  await untilIdle(() => false, ARRIVAL_TURNS)
  await release()
  const responses = await answered
  const lines = responses.map(({ status }, index) => `${status} ${PATHS[index % PATHS.length]}`)
  return { flood: (await Promise.all(flood)).map(({ status }) => status), honest: lines.filter((line) => !line.startsWith('200')) }
}

const FLOODS: readonly (readonly [name: string, withKeys: boolean, from: (index: number) => string])[] = [
  ['twenty keys of one wallet at one address', true, () => '192.0.2.66'],
  ['twenty keys of one wallet at twenty addresses', true, (index) => `192.0.2.${index % KEYS}`],
  ['one address without keys', false, () => '192.0.2.66'],
]

for (const [name, withKeys, floodFrom] of FLOODS) {
  test(`a flood of large pages by ${name} refuses no read of others`, async () => {
    await using store = await openTestStore({ readTimeoutMs: 60_000 })
    await using bare = await createBareGateway({ store, rateLimits: UNLIMITED_RATES })
    const { app } = bare.gateway
    const wallet = createWallet('flood')
    const keys: IssuedKey[] = []
    for (let key = 0; withKeys && key < KEYS; key++) keys.push(await obtainKey(app, wallet))
    const own = await obtainKey(app, createWallet('honest'))
    for (const key of [...keys, own]) assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
    const { flood, honest } = await floodAndAsk(app, store, { keys, own, floodFrom })
    assert.deepEqual(honest, [])
    assert.ok(flood.includes(503), 'the flood was larger than the queue')
    assert.ok(flood.includes(200), 'the flood has its share')
  })
}
