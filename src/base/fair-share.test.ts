import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSurplusHolder } from './fair-share.ts'

interface Named {
  readonly name: string
  readonly requester: { readonly network?: string; readonly address: string; readonly key: string }
}

/** `a/1` is key 1 at address a, `n:a/1` the same in network n. */
function holder(name: string): Named {
  const [path = ''] = name.split(' ')
  const [, network, address = '', key = ''] = /^(?:(\w+):)?(\w+)\/(\w+)$/.exec(path) ?? []
  return { name, requester: { address, key, ...(network === undefined ? {} : { network }) } }
}

function surplus(holders: readonly string[], newcomer: string, stuck: readonly string[] = []): string | undefined {
  return findSurplusHolder(holders.map(holder), holder(newcomer).requester, ({ name }) => !stuck.includes(name))?.name
}

test('the newest holder of the address with the most gives way, by its largest key', () => {
  assert.equal(surplus(['a/1 x', 'a/2 x', 'a/2 y', 'b/3 x', 'b/3 y'], 'c/4'), 'a/2 y')
  assert.equal(surplus(['a/1 x', 'a/1 y', 'a/1 z'], 'b/1'), 'a/1 z', 'the same key at another address')
})

test('many keys at one address count as one client', () => {
  assert.equal(surplus(['a/1 x', 'a/2 x', 'a/3 x', 'b/9 x', 'b/9 y'], 'b/9'), undefined, 'b has its share')
  assert.equal(surplus(['a/1 x', 'a/2 x', 'a/3 x', 'a/4 x', 'b/9 x'], 'b/9'), 'a/4 x')
})

test('nobody gives way to a newcomer that would have the most', () => {
  assert.equal(surplus(['a/1 x', 'b/2 x'], 'c/3'), undefined)
  assert.equal(surplus(['a/1 x', 'a/1 y', 'b/2 x'], 'b/2'), undefined)
  assert.equal(surplus([], 'a/1'), undefined)
})

test('keys at one address share what the address has', () => {
  assert.equal(surplus(['a/1 x', 'a/1 y', 'a/1 z'], 'a/2'), 'a/1 z')
  assert.equal(surplus(['a/1 x', 'a/1 y', 'a/1 z'], 'a/1'), undefined)
})

test('holders that may not give way are passed over', () => {
  assert.equal(surplus(['a/1 x', 'a/1 y', 'a/1 z'], 'b/2', ['a/1 z']), 'a/1 y')
  assert.equal(surplus(['a/1 x', 'a/1 y', 'a/1 z', 'c/3 x', 'c/3 y'], 'b/2', ['a/1 x', 'a/1 y', 'a/1 z']), 'c/3 y')
})

test('many addresses of one network count as one client, and share what the network has', () => {
  const crowd = ['n:a/1 x', 'n:b/1 x', 'n:b/2 x', 'n:c/1 x', 'm:d/1 x', 'm:d/1 y']
  assert.equal(surplus(crowd, 'o:e/1'), 'n:b/2 x')
  assert.equal(surplus(crowd, 'm:e/1'), 'n:b/2 x')
  assert.equal(surplus([...crowd, 'm:d/1 z'], 'm:e/1'), 'm:d/1 z', 'no network has more than its own would')
  assert.equal(surplus(crowd, 'n:e/1'), 'n:b/2 x', 'its own network has the most, and there another address')
  assert.equal(surplus(['n:a/1 x', 'n:b/1 x', 'm:d/1 x'], 'm:d/2'), undefined)
  assert.equal(surplus(['n:a/1 x', 'n:b/1 x', 'n:c/1 x', 'n:c/1 y', 'm:d/1 x'], 'm:d/2'), 'n:c/1 y')
})
