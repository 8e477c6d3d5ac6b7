// What people read has a title, leads somewhere, and is true on every machine.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTexts, TEXT_RULES } from './text-rules.ts'
import { plant, readTree, report } from './tree.ts'

type Files = Readonly<Record<string, string>>

const PAGE = '# A page\n\n## The second part\n\n## The second part\n'
const HOME = ['', 'home', 'somebody', 'x'].join('/')
const REGISTRY = ['registry', 'npmjs', 'org'].join('.')

const CASES: Readonly<Record<string, { caught: readonly Files[]; passed: readonly Files[] }>> = {
  'markdown-title': {
    caught: [{ 'a.md': 'No title\n' }, { 'a.md': '\n# Late\n' }, { 'a.md': '## Small\n' }, { 'a.md': '# One\n\n# Two\n' }],
    passed: [{ 'a.md': '# One\n\n```sh\n# a comment\n```\n' }, { 'a.txt': 'No title\n' }],
  },
  'markdown-links': {
    caught: [
      { 'a.md': '# A\n\n[b](b.md)\n' },
      { 'docs/a.md': '# A\n\nSee [b](../b.md) and [c](../../c.md).\n', 'b.md': PAGE },
      { 'a.md': '# A\n\n[b](b.md#third)\n', 'b.md': PAGE },
      { 'a.md': '# A\n\n[here](#nowhere)\n' },
      { 'a.md': '# A\n\n[root](/b.md)\n', 'b.md': PAGE },
      { 'a.md': '# A\n\n[b]\n\n[b]: ./c.md\n' },
      { 'a.md': '# A\n\n![picture](p.png)\n' },
    ],
    passed: [
      {
        'a.md': '# A\n\n[b](docs/b.md#the-second-part-1) [folder](docs) [out](https://example.org/x) [here](#a) `[code](x.md)`\n\n```\n[x](x.md)\n```\n',
        'docs/b.md': PAGE,
      },
    ],
  },
  'machine-words': {
    caught: [
      { 'src/x.ts': `const path = '${HOME}'` },
      { 'README.md': `# R\n\nLook into ${HOME}.\n` },
      { 'package-lock.json': `"url": "https://${REGISTRY}/pg"` },
    ],
    passed: [{ 'README.md': '# R\n\nLook into ./home/x, https://example.org/home/x and $DATA_DIR/work/x.\n' }],
  },
  'unfinished-text': {
    caught: [{ 'a.md': '# A\n\nTODO: write\n' }],
    passed: [{ 'a.md': '# A\n\nThe mark `TODO(decision)` is allowed in code.\n' }],
  },
  'decision-pages': {
    caught: [
      { 'docs/decisions/one.md': '# One\n' },
      { 'docs/decisions/README.md': '# Decisions\n\n- [one](one.md)\n', 'docs/decisions/one.md': '# One\n', 'docs/decisions/two.md': '# Two\n' },
      { 'docs/decisions/README.md': '# Decisions\n\n- [one](one.md)\n', 'docs/decisions/one.md': `# One\n${'\n'.repeat(80)}` },
    ],
    passed: [{ 'docs/decisions/README.md': '# Decisions\n\n- [one](./one.md)\n', 'docs/decisions/one.md': '# One\n' }],
  },
}

test('every rule has planted violations', () => {
  assert.deepEqual(Object.keys(CASES).sort(), Object.keys(TEXT_RULES).sort())
})

for (const [name, { caught, passed }] of Object.entries(CASES)) {
  test(`planted violations of ${name} are reported`, () => {
    for (const files of caught) {
      const found = TEXT_RULES[name]?.(plant(files)) ?? []
      assert.equal(found.length, 1, `${JSON.stringify(files)}\n${report(found)}`)
    }
  })
  test(`what ${name} allows passes`, () => {
    for (const files of passed) assert.equal(report(TEXT_RULES[name]?.(plant(files)) ?? []), '', JSON.stringify(files))
  })
}

test('the project keeps the rules', () => {
  const tree = readTree()
  assert.ok([...tree.keys()].filter((path) => path.endsWith('.md')).length >= 1, 'no markdown was seen')
  const violations = checkTexts(tree)
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
