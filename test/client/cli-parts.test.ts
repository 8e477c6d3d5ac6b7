// The parts of the command line that need no gateway: decimals, arguments, tables, progress and failures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMON_FLAGS, parseArguments } from '../../client/src/cli/arguments.ts'
import type { ParsedArguments } from '../../client/src/cli/arguments.ts'
import { COMMANDS } from '../../client/src/cli/commands.ts'
import { fromUnits, toBps, toPercent, toUnits } from '../../client/src/cli/decimal.ts'
import { tradingState } from '../../client/src/cli/exchange-commands.ts'
import { describeFailure, failureText } from '../../client/src/cli/failures.ts'
import { createProgress } from '../../client/src/cli/progress.ts'
import { table } from '../../client/src/cli/table.ts'
import { timeOf, toSeconds } from '../../client/src/cli/time.ts'
import { lineOf } from '../../client/src/cli/watch-command.ts'
import { UsageError } from '../../client/src/cli/usage-error.ts'
import { ContractFailure, GatewayError, NotFinal, RateLimited, RefusedToSign, TransactionExpired, UNUSUAL_FEE, Unauthorized } from '../../client/src/errors.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'

test('property: amounts are formatted and parsed without losing a digit', () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (units) => {
    const text = fromUnits(String(units))
    assert.match(text, /^\d+\.\d{2,7}$/)
    assert.equal(toUnits(text, 'amount'), String(units))
  }), { numRuns: fuzzRuns(300) })
  const cases = { 100: '1000000000', 0.25: '2500000', '92370.1797515': '923701797515', '1.00000000000': '10000000', '0.0000001': '1', '007': '70000000' }
  for (const [text, units] of Object.entries(cases)) assert.equal(toUnits(text, 'amount'), units)
  assert.deepEqual(['1', '-15000000', '0', 'n/a'].map(fromUnits), ['0.0000001', '-1.50', '0.00', 'n/a'])
  const wrong = ['', '.5', '1.', '1,5', '-1', '+1', '1e3', '0x10', '1_000', '0.00000001', ' 1', '١']
  for (const text of wrong) assert.throws(() => toUnits(text, 'amount'), UsageError, text)
})

test('shares need a unit and must be whole basis points', () => {
  for (const [text, bps] of Object.entries({ '1%': 100, '0.5 %': 50, '50bps': 50, '100%': 10_000, '0.01%': 1 })) assert.equal(toBps(text, 'share'), bps)
  for (const text of ['1', '0.001%', '1.5bps', '%', '-1%']) assert.throws(() => toBps(text, 'share'), UsageError, text)
  assert.deepEqual(['2000', '100000', '-1', '12345678'].map(toPercent), ['0.02 %', '1 %', '-0.00001 %', '123.45678 %'])
})

test('frames of corrections and of orders are printed, though no ledger closed for them', () => {
  const context = { format: (units: string | null) => (units === null ? null : fromUnits(units)), formatAddress: (address: string | null) => address }
  const frame = (channel: string, data: object): string => lineOf(context, { channel, seq: 7, data } as unknown as Parameters<typeof lineOf>[1])
  assert.equal(frame('corrections', { kind: 'changed', positionId: 3, after: '15000000' }), 'corrections  #7  kind changed, positionId 3, after 1.50')
  assert.match(frame('account.orders.GABC', { kind: 'order', row: { orderId: 5, size: '10000000' } }), /^account\.orders  #7  order  orderId 5, size 1\.00$/)
  const raw = { topic: 'x', code: '12345678', name: '87654321', size: '10000000' }
  assert.match(frame('events', { topic: 'x', ledgerCloseTs: 0, raw }), /code 12345678, name 87654321, size 1\.00$/)
})

test('limits say why no position can be opened, and are open only if all of it is known', () => {
  const first = { tradingPaused: false, pauseMode: null, assetHalted: null, adlActive: null }
  const second = { tradingPaused: false, pauseMode: 0, assetHalted: false, adlActive: false }
  const states = [
    first, { ...first, tradingPaused: true }, { ...first, tradingPaused: null }, second, { ...second, assetHalted: null }, { ...second, adlActive: null },
    { ...second, assetHalted: true, adlActive: null }, { ...second, adlActive: true }, { ...second, tradingPaused: true, pauseMode: 1 },
    { ...second, tradingPaused: true, pauseMode: 2 },
  ].map(tradingState)
  assert.deepEqual(states.map((state) => state?.split(':')[0] ?? null), [
    'open', 'paused', null, 'open', null, null, 'halted', 'auto-deleveraging', 'paused', 'frozen',
  ])
})

test('times are UTC, in days, minutes or seconds', () => {
  const texts = ['2026-11-22', '2026-11-22 04:19', '2026-11-22T04:19:39Z', '1793852379']
  assert.deepEqual(texts.map((text) => toSeconds(text, '--from')), [1_795_305_600, 1_795_321_140, 1_795_321_179, 1_793_852_379])
  assert.equal(timeOf(1_795_321_179), '2026-11-22 04:19:39')
  for (const text of ['', '2026-02-30', '2026-13-01', '2026-11-22 25:00', '22.11.2026', '2026-11-22T04:19+01:00', 'now', '-5']) {
    assert.throws(() => toSeconds(text, '--from'), UsageError, text)
  }
})

test('options may appear anywhere before --', () => {
  const parse = (line: string): ParsedArguments => parseArguments(line.split(' '), COMMANDS)
  for (const line of ['--json prices BTC --url http://x', 'prices --url=http://x BTC --json', '--url http://x prices --json -- BTC']) {
    const { command, rest: many, flags } = parse(line)
    assert.deepEqual([command?.name, many, flags], ['prices', ['BTC'], { json: true, url: 'http://x' }], line)
  }
  assert.deepEqual(parse('key revoke -- --odd').args, { 'KEY-ID': '--odd' })
  assert.deepEqual(parse('prices -h').flags, { help: true })
})

test('wrong options are rejected by name', () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    'prices --json --json': /^--json was given twice\.$/, 'prices --json=yes': /^--json takes no value\.$/, 'prices --colour': /^Unknown option --colour\.$/,
    'prices --limit 5': /^Unknown option --limit\.$/, 'prices -x': /^Unknown option -x\.$/, 'prices --url': /^--url needs a value: --url URL$/,
    'prices --url=': /^--url needs a value: --url URL$/, 'prices --url --json': /^--url needs a value: --url URL$/, '--count 5': /^Unknown option --count\.$/,
  }
  for (const [line, message] of Object.entries(wrong)) {
    assert.throws(() => parseArguments(line.split(' '), COMMANDS), (error: unknown) => error instanceof UsageError && message.test(error.message), line)
  }
})

test('an option takes a value in all commands or in none', () => {
  const kinds = new Map<string, boolean>()
  for (const { name, value } of [...COMMON_FLAGS, ...COMMANDS.flatMap((command) => command.flags ?? [])]) {
    assert.equal(kinds.get(name) ?? value !== undefined, value !== undefined, name)
    kinds.set(name, value !== undefined)
  }
})

test('tables align numbers at their decimal points and show control characters', () => {
  const rows = [{ name: 'one\u001B[2J\n', value: '1.25' }, { name: 'a long one', value: '1000.5' }, { name: 'x', value: null }]
  const text = table([{ title: 'name', text: ({ name }) => name }, { title: 'value', align: 'point', text: ({ value }) => value }], rows, 'nothing')
  assert.equal(text, 'name                 value\none\\u{1b}[2J\\u{a}     1.25\na long one         1000.5\nx                     –\n')
})

test('progress is shown after one second, and only at a terminal', async () => {
  for (const isShown of [true, false]) {
    let written = ''
    let nowMs = 0
    const due: (() => void)[] = []
    const clock = { nowMs: () => nowMs, later: (_ms: number, run: () => void) => (due.push(run), () => void due.splice(due.indexOf(run), 1)) }
    const progress = createProgress({ clock, isShown, write: (text) => void (written += text) })
    const advanceSecond = (): void => {
      nowMs += 1000
      due.shift()?.()
    }
    const work = Promise.withResolvers<number>()
    const done = progress.run('Preparing', () => work.promise)
    assert.equal(written, '')
    advanceSecond()
    progress.setMessage('Waiting')
    advanceSecond()
    work.resolve(5)
    assert.equal(await done, 5)
    assert.equal(written, isShown ? '\r\u001B[KPreparing … 1 s\r\u001B[KWaiting … 2 s\r\u001B[K' : '')
    assert.equal(due.length, 0)
  }
})

test('a transaction without an outcome, an expired one and a used client id say what to do', () => {
  const hash = 'ab'.repeat(32)
  const held = { status: 409, code: 'client_id_in_use', message: 'Another transaction has this clientId.', requestId: null, body: { hash } }
  const failures = [new NotFinal(hash, 'PENDING'), new NotFinal(hash, 'PREPARED'), new TransactionExpired(hash), new GatewayError(held)].map(describeFailure)
  assert.deepEqual(failures.map(({ exitCode, kind, more }) => [exitCode, kind, more['hash']]), [
    [8, 'not_final', hash], [8, 'not_final', hash], [6, 'transaction_expired', hash], [4, 'client_id_in_use', hash],
  ])
  assert.match(failures[0]?.hint ?? '', /`finish (?:ab)+` later\. Do not trade again/)
  assert.match(failures[1]?.hint ?? '', /was not submitted/)
  assert.match(failures[2]?.message ?? '', /safe to trade again/)
  assert.match(failures[3]?.hint ?? '', /`tx` shows it/)
})

test('an unknown asset is named, with the command that lists the assets', () => {
  for (const [status, code] of [[400, 'unsupported_asset'], [404, 'Unknown asset']] as const) {
    const body = { error: code, asset: 'NOPE' }
    const { exitCode, kind, message, hint } = describeFailure(new GatewayError({ status, code, message: code, requestId: null, body }))
    assert.deepEqual([exitCode, kind, message], [4, code, 'Unknown market NOPE.'])
    assert.match(hint ?? '', /^`markets`/)
  }
})

test('errors that have only a code say what they mean and what to do', () => {
  const failureOf = (status: number, code: string, body: object = { error: code }, message = code): readonly unknown[] => {
    const failure = new GatewayError({ status, code, message, hint: message === code ? null : message, requestId: null, body })
    const { exitCode, message: text, hint } = describeFailure(failure)
    return [exitCode, text, hint]
  }
  assert.deepEqual(failureOf(404, 'key_not_found'), [
    4, 'You have no such key, or it is already revoked (404 key_not_found)', '`key list` lists your keys.',
  ])
  assert.deepEqual(failureOf(400, 'ledger_not_indexed', { first: 5, last: 70 }), [4, 'This ledger is not indexed.', 'Use a ledger from 5 to 70.'])
  assert.deepEqual(failureOf(405, 'http_405', {}), [3, 'The server responded with 405, and not as such a gateway does.', 'Check the address (--url, URL).'])
  assert.deepEqual(failureOf(400, 'constructor'), [4, 'constructor (400 constructor)', null], 'a code that no gateway sends')
  assert.equal(failureOf(400, 'FST_ERR_VALIDATION', {}, 'querystring/leverage must be <= 10')[1], 'leverage must be <= 10 (400 FST_ERR_VALIDATION)')
})

test('two words name a command before one does', () => {
  const named = (line: string): readonly unknown[] => {
    const { command, args } = parseArguments(line.split(' '), COMMANDS)
    return [command?.name, args]
  }
  assert.deepEqual(named('orders'), ['orders', {}])
  assert.deepEqual(named('orders watch 5'), ['orders watch', { ORDER: '5' }])
  assert.deepEqual(named('export download trades 2026-07-06'), ['export download', { KIND: 'trades', DAY: '2026-07-06' }])
  assert.deepEqual(named('finish'), ['finish', {}])
})

test('each kind of failure has an exit code and a message without control characters', () => {
  const refusal = { status: 400, code: 'unknown_code', message: 'no \u001B]0;such\u0007 code', requestId: 'ab12', body: null }
  const failures = [
    new GatewayError(refusal), new RateLimited({ ...refusal, status: 429, retryAfterSec: 12 }),
    new ContractFailure(refusal, { stage: 'ledger', contractError: { code: 63, name: 'SlippageExceeded' } }), new Error('what'),
  ].map(describeFailure)
  assert.deepEqual(failures.map(({ exitCode }) => exitCode), [4, 4, 6, 1])
  assert.match(failures[1]?.hint ?? '', /in 12 s/)
  const ofContract = failureText(failures[2] ?? describeFailure(null))
  assert.match(ofContract, /^error: SlippageExceeded \(contract error 63\): .*\. The transaction failed in a ledger\. Its fee was charged\.\n/)
  assert.match(ofContract, /^ {2}hint: .*--slippage/m)
  for (const failure of failures) assert.doesNotMatch(failureText(failure).replaceAll('\n', ''), /\p{Cc}/u)
})

test('a market price bound that contracts lack, or that the price passed, says what to change', () => {
  const refusal = { status: 400, code: 'unsupported_by_deployment', message: 'no', requestId: null, body: { field: 'slippageBps' } }
  const lacking = describeFailure(new GatewayError(refusal))
  assert.deepEqual([lacking.message, lacking.exitCode], ['The contracts of this exchange do not take slippageBps.', 4])
  assert.match(lacking.hint ?? '', /Leave out --slippage/)
  const passed = describeFailure(new ContractFailure(refusal, { stage: 'simulation', contractError: { code: 87, name: 'AcceptablePriceExceeded' } }))
  assert.match(passed.hint ?? '', /allow more with --slippage/)
})

test('a refused fee says how to accept it, and any other difference does not', () => {
  const fee = { what: UNUSUAL_FEE, expected: 'about 500000 stroops', found: 'too high' }
  const other = { what: 'argument 2', expected: '5', found: '50' }
  const [onlyFee, both] = [[fee], [fee, other]].map((differences) => describeFailure(new RefusedToSign(differences)))
  assert.match(onlyFee?.hint ?? '', /add --accept-unusual-fee\.$/)
  assert.match(both?.hint ?? '', /Do not use this gateway until you know why\.$/)
  assert.deepEqual([onlyFee?.exitCode, both?.exitCode], [7, 7])
})

test('an invalid parameter is named for programs, and a wrong clock in the hint', () => {
  const base = { requestId: null, body: null }
  const invalid = describeFailure(new GatewayError({
    ...base, status: 400, code: 'FST_ERR_VALIDATION', message: 'x', hint: 'querystring/limit must be <= 200', reason: 'invalid_parameter', parameter: 'limit',
  }))
  assert.deepEqual([invalid.message, invalid.more], ['limit must be <= 200 (400 FST_ERR_VALIDATION)', { status: 400, parameter: 'limit' }])
  const stale = describeFailure(new Unauthorized({ ...base, status: 401, code: 'stale_timestamp', message: 'x', hint: 'Synchronize your clock.' }))
  assert.deepEqual([stale.exitCode, stale.hint], [5, 'Synchronize your clock.'])
})
