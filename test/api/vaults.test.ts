// GET /v1/vaults, /v1/vaults/{id}, and a vault's /trades, /deposits, /withdraws and /fee-claims.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { VAULT_CACHE_MS } from '../../src/limits.ts'
import type { TraderVault } from '../../src/resources/trader-vault.ts'
import { END, assertForeignCursorsRejected, assertRejected, badIntegers, cursorIn, followPages, rowsOf } from '../support/pagination.ts'
import { createLogGateway } from './log-gateway.ts'
import type { LogGateway } from './log-gateway.ts'
import { withoutMessage } from '../support/without-message.ts'

const LEADER = `GLEADER${'A'.repeat(49)}`
const ALICE = `GALICE${'A'.repeat(50)}`
const LISTS = [['trades', 'trades'], ['deposits', 'deposits'], ['withdraws', 'withdraws'], ['fee-claims', 'feeClaims']] as const

let fixture: LogGateway
let empty: readonly unknown[]

before(async () => {
  fixture = await createLogGateway()
  empty = await Promise.all(['/v1/vaults', ...LISTS.map(([path]) => `/v1/vaults/0/${path}`)].map(async (url) => {
    const { status, body, headers } = await fixture.get(url)
    return [status, body, headers['link']]
  }))
  const { log } = fixture
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'North "star" ☆' })
  log.append('vaultFactory', 'vault_created', { vaultId: 1, leader: ALICE, name: 'second' })
  for (let round = 1; round <= 5; round++) {
    log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: round === 1 ? LEADER : ALICE, amount: '170141183460469231731687303715', shares: '90000000' })
    log.append('vaultFactory', 'withdraw', { vaultId: 0, depositor: ALICE, shares: '1', usdcOut: '2' })
    log.append('vaultFactory', 'fees_claimed', { vaultId: 0, leader: LEADER, owed: '3', newNav: '10000000' })
    log.leaderOpens({ vaultId: 0, leader: LEADER, positionId: round, collateral: '5000' })
    if (round < 4) log.leaderCloses({ vaultId: 0, leader: LEADER, positionId: round, pnl: '-7' })
  }
  await log.commit()
  fixture.clock.advance(VAULT_CACHE_MS)
})
after(() => fixture[Symbol.asyncDispose]())

test('returns empty lists while nothing is indexed', () => {
  assert.deepEqual(empty, [{ vaults: [], ...END }, ...LISTS.map(([, key]) => ({ [key]: [], ...END }))].map((body) => [200, body, undefined]))
})

test('returns a vault with the specified fields, amounts as strings of any size', async () => {
  const { status, body, headers } = await fixture.get<TraderVault>('/v1/vaults/0')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), [
    'id', 'leader', 'name', 'createdAt', 'totalUsdc', 'circulatingShares', 'hwmNav', 'realizedPnl', 'leaderShares', 'profitShareBps', 'paused', 'updatedAt',
    'depositorCount', 'openPositions', 'tradeCount', 'drawdownBps', 'apyBps', 'apyKind', 'closedTradePnl',
  ])
  assert.equal(body.name, 'North "star" ☆')
  assert.equal(body.totalUsdc, String(5n * 170_141_183_460_469_231_731_687_303_715n - 25n))
  assert.deepEqual([body.depositorCount, body.openPositions, body.tradeCount, body.closedTradePnl], [2, 2, 5, '-21'])
  assert.ok(body.updatedAt > 1e12 && body.createdAt < 1e11, 'updatedAt is in milliseconds, createdAt in seconds')
  assert.ok(Number(headers['x-seq']) > 0 && Number(headers['x-ledger']) > 0)
  const { body: list } = await fixture.get<{ vaults: readonly TraderVault[] }>('/v1/vaults')
  assert.deepEqual(list.vaults.map(({ id }) => id), [1, 0], 'newest first')
  assert.deepEqual(list.vaults[1], body)
  assert.deepEqual((await rowsOf(fixture, `/v1/vaults?leader=${LEADER}`, 'vaults')).map(({ id }) => id), [0])
  assert.deepEqual(await rowsOf(fixture, `/v1/vaults?leader=${'G'.repeat(56)}`, 'vaults'), [])
})

test('responds 404 with the id of an unknown vault; its lists are empty', async () => {
  for (const id of [2, 999_999_999]) {
    const { status, body } = await fixture.get(`/v1/vaults/${id}`)
    assert.deepEqual([status, withoutMessage(body)], [404, { error: 'vault_not_found', id }])
    for (const [path, key] of LISTS) assert.deepEqual((await fixture.get(`/v1/vaults/${id}/${path}`)).body, { [key]: [], ...END })
  }
})

test('rejects an invalid id with a 400 that names it', async () => {
  for (const id of ['-1', 'abc', '1.5', '', '0x1', '%20']) {
    for (const path of ['', '/trades', '/fee-claims']) {
      const { status, body } = await fixture.get(`/v1/vaults/${id}${path}`)
      if (id === '' && path === '') continue
      assert.equal(status, 400, `${id}${path}`)
      assert.match(String(body['message']), /^params\/id /)
    }
  }
})

test('returns rows of each list with the specified fields', async () => {
  const flowFields = ['id', 'vaultId', 'principal', 'amount', 'shares', 'ledger', 'ts', 'txHash']
  const fields = {
    trades: ['id', 'vaultId', 'positionId', 'action', 'leader', 'collateral', 'ledger', 'ts', 'txHash', 'pnl', 'asset', 'direction', 'size', 'price'],
    deposits: flowFields, withdraws: flowFields, feeClaims: flowFields.filter((name) => name !== 'shares'),
  }
  for (const [path, key] of LISTS) {
    const rows = await rowsOf(fixture, `/v1/vaults/0/${path}`, key)
    for (const row of rows) assert.deepEqual(Object.keys(row).sort(), fields[key].toSorted(), path)
    const ids = rows.map(({ id }) => Number(id))
    assert.ok(ids.length >= 5 && ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0)), 'newest first, with unique ids')
  }
  const [newest, , closed] = await rowsOf(fixture, '/v1/vaults/0/trades', 'trades')
  assert.deepEqual([newest?.['action'], newest?.['pnl'], newest?.['collateral'], newest?.['positionId']], ['open', null, '5000', '5'])
  assert.deepEqual([closed?.['action'], closed?.['pnl'], closed?.['collateral'], closed?.['leader']], ['close', '-7', '0', LEADER])
})

test('cursor pages neither lose nor repeat a row; before_ts is exclusive', async () => {
  for (const [path, key] of [['', 'vaults'] as const, ...LISTS.map(([each, name]) => [`/0/${each}`, name] as const)]) {
    const whole = await rowsOf(fixture, `/v1/vaults${path}?limit=200`, key)
    const pages = await followPages(fixture, `/v1/vaults${path}?limit=1`, key)
    assert.deepEqual(pages.flat(), whole, path)
    if (path === '') continue
    const ts = Number(whole[2]?.['ts'])
    assert.deepEqual(await rowsOf(fixture, `/v1/vaults${path}?before_ts=${ts}&limit=200`, key), whole.filter((row) => Number(row['ts']) < ts), path)
  }
})

test('rejects out-of-range parameters and cursors of other lists with a 400 that names them', async () => {
  for (const path of ['', ...LISTS.map(([each]) => `/0/${each}`)]) {
    await assertRejected(fixture, `/v1/vaults${path}`, badIntegers('limit', 1, 200))
    if (path !== '') await assertRejected(fixture, `/v1/vaults${path}`, badIntegers('before_ts', 0))
  }
  await assertRejected(fixture, '/v1/vaults', ['leader=G', `leader=${'G'.repeat(57)}`])
  const own = cursorIn((await fixture.get('/v1/vaults/0/deposits?limit=1')).headers['link'])
  const foreign = cursorIn((await fixture.get('/v1/vaults/0/withdraws?limit=1')).headers['link'])
  await assertForeignCursorsRejected(fixture, '/v1/vaults/0/deposits', own, [foreign])
  await assertRejected(fixture, '/v1/vaults/1/deposits', [`cursor=${own}`])
})
