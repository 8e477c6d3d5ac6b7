import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import type { Declared } from './declaration.ts'
import { FOLLOW_INTERVAL_MS, followManifests } from './follow-manifests.ts'
import { selectDeployments } from './manifest-files.ts'
import type { SelectedDeployments } from './manifest-files.ts'

const SHIPPED = readFileSync(new URL('../../deployments/testnet.json', import.meta.url), 'utf8')
const OTHER_CONTRACTS = { ...(JSON.parse(SHIPPED) as Declared).contracts, market: 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC' }
const manifest = (change: object = {}): string => JSON.stringify({ ...(JSON.parse(SHIPPED) as object), ...change })

const OTHER = manifest({ contracts: OTHER_CONTRACTS })

function build(files: Readonly<Record<string, string>>, names: readonly string[] = []) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-manifests-'))
  const at = (name: string): string => join(folder.path, `${name}.json`)
  const write = (name: string, text: string): void => writeFileSync(at(name), text)
  for (const [name, text] of Object.entries(files)) write(name, text)
  const choice = { folder: folder.path, names, network: 'testnet', rpcUrls: null, contracts: {} } as const
  const selection = selectDeployments(choice)
  assert.ok(selection.kind === 'selected')
  const errors: Record<string, unknown>[] = []
  const changes: SelectedDeployments[] = []
  const clock = createVirtualClock(0)
  const follower = followManifests({
    choice, selected: selection.deployments, clock, log: { ...silentLog, error: (fields) => errors.push(fields) }, onChange: (next) => changes.push(next),
  })
  /** As many polls as a change takes. */
  const settle = (): void => {
    follower.poll()
    follower.poll()
  }
  const served = (): readonly string[] => changes.map((each) => each.served.name)
  return { path: folder.path, at, write, settle, follower, clock, errors, served, changes, [Symbol.dispose]: () => folder.remove() }
}

test('serves the manifest that is added on the day of a reset, and returns when it is removed', () => {
  using built = build({ testnet: SHIPPED })
  built.settle()
  assert.deepEqual(built.served(), [], 'nothing has changed')
  built.write('testnet-2026-12-16', manifest({ since: '2026-12-16' }))
  built.settle()
  assert.deepEqual(built.served(), ['testnet-2026-12-16'])
  rmSync(built.at('testnet-2026-12-16'))
  built.settle()
  assert.deepEqual(built.served(), ['testnet-2026-12-16', 'testnet'], 'as after a restart')
  assert.deepEqual(built.errors, [])
})

test('applies a changed file, also one that is replaced or reached through a link', () => {
  using built = build({ testnet: SHIPPED, other: manifest({ generation: '2.2' }) })
  built.write('testnet', manifest({ generation: '2.1' }))
  built.settle()
  built.write('new', manifest({ generation: '2.0' }))
  renameSync(built.at('new'), built.at('testnet'))
  built.settle()
  symlinkSync(built.at('other'), built.at('link'))
  renameSync(built.at('link'), built.at('testnet'))
  built.settle()
  built.write('other', manifest({ generation: '1' }))
  built.settle()
  assert.deepEqual(built.changes.map(({ served }) => served.generation), ['2.1', '2.0', '2.2', '1'])
})

test('applies a change that happened between the start and the first poll', () => {
  using built = build({ testnet: SHIPPED })
  built.write('testnet', manifest({ generation: '1' }))
  built.settle()
  assert.deepEqual(built.served(), ['testnet'])
})

test('does not read a file while it is being written', () => {
  using built = build({ testnet: SHIPPED })
  const whole = manifest({ since: '2026-12-16' })
  for (const length of [10, 100, 500, whole.length - 1]) {
    built.write('testnet-2026-12-16', whole.slice(0, length))
    built.follower.poll()
  }
  built.write('testnet-2026-12-16', whole)
  built.settle()
  assert.deepEqual([built.served(), built.errors], [['testnet-2026-12-16'], []])
})

test('an invalid file changes nothing, and its problems are logged once', () => {
  using built = build({ testnet: SHIPPED })
  built.write('testnet-2026-12-16', manifest({ since: '2026-12-16', chain: 1, rpcUrls: ['ftp://user:hunter2@a'] }))
  for (let polls = 0; polls < 5; polls++) built.follower.poll()
  built.write('testnet-2026-12-16', `${SHIPPED.slice(0, 200)}hunter2`)
  built.settle()
  assert.deepEqual([built.served(), built.follower.problems().length], [[], 1])
  assert.deepEqual(built.errors.map(({ problems }) => (problems as string[]).map((problem) => problem.replace(/^.*?(?=testnet-)/, ''))), [
    ['testnet-2026-12-16.json: chain: unknown member', 'testnet-2026-12-16.json: rpcUrls[0]: must be a URL that starts with https:// or http://'],
    ['testnet-2026-12-16.json: not valid JSON (line 6, column 12)'],
  ])
  built.write('testnet-2026-12-16', manifest({ since: '2026-12-16' }))
  built.settle()
  assert.deepEqual([built.served(), built.follower.problems()], [['testnet-2026-12-16'], []])
})

test('a removed, incomplete or contradictory file leaves the deployment in force', () => {
  using built = build({ testnet: SHIPPED, a: SHIPPED, b: OTHER }, ['a', 'b'])
  const broken = [
    () => rmSync(built.at('a')),
    () => built.write('a', manifest({ generation: null })),
    () => built.write('b', manifest({ network: 'custom', passphrase: 'x' })),
  ]
  for (const breakIt of broken) {
    breakIt()
    built.settle()
    built.write('a', SHIPPED)
    built.write('b', OTHER)
    built.settle()
  }
  assert.deepEqual([built.served(), built.errors.length], [[], 3])
})

test('the served deployment never moves to another network', () => {
  using built = build({ testnet: SHIPPED, mine: SHIPPED }, ['mine'])
  const choice = { folder: built.path, names: ['mine'], network: null, rpcUrls: null, contracts: {} } as const
  const first = selectDeployments(choice)
  assert.ok(first.kind === 'selected')
  const problems: unknown[] = []
  const log = { ...silentLog, error: (fields: Record<string, unknown>) => problems.push(fields['problems']) }
  const follower = followManifests({ choice, selected: first.deployments, clock: built.clock, log, onChange: () => assert.fail('not applied') })
  built.write('mine', manifest({ network: 'custom', passphrase: 'my own' }))
  follower.poll()
  follower.poll()
  assert.deepEqual(problems, [['mine is on another network than mine: restart to serve it']])
})

test('reports indexed deployments that change, and polls every second until it is stopped', async () => {
  using built = build({ testnet: SHIPPED, a: SHIPPED, b: OTHER }, ['a', 'b'])
  const stop = new AbortController()
  const running = built.follower.run(stop.signal)
  built.write('b', manifest({ generation: '1', contracts: OTHER_CONTRACTS }))
  for (let second = 0; second < 3; second++) {
    await new Promise((resolve) => setImmediate(resolve))
    built.clock.advance(FOLLOW_INTERVAL_MS)
  }
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(built.changes.map(({ served, others }) => [served.name, others.map(({ generation }) => generation)]), [['a', ['1']]])
  stop.abort()
  await running
  assert.equal(built.clock.pendingTimers(), 0)
})
