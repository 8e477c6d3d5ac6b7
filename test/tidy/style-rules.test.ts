// Every size of text in the console is on one scale, and all figures have equal width.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testRules } from './rule-cases.ts'
import type { RuleCases } from './rule-cases.ts'
import { STYLE_RULES } from './style-rules.ts'
import { readTree, report } from './tree.ts'

const SCALE = { 'console/ui/scale.css': ':root { --type-s: 0.75rem; }' }

const CASES: Readonly<Record<string, RuleCases>> = {
  'type-scale': {
    violating: [
      { ...SCALE, 'console/a.css': '.a { font-size: 13px; }' },
      { ...SCALE, 'console/trade/a.css': '.a { color: red; font-size: 0.9em }' },
      { ...SCALE, 'console/a.css': '.a { font-size: var(--type-huge); }' },
      { ...SCALE, 'console/a.css': '.a { font: 700 12px sans-serif; }' },
    ],
    allowed: [
      { ...SCALE, 'console/a.css': '/* font-size: 13px; */ .a { font-size: var(--type-s); } button { font: inherit; }' },
      { ...SCALE, 'docs/a.css': '.a { font-size: 13px; }' },
    ],
  },
  'tabular-figures': {
    violating: [
      { 'console/ui/base.css': 'body { margin: 0; }' },
      { 'console/a.css': '.a { font-variant-numeric: normal; }' },
      { 'console/a.css': ".a { font-feature-settings: 'pnum'; }" },
    ],
    allowed: [{ 'console/ui/base.css': 'body { font-variant-numeric: tabular-nums; } button { font-variant-numeric: inherit; }' }],
  },
}

testRules(STYLE_RULES, CASES)

test('the style sheets follow the rules', () => {
  const tree = readTree()
  assert.ok([...tree.keys()].filter((path) => path.startsWith('console/') && path.endsWith('.css')).length > 5, 'no style sheets found')
  const violations = Object.values(STYLE_RULES).flatMap((rule) => rule(tree))
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
