import assert from 'node:assert/strict'
import { mkdtempDisposableSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { InvalidAllowlist, openAllowlist } from './allowlist.ts'

const ALICE = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
const BOB = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'

function build(text: string) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-allowlist-'))
  const file = join(folder.path, 'list')
  writeFileSync(file, text)
  const clock = createVirtualClock(1_000_000)
  const told: string[] = []
  const log = { ...silentLog, error: (_fields: object, message: string) => told.push(message), info: (_fields: object, message: string) => told.push(message) }
  const list = openAllowlist({ file }, { clock, log })
  return { file, clock, told, list, allowed: () => [ALICE, BOB].filter((address) => list.allows(address)), [Symbol.dispose]: () => folder.remove() }
}

test('without a list everyone is allowed and nothing is gated', () => {
  const open = openAllowlist(null, { clock: createVirtualClock(0), log: silentLog })
  assert.deepEqual([open.gated, open.allows(ALICE)], [false, true])
})

test('a list of addresses allows these', () => {
  const list = openAllowlist({ addresses: [ALICE] }, { clock: createVirtualClock(0), log: silentLog })
  assert.deepEqual([list.gated, list.allows(ALICE), list.allows(BOB)], [true, true, false])
})

test('a file is read again when it changed, at most once a second', () => {
  using built = build(`${ALICE}\n`)
  assert.deepEqual(built.allowed(), [ALICE])
  writeFileSync(built.file, `# both\n${ALICE} # one\n${BOB}\n`)
  built.clock.advance(999)
  assert.deepEqual(built.allowed(), [ALICE])
  built.clock.advance(1)
  assert.deepEqual(built.allowed(), [ALICE, BOB])
  writeFileSync(built.file, '')
  built.clock.advance(1_000)
  assert.deepEqual(built.allowed(), [], 'an empty list allows nobody')
  assert.equal(built.told.length, 2)
})

test('a file put in its place counts as a change, even with the same length', () => {
  using built = build(`${ALICE}\n`)
  writeFileSync(`${built.file}.new`, `${BOB}\n`)
  renameSync(`${built.file}.new`, built.file)
  built.clock.advance(1_000)
  assert.deepEqual(built.allowed(), [BOB])
})

test('a file that is gone or half written leaves the last good list, and is told once', () => {
  using built = build(`${ALICE}\n`)
  writeFileSync(built.file, `${BOB}\n${ALICE.slice(0, 30)}`)
  for (let look = 0; look < 5; look++) {
    built.clock.advance(1_000)
    assert.deepEqual(built.allowed(), [ALICE])
  }
  assert.equal(built.told.length, 1)
  rmSync(built.file)
  for (let look = 0; look < 5; look++) {
    built.clock.advance(1_000)
    assert.deepEqual(built.allowed(), [ALICE])
  }
  assert.equal(built.told.length, 2)
  writeFileSync(built.file, `${BOB}\n`)
  built.clock.advance(1_000)
  assert.deepEqual(built.allowed(), [BOB])
})

test('a clock that was set back does not stop the looking', () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'gateway-allowlist-'))
  const file = join(folder.path, 'list')
  writeFileSync(file, '')
  let nowMs = 5_000_000
  const list = openAllowlist({ file }, { clock: { ...createVirtualClock(0), nowMs: () => nowMs }, log: silentLog })
  writeFileSync(file, ALICE)
  nowMs -= 3_600_000
  assert.ok(list.allows(ALICE))
  folder.remove()
})

test('the start refuses a file that cannot be used, with every line that is wrong', () => {
  const problemsOf = (text: string): readonly string[] => {
    try {
      using _ = build(text)
    } catch (error) {
      if (error instanceof InvalidAllowlist) return error.problems
      throw error
    }
    return []
  }
  const problems = problemsOf(`x\n${ALICE}\n${BOB.slice(1)}\n`)
  assert.equal(problems.length, 2)
  assert.match(problems[0] ?? '', /line 1 is not an account address: "x"$/)
  assert.match(problems[1] ?? '', /line 3 is not/)
  assert.throws(() => openAllowlist({ file: '/nowhere/at/all' }, { clock: createVirtualClock(0), log: silentLog }), InvalidAllowlist)
})
