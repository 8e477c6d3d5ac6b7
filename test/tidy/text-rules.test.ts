// Documentation has titles and valid links, and contains no paths of one machine.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTexts, TEXT_RULES } from './text-rules.ts'
import { testRules } from './rule-cases.ts'
import type { RuleCases } from './rule-cases.ts'
import { readTree, report } from './tree.ts'

const PAGE = '# A page\n\n## The second part\n\n## The second part\n'
const HOME = ['', 'home', 'user', 'x'].join('/')
const REGISTRY = ['registry', 'npmjs', 'org'].join('.')

const CASES: Readonly<Record<string, RuleCases>> = {
  'markdown-title': {
    violating: [{ 'a.md': 'No title\n' }, { 'a.md': '\n# Late\n' }, { 'a.md': '## Small\n' }, { 'a.md': '# One\n\n# Two\n' }],
    allowed: [{ 'a.md': '# One\n\n```sh\n# a comment\n```\n' }, { 'a.txt': 'No title\n' }],
  },
  'markdown-links': {
    violating: [
      { 'a.md': '# A\n\n[b](b.md)\n' },
      { 'docs/a.md': '# A\n\nSee [b](../b.md) and [c](../../c.md).\n', 'b.md': PAGE },
      { 'a.md': '# A\n\n[b](b.md#third)\n', 'b.md': PAGE },
      { 'a.md': '# A\n\n[here](#nowhere)\n' },
      { 'a.md': '# A\n\n[root](/b.md)\n', 'b.md': PAGE },
      { 'a.md': '# A\n\n[b]\n\n[b]: ./c.md\n' },
      { 'a.md': '# A\n\n![picture](p.png)\n' },
    ],
    allowed: [
      {
        'a.md': '# A\n\n[b](docs/b.md#the-second-part-1) [folder](docs) [out](https://example.org/x) [here](#a) `[code](x.md)`\n\n```\n[x](x.md)\n```\n',
        'docs/b.md': PAGE,
      },
    ],
  },
  'machine-paths': {
    violating: [
      { 'src/x.ts': `const path = '${HOME}'` },
      { 'README.md': `# R\n\nLook into ${HOME}.\n` },
      { 'package-lock.json': `"url": "https://${REGISTRY}/pg"` },
    ],
    allowed: [{ 'README.md': '# R\n\nLook into ./home/x, https://example.org/home/x and $DATA_DIR/work/x.\n' }],
  },
  'unfinished-text': {
    violating: [{ 'a.md': '# A\n\nTODO: write\n' }],
    allowed: [{ 'a.md': '# A\n\nThe mark `TODO(decision)` is allowed in code.\n' }],
  },
  'decision-pages': {
    violating: [
      { 'docs/decisions/one.md': '# One\n' },
      { 'docs/decisions/README.md': '# Decisions\n\n- [one](one.md)\n', 'docs/decisions/one.md': '# One\n', 'docs/decisions/two.md': '# Two\n' },
      { 'docs/decisions/README.md': '# Decisions\n\n- [one](one.md)\n', 'docs/decisions/one.md': `# One\n${'\n'.repeat(80)}` },
    ],
    allowed: [{ 'docs/decisions/README.md': '# Decisions\n\n- [one](./one.md)\n', 'docs/decisions/one.md': '# One\n' }],
  },
}

testRules(TEXT_RULES, CASES)

test('the project follows the rules', () => {
  const tree = readTree()
  assert.ok([...tree.keys()].filter((path) => path.endsWith('.md')).length >= 1, 'no Markdown files found')
  const violations = checkTexts(tree)
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
