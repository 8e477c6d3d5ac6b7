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
  const messages: string[] = []
  const record = (_fields: object, message: string): unknown => messages.push(message)
  const log = { ...silentLog, error: record, info: record }
  const list = openAllowlist({ file }, { clock, log })
  return { file, clock, messages, list, allowed: () => [ALICE, BOB].filter((address) => list.allows(address)), [Symbol.dispose]: () => folder.remove() }
}

test('allows everyone without a list', () => {
  const open = openAllowlist(null, { clock: createVirtualClock(0), log: silentLog })
  assert.deepEqual([open.gated, open.allows(ALICE)], [false, true])
})

test('allows the listed addresses only', () => {
  const list = openAllowlist({ addresses: [ALICE] }, { clock: createVirtualClock(0), log: silentLog })
  assert.deepEqual([list.gated, list.allows(ALICE), list.allows(BOB)], [true, true, false])
})

test('reloads a changed file at most once a second', () => {
  using built = build(`${ALICE}\n`)
  assert.deepEqual(built.allowed(), [ALICE])
  writeFileSync(built.file, `# both\n${ALICE} # one\n${BOB}\n`)
  built.clock.advance(999)
  assert.deepEqual(built.allowed(), [ALICE])
  built.clock.advance(1)
  assert.deepEqual(built.allowed(), [ALICE, BOB])
  writeFileSync(built.file, '')
  built.clock.advance(1_000)
  assert.deepEqual(built.allowed(), [], 'an empty list allows no address')
  assert.equal(built.messages.length, 2)
})

test('reloads a replaced file of the same length', () => {
  using built = build(`${ALICE}\n`)
  writeFileSync(`${built.file}.new`, `${BOB}\n`)
  renameSync(`${built.file}.new`, built.file)
  built.clock.advance(1_000)
  assert.deepEqual(built.allowed(), [BOB])
})

test('keeps the last valid list while the file is missing or invalid, and logs it once', () => {
  using built = build(`${ALICE}\n`)
  writeFileSync(built.file, `${BOB}\n${ALICE.slice(0, 30)}`)
  for (let check = 0; check < 5; check++) {
    built.clock.advance(1_000)
    assert.deepEqual(built.allowed(), [ALICE])
  }
  assert.equal(built.messages.length, 1)
  rmSync(built.file)
  for (let check = 0; check < 5; check++) {
    built.clock.advance(1_000)
    assert.deepEqual(built.allowed(), [ALICE])
  }
  assert.equal(built.messages.length, 2)
  writeFileSync(built.file, `${BOB}\n`)
  built.clock.advance(1_000)
  assert.deepEqual(built.allowed(), [BOB])
})

test('checks the file after the clock was set back', () => {
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

test('rejects an invalid file at start-up with every invalid line', () => {
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
  assert.throws(() => openAllowlist({ file: '/missing/allowlist' }, { clock: createVirtualClock(0), log: silentLog }), InvalidAllowlist)
})
