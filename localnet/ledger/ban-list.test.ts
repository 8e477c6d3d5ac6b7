import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBanList } from './ban-list.ts'

test('a ban ends after its number of ledgers', () => {
  const bans = createBanList(2)
  bans.add('a')
  bans.ledgerClosed()
  assert.equal(bans.has('a'), true)
  bans.ledgerClosed()
  assert.equal(bans.has('a'), false)
})

test('banning a hash again restarts its ban', () => {
  const bans = createBanList(2)
  bans.add('a')
  bans.ledgerClosed()
  bans.add('a')
  bans.ledgerClosed()
  assert.equal(bans.has('a'), true)
})

test('clearing the list ends all bans', () => {
  const bans = createBanList(2)
  bans.add('a')
  bans.clear()
  assert.equal(bans.has('a'), false)
})
