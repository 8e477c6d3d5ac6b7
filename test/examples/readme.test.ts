// The examples' README lists every example, and each example documents how to run it.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { PROJECT_ROOT } from '../support/program.ts'

const EXAMPLES = globSync('examples/*.ts', { cwd: PROJECT_ROOT }).toSorted()
const read = (path: string): string => readFileSync(PROJECT_ROOT + path, 'utf8')

test('the README lists every example and nothing else', () => {
  const listed = [...read('examples/README.md').matchAll(/^\| \[([\w-]+\.ts)\]\(\1\) \|/gm)].map(([, file]) => `examples/${file}`)
  assert.deepEqual(listed.toSorted(), EXAMPLES)
  assert.equal(EXAMPLES.length, 7)
})

for (const example of EXAMPLES) {
  test(`${example} documents its command and its output, handles Ctrl-C, and has a test`, () => {
    const [header = ''] = read(example).split('\n\n')
    for (const line of header.split('\n')) assert.match(line, /^\/\/(?: |$)/)
    assert.match(header, new RegExp(`npm run example ${example.replaceAll('.', '\\.')}`))
    for (const what of [/\bExpect\b/, /GATEWAY_URL/]) assert.match(header, what)
    assert.match(read(example), /process\.once\('SIGINT'/)
    assert.match(read(example), /from 'perpetual-exchange-client'\n/)
    const name = basename(example, '.ts')
    assert.ok(existsSync(`${PROJECT_ROOT}test/examples/${name}.test.ts`))
    assert.ok(globSync('test/examples/*.ts', { cwd: PROJECT_ROOT }).some((file) => read(file).includes(`exchange.example('${name}'`)))
  })
}
