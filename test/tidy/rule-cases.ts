// Tests each rule of a set with planted files: it must report the violating ones once each, and accept the allowed ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plant, report } from './tree.ts'
import type { Rule } from './tree.ts'

/** The text of each file by its path. */
type Files = Readonly<Record<string, string>>

export interface RuleCases {
  /** Trees that the rule must report exactly once each. */
  readonly violating: readonly Files[]
  /** Trees that the rule must accept. */
  readonly allowed: readonly Files[]
}

export function testRules(rules: Readonly<Record<string, Rule>>, cases: Readonly<Record<string, RuleCases>>): void {
  test('every rule has planted violations', () => {
    assert.deepEqual(Object.keys(cases).sort(), Object.keys(rules).sort())
  })
  for (const [name, { violating, allowed }] of Object.entries(cases)) {
    test(`${name} reports planted violations`, () => {
      for (const files of violating) {
        const found = rules[name]?.(plant(files)) ?? []
        assert.equal(found.length, 1, `${JSON.stringify(files)}\n${report(found)}`)
        assert.equal(found[0]?.rule, name)
      }
    })
    test(`${name} accepts what it allows`, () => {
      for (const files of allowed) assert.equal(report(rules[name]?.(plant(files)) ?? []), '', JSON.stringify(files))
    })
  }
}
