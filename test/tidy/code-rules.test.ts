// Each code rule reports planted violations, accepts allowed code, and holds in the project.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCode, CODE_RULES, FILE_MAX_LINES, FUNCTION_MAX_OWN_LINES, LINE_MAX_LENGTH, TEST_FILE_MAX_LINES } from './code-rules.ts'
import { findFunctions } from './functions.ts'
import { testRules } from './rule-cases.ts'
import type { RuleCases } from './rule-cases.ts'
import { isProduct, plant, readTree, report } from './tree.ts'

const statements = (count: number): string => '  work()\n'.repeat(count)

const CASES: Readonly<Record<string, RuleCases>> = {
  'one-seed': {
    violating: [
      { 'src/base/x.test.ts': "import fc from 'fast-check'" },
      { 'localnet/test-values.ts': "import { string } from 'fast-check'" },
    ],
    allowed: [
      { 'test/support/fuzz.ts': "import fc from 'fast-check'" },
      { 'test/keys/x.test.ts': "import type { AsyncCommand } from 'fast-check'" },
      { 'src/base/x.test.ts': "import { fc } from '../../test/support/fuzz.ts'" },
    ],
  },
  'one-clock': {
    violating: [
      { 'src/chain/x.ts': 'const now = Date.now()' },
      { 'src/chain/x.ts': 'const now = new Date()' },
      { 'src/chain/x.ts': 'const now = Date()' },
      { 'localnet/x.ts': 'setTimeout(() => {}, 5)' },
      { 'localnet/x.ts': 'const timer = globalThis.setInterval(tick, 5)' },
      { 'main.ts': 'const started = performance.now()' },
      { 'src/chain/x.ts': 'fetch(url, { signal: AbortSignal.timeout(5) })' },
      { 'src/chain/x.ts': 'const at = process.hrtime.bigint()' },
      { 'src/http/x.ts': 'const up = process.uptime()' },
      { 'src/http/x.ts': 'const read = Date.now' },
      { 'src/http/x.ts': 'const text = `at ${Date.now()}`' },
    ],
    allowed: [
      { 'src/base/clock.ts': 'const now = Date.now()\nsetTimeout(() => {}, 5)' },
      { 'test/x.ts': 'const now = Date.now()' },
      { 'src/chain/x.test.ts': 'setTimeout(() => {}, 5)' },
      { 'src/chain/x.ts': "// Date.now() and setTimeout()\nconst text = 'Date.now()'\nconst day = new Date(clock.nowMs())\nsocket.setTimeout(5)" },
    ],
  },
  'one-random-source': {
    violating: [
      { 'src/http/x.ts': 'const roll = Math.random()' },
      { 'src/http/x.ts': 'const id = crypto.randomUUID()' },
      { 'localnet/x.ts': "const secret = randomBytes(32).toString('hex')" },
      { 'localnet/x.ts': 'const pair = Keypair.random()' },
    ],
    allowed: [
      { 'src/base/random.ts': 'const roll = randomBytes(6)' },
      { 'test/x.ts': 'const roll = Math.random()' },
      { 'src/http/x.ts': '// Math.random()\nconst roll = random.float()' },
    ],
  },
  'one-environment': {
    violating: [
      { 'src/http/x.ts': 'const port = process.env.PORT' },
      { 'main.ts': "const port = process.env['PORT']" },
      { 'localnet/x.ts': "const port = process['env'].PORT" },
      { 'localnet/x.ts': 'const { env } = process' },
      { 'localnet/x.ts': 'const port = globalThis.process?.env.PORT' },
    ],
    allowed: [
      { 'src/config/config.ts': 'const port = process.env.PORT' },
      { 'test/x.ts': 'const port = process.env.PORT' },
      { 'src/http/x.ts': "const env = contract.env\nprocess.on('SIGTERM', stop)\nconst { pid } = process.report" },
    ],
  },
  'no-exit': {
    violating: [{ 'main.ts': 'process.exit(1)' }, { 'src/http/x.ts': "process.kill(process.pid, 'SIGTERM')" }],
    allowed: [{ 'main.ts': 'process.exitCode = 1\nconst lives = process.kill(pid, 0)' }, { 'test/x.ts': 'process.exit(1)' }],
  },
  'sql-location': {
    violating: [
      { 'src/routes/x.ts': 'const sql = `select * from app.trades`' },
      { 'src/routes/x.ts': "const sql = 'SELECT id FROM trades'" },
      { 'src/oracle/x.ts': 'const sql = `\n  insert into ticks values (${values})`' },
      { 'src/indexer/x.ts': "const sql = 'with page as (select 1) select 2'" },
      { 'src/indexer/x.ts': "const sql = 'update cursor set id = $1'" },
      { 'src/gateway/gateway.ts': "const sql = 'create table x (id int)'" },
      { 'localnet/rpc/x.ts': "const sql = 'delete from events'" },
      { 'src/routes/x.ts': 'const rows = await db.query(text)' },
      { 'src/routes/x.ts': 'const rows = await db.query<Row>(text)' },
    ],
    allowed: [
      { 'src/projections/x.ts': 'const rows = await db.query<Row>(`select 1 from trades`)' },
      { 'src/store/deep/x.ts': "const sql = 'create schema chain'" },
      { 'test/x.ts': "const sql = 'select 1 from x'" },
      { 'src/routes/x.ts': "const text = 'select an interval, or update your client'\nconst { limit } = request.query" },
    ],
  },
  'tables-by-handle': {
    violating: [
      { 'src/projections/x.ts': "const text = 'select 1 from idx.events'" },
      { 'src/store/x.ts': 'const statement = sql`select ${ROW} from shadow.opens`' },
      { 'src/submissions/x.ts': 'const statement = sql`select 1 from tx.submissions where ${condition}`' },
      { 'src/projections/x.ts': 'const statement = sql`update ${idx.events} set seq = 1`' },
      { 'src/projections/x.ts': 'const statement = sql`with x as (delete\n from ${table} returning 1) select 1`' },
    ],
    allowed: [
      { 'src/projections/x.ts': 'const statement = sql`select 1 from ${idx.events}, ${sql.update(idx.cursor)} where x = ${y}`' },
      { 'src/projections/x.ts': "// idx.events\nawait tx.run('analyze')" },
      { 'src/projections/x.test.ts': "const text = 'select 1 from idx.events'" },
      { 'test/index/x.ts': 'const text = `delete from ${table}`' },
    ],
  },
  'decorate-location': {
    violating: [
      { 'src/gateway/gateway.ts': "app.decorate('db', store)" },
      { 'src/routes/x.ts': "app.decorateRequest('caller', null)" },
      { 'src/routes/x.ts': "declare module 'fastify' {}" },
    ],
    allowed: [{ 'src/http/x.ts': "app.decorateRequest('caller', null)\ndeclare module 'fastify' {}" }],
  },
  'no-default-export': {
    violating: [{ 'src/base/x.ts': 'export default 5' }, { 'test/x.ts': 'const a = 5\nexport { a as default }' }],
    allowed: [{ 'src/base/x.ts': "import { default as pg } from 'pg'\nexport const a = { default: 5 }" }],
  },
  'no-console': {
    violating: [{ 'src/base/x.ts': "console.log('x')" }, { 'localnet/x.ts': 'globalThis.console.error(5)' }],
    allowed: [{ 'main.ts': "console.log('x')" }, { 'bench/run.ts': "console.log('x')" }, { 'src/base/x.ts': "// console.log\nconst text = 'console.log'" }],
  },
  'no-barrels': {
    violating: [{ 'src/base/x.ts': "export { a } from './a.ts'" }, { 'src/base/x.ts': "export type * from './a.ts'" }],
    allowed: [{ 'src/base/x.ts': "import { a } from './a.ts'\nexport const b = a" }],
  },
  'tests-all-run': {
    violating: [
      { 'test/x.test.ts': "test.only('x', () => {})" },
      { 'test/x.test.ts': "describe.skip('x', () => {})" },
      { 'src/base/x.test.ts': "test('x', { skip: true }, () => {})" },
      { 'src/base/x.test.ts': "test('x', { only: true }, () => {})" },
      { 'src/base/x.test.ts': "test('x', (t) => t.skip())" },
      { 'src/base/x.test.ts': "it.todo('x')" },
    ],
    allowed: [
      { 'test/x.test.ts': "test('x', (t) => t.skip('the recordings are not on this machine'))\ntest('y', { skip: reason }, () => {})" },
      { 'src/base/x.ts': 'iterator.skip()' },
    ],
  },
  'unfinished-code': {
    violating: [
      { 'src/base/x.ts': '// TODO: later' },
      { 'src/base/x.ts': '/* FIXME */' },
      { 'test/x.ts': '// @ts-ignore' },
      { 'src/base/x.ts': '// oxlint-disable-next-line no-console' },
      { 'src/store/migrations/0001_x.sql': '-- TODO index' },
    ],
    allowed: [{ 'src/base/x.ts': "// NOTE why\n// TODO(decision) which of both\nconst text = 'TODO: FIXME'" }],
  },
  'function-length': {
    violating: [
      { 'src/base/x.ts': `function long(): void {\n${statements(FUNCTION_MAX_OWN_LINES)}}\n` },
      { 'src/base/x.ts': `const long = async (a: number): Promise<{ b: number }> => {\n${statements(FUNCTION_MAX_OWN_LINES)}}\n` },
      { 'test/x.test.ts': `test('x', () => {\n${statements(FUNCTION_MAX_OWN_LINES)}})\n` },
      { 'src/base/x.ts': `const a = {\n  async *[Symbol.iterator]<T>(b: T): AsyncGenerator<T> | undefined {\n${statements(FUNCTION_MAX_OWN_LINES)}  },\n}\n` },
      { 'src/base/x.ts': `function long(): { a: number } {\n${statements(FUNCTION_MAX_OWN_LINES)}}\n` },
      { 'src/base/x.ts': `function outer() {\n${statements(40)}  function inner() {\n${statements(5)}  }\n${statements(40)}}\n` },
      { 'src/base/x.ts': `function outer() {\n${`  function inner() {\n${statements(58)}  }\n`.repeat(2)}}\n` },
    ],
    allowed: [
      { 'src/base/x.ts': `function fits(): void {\n${statements(FUNCTION_MAX_OWN_LINES - 2)}}\n` },
      { 'src/base/x.ts': `function both() {\n  function one() {\n${statements(55)}  }\n  function two() {\n${statements(55)}  }\n  return { one, two }\n}\n` },
      { 'src/base/x.ts': `const table = {\n${'  a: 1,\n'.repeat(200)}}\nif (table) {\n${statements(100)}}\n` },
      { 'src/base/x.ts': `interface Part {\n  one(a: number): void\n  two(): Promise<{ a: number }>\n${'  b: number\n'.repeat(100)}}\n` },
    ],
  },
  'file-length': {
    violating: [{ 'src/base/x.ts': '\n'.repeat(FILE_MAX_LINES + 1) }, { 'test/x.test.ts': '\n'.repeat(TEST_FILE_MAX_LINES + 1) }],
    allowed: [{ 'src/base/x.ts': '\n'.repeat(FILE_MAX_LINES) }, { 'src/base/x.test.ts': '\n'.repeat(TEST_FILE_MAX_LINES) }],
  },
  format: {
    violating: [
      { 'src/base/x.ts': 'const a = 5' },
      { 'src/base/x.ts': 'const a = 5;\n' },
      { 'src/base/x.ts': 'const a = 5 \n' },
      { 'src/base/x.ts': 'if (a) {\n\tb()\n}\n' },
      { 'src/base/x.ts': 'const a = "b"\n' },
      { 'console/x.tsx': "const a = <p title={b}>It's {c(\"d\")} now</p>\n" },
      { 'src/base/x.ts': `// ${'x'.repeat(LINE_MAX_LENGTH)}\n` },
      { 'src/store/migrations/0001_x.sql': 'select 1' },
    ],
    allowed: [
      { 'console/x.tsx': "export const a = () => (\n  <p class='b'>\n    It's 5; {c ? 'd' : \"it's\"} don't;\n  </p>\n)\n" },
      { 'src/base/x.ts': `for (let a = 0; a < 5; a++) b({ c: "it's", d: ';' }) // ends;\ntype T = { a: string; b: number }\n` },
    ],
  },
}

testRules(CODE_RULES, CASES)

test('a violation reports its line', () => {
  const [found] = checkCode(plant({ 'src/chain/x.ts': '// first\n\nconst now = Date.now()\n' }))
  assert.equal(found?.line, 3)
})

test('the lines of an inner function do not count as its outer function\'s own lines', () => {
  const found = findFunctions('function factory() {\n  const inner = () => {\n    a()\n    b()\n  }\n  return inner\n}\n')
  assert.deepEqual(found.map(({ line, endLine, lines, ownLines }) => [line, endLine, lines, ownLines]), [[1, 7, 7, 4], [2, 5, 4, 4]])
})

test('the project follows the rules', () => {
  const tree = readTree()
  const product = [...tree.keys()].filter(isProduct)
  assert.ok(product.length >= 20, `only ${product.length} product files found`)
  const functions = product.flatMap((path) => findFunctions(tree.get(path) ?? ''))
  assert.ok(functions.length > product.length, `only ${functions.length} functions found`)
  const violations = checkCode(tree)
  assert.equal(violations.length, 0, `\n${report(violations)}`)
})
