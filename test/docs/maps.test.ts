// The documentation lists every folder, test suite and command of the project.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { readPage } from './markdown.ts'
import { PROJECT_ROOT } from '../support/program.ts'

const exclude = ['**/node_modules/**', 'data/**', 'client/dist/**']
const foldersOf = (patterns: readonly string[]): readonly string[] =>
  [...new Set(globSync([...patterns], { cwd: PROJECT_ROOT, exclude }).map((path) => dirname(path)))].toSorted()

test('the code map lists exactly the folders of the project', () => {
  const map = (readPage('ARCHITECTURE.md').split('\n## Code map\n')[1] ?? '').split('\n## ')[0] ?? ''
  const named = new Set([...map.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)))
  const folders = foldersOf(['*/*.{ts,json,md}', '{src,localnet}/*/*.ts', 'src/*/*/*.ts', '{deploy,bench,test}/**/*.*'])
    .filter((folder) => !/^(?:\.|docs$|src$)/.test(folder))
  const isListed = (folder: string): boolean => named.has(folder) || (named.has(folder.split('/')[0] ?? '') && !folder.startsWith('src/'))
  for (const folder of folders) assert.ok(isListed(folder), `the code map lacks ${folder}`)
  for (const name of named) assert.ok(globSync(name, { cwd: PROJECT_ROOT }).length > 0, `the code map has ${name}, which does not exist`)
})

test('docs/testing.md lists every test suite', () => {
  const page = readPage('docs/testing.md')
  for (const folder of foldersOf(['test/*/*.test.ts'])) {
    if (folder !== 'test/support') assert.ok(page.includes(`\`${folder}\``), `docs/testing.md lacks ${folder}`)
  }
})

test('some page mentions every npm script', () => {
  const { scripts } = JSON.parse(readFileSync(`${PROJECT_ROOT}package.json`, 'utf8')) as { scripts: Readonly<Record<string, string>> }
  const pages = globSync('**/*.md', { cwd: PROJECT_ROOT, exclude }).map(readPage).join('\n')
  for (const name of Object.keys(scripts).filter((each) => each !== 'postinstall')) {
    assert.match(pages, new RegExp(`npm (?:run )?${name}\\b`), name)
  }
})
