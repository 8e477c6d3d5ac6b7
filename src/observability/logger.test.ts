import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatForTerminal } from './terminal-format.ts'
import { createLogger } from './logger.ts'

const SECRET = `nk_${'0a'.repeat(12)}:${'5e'.repeat(32)}`
const SEED = `S${'ABCDEFG'.repeat(7)}ABCDEF`

function createRecorded(format: 'auto' | 'json' | 'terminal', color = false) {
  const lines: string[] = []
  return { lines, log: createLogger({ level: 'info', format, color }, (line) => lines.push(line)) }
}

test('writes one JSON object per line for machines', () => {
  const { lines, log } = createRecorded('json')
  log.warn({ asset: 'BTC', err: new Error('no response') }, 'price is not readable')
  log.debug({}, 'below the level')
  assert.equal(lines.length, 1)
  const { level, time, msg, asset, err } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  assert.deepEqual([level, typeof time, msg, asset, (err as { message: string }).message], [40, 'number', 'price is not readable', 'BTC', 'no response'])
})

test('writes a short line for a terminal, colored by level', () => {
  const { lines, log } = createRecorded('terminal')
  log.info({ ledger: 7, reason: 'first poll', none: null }, 'the index is in sync')
  log.warn({ err: new TypeError('no response') }, 'price is not readable')
  assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d INFO {2}the index is in sync ledger=7 reason="first poll"\n$/)
  assert.match(lines[1] ?? '', /^\S+ WARN {2}price is not readable "TypeError: no response"\n$/, 'a warning has no stack')
  log.info({}, 'listening')
  assert.match(lines[2] ?? '', /^\S+ INFO {2}listening\n$/, 'nothing follows a message without details')
  const colored = createRecorded('terminal', true)
  colored.log.error({ err: new Error('bug') }, 'request failed')
  assert.ok(colored.lines[0]?.includes('\u001b[31mERROR\u001b[0m'))
  assert.match(colored.lines[0] ?? '', /\n\S* {4}at /, 'an error has its stack')
  colored.log.info({}, 'listening')
  assert.ok(colored.lines[1]?.endsWith('listening\n'))
})

test('`auto` is for a terminal only when the lines go there', (context) => {
  const before = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY')
  context.after(() => Object.defineProperty(process.stderr, 'isTTY', before ?? { value: undefined, configurable: true, writable: true }))
  Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true, writable: true })
  const { lines, log } = createRecorded('auto')
  log.info({}, 'listening')
  assert.equal((JSON.parse(lines[0] ?? '') as { msg: string }).msg, 'listening')
})

test('text from clients cannot control the terminal', () => {
  const { lines, log } = createRecorded('terminal')
  const hostile = 'a\u001b[2J\u001b]0;owned\u0007\u009b31m\r\nERROR forged line\u202eevil\u2028\u200b\ud800'
  log.error({ path: hostile, [hostile]: 1, err: Object.assign(new Error(hostile), { stack: `Error: ${hostile}\n    at ${hostile} (file.ts:1)` }) }, hostile)
  const text = lines.join('')
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Cs}\u2028]/u)
  assert.doesNotMatch(text, /^ERROR forged/m)
  assert.ok(text.includes('\\u{1b}[2J'))
})

test('text that is no line of the log is shown as it is, without control characters', () => {
  for (const text of ['no JSON \u001b[31m', 'null', '{"level":30,"time":1}', '{"level":30,"msg":"x"}', '{"time":1,"msg":"x"}']) {
    assert.equal(formatForTerminal(`${text}\n`, false), `${text.replace('\u001b', '\\u{1b}')}\n`)
  }
})

test('cuts long values on a terminal', () => {
  const { lines, log } = createRecorded('terminal')
  log.info({ path: 'x'.repeat(20_000) }, 'long')
  assert.ok((lines[0]?.length ?? 0) < 300)
})

for (const format of ['json', 'terminal'] as const) {
  test(`writes no secret as ${format}`, () => {
    const { lines, log } = createRecorded(format)
    const cause = new Error('cannot reach postgres://gateway:hunter2@db.internal/gateway')
    log.error({ url: `/v1/account/me?secret=hunter2&limit=1&x=${SECRET}`, err: new Error(`Bearer ${SECRET} is invalid`, { cause }) }, `seed ${SEED}`)
    log.warn({ headers: { authorization: `Bearer ${SECRET}` }, body: '{"password":"hunter2","apiKey": "hunter2"}', nested: { secret: 'hunter2' } }, 'x')
    const text = lines.join('')
    for (const secret of ['hunter2', '5e'.repeat(8), SEED]) assert.ok(!text.includes(secret), `${secret} in ${text}`)
    assert.ok(text.includes('limit=1') && text.includes('db.internal') && text.includes(`nk_${'0a'.repeat(12)}`), 'the rest is legible')
    if (format === 'json') for (const line of lines) JSON.parse(line)
  })
}

test('keeps hashes and addresses', () => {
  const { lines, log } = createRecorded('json')
  const fields = { hash: '5e'.repeat(32), account: `G${SEED.slice(1)}`, contracts: { usdcToken: `C${SEED.slice(1)}` }, eventId: '0000301-01' }
  log.info(fields, 'x')
  const { hash, account, contracts, eventId } = JSON.parse(lines[0] ?? '') as typeof fields
  assert.deepEqual({ hash, account, contracts, eventId }, fields)
})
