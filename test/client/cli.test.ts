// The client's command line as a process, against the whole program on a local network.

import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request as forward } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { COMMANDS } from '../../client/src/cli/commands.ts'
import { EXIT_CODES } from '../../client/src/cli/failures.ts'
import type { IssuedKey } from '../../client/src/generated/resources.ts'
import { run } from '../../client/src/cli/run.ts'
import type { ProcessContext } from '../../client/src/cli/run.ts'
import { systemClock } from '../../client/src/clock.ts'
import { runCommand, startCommand } from './cli.ts'
import type { CommandResult, CommandOptions } from './cli.ts'
import { EXAMPLE_OPEN_ORDER } from '../../src/resources/open-order.ts'
import { serveHttp } from '../support/http-server.ts'
import type { HttpServer } from '../support/http-server.ts'
import { TEST_GENERATION } from '../support/generation.ts'
import { holdPrices, startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { freePort } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let main: MainProcess
let url: string
let secret: string
let keyFile: string
let environment: Readonly<Record<string, string>>
/** The number of markets of this deployment. */
let markets: number
/** The output of all commands. */
const allOutput: string[] = []

before(async () => {
  folder = await temporaryFolder()
  main = startMain({ DATA_DIR: folder.path, LOCAL_TRADERS: '2', LOG_LEVEL: 'error', LOCAL_SEED: 'command line' })
  secret = /S[A-Z2-7]{55}/.exec(await main.waitForLine(/S[A-Z2-7]{55}/))?.[0] ?? ''
  url = await main.url()
  await main.waitForLine(/^Indexer in sync/)
  await holdPrices(main, 'BTC', 'ETH')
  markets = (await main.control<{ readonly assets: readonly unknown[] }>('local_info')).assets.length
  keyFile = join(folder.path, 'exchange.key')
  environment = { URL: url, SECRET: secret, KEY_FILE: keyFile }
  const { code, stderr: errors } = await call(['key', 'new', '--key-file', keyFile, '--label', 'a test'])
  assert.equal(code, 0, errors)
})
after(async () => {
  await main[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

async function call(words: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const result = await runCommand(words, { environment, ...options })
  allOutput.push(result.stdout, result.stderr)
  return result
}

/** The output of a command with --json. Fails unless the command succeeds and prints nothing else. */
async function json<T>(...words: readonly string[]): Promise<T> {
  const { code, stdout: out, stderr: errors } = await call([...words, '--json'])
  assert.deepEqual([code, errors.replaceAll(/^\{"note".*\n/gm, '')], [0, ''], `${words.join(' ')}: ${errors}`)
  return JSON.parse(out) as T
}

interface Traded {
  readonly hash: string
  readonly ledger: number
  readonly positionId: number | null
  readonly order: { readonly orderId: number; readonly state: string } | null
}
interface ErrorLine {
  readonly error: Readonly<Record<string, unknown>> & { readonly hint: string; readonly message: string }
}
const errorOf = ({ stderr: errors }: CommandResult): ErrorLine['error'] => (JSON.parse(errors) as ErrorLine).error

const PROCESS: ProcessContext = {
  environment: {}, version: '', clock: systemClock, signal: new AbortController().signal, isErrorTerminal: false,
  writeOut: () => {}, writeError: (text) => assert.fail(text), readInput: () => Promise.resolve(''),
}

test('the help of every command lists its arguments and options, without a request', async () => {
  const overview = await call(['--help'], { environment: {} })
  assert.equal(overview.code, 0)
  for (const code of Object.keys(EXIT_CODES)) assert.match(overview.stdout, new RegExp(`^  ${code} `, 'm'))
  for (const { name, summary, flags = [], arguments: wanted = [] } of COMMANDS) {
    assert.ok(overview.stdout.includes(`  ${name} `) && overview.stdout.includes(summary), name)
    // In this process, because starting one per command is slow.
    let out = ''
    const context = { ...PROCESS, writeOut: (text: string) => void (out += text) }
    assert.equal(await run([...name.split(' '), '--help'], context), 0, name)
    for (const part of [summary, ...flags.map((flag) => `--${flag.name}`), ...wanted.map((argument) => argument.name)]) assert.ok(out.includes(part), part)
  }
  assert.match((await call(['place'])).stderr, /place stop-limit/)
  const { version } = JSON.parse(readFileSync(new URL('../../client/package.json', import.meta.url), 'utf8')) as { readonly version: string }
  assert.equal((await call(['--version'])).stdout, `perpetual-exchange-client ${version}\n`)
})

test('prices prints a table, and the gateway\'s response with --json', async () => {
  const table = await call(['prices', 'btc', 'ETH'])
  assert.match(table.stdout, /^asset +price +attested \(UTC\) +age, s +ledger +state\nBTC +\d+\.\d{2,7} +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d+ +\d+ +live\nETH /)
  const { prices } = await json<{ readonly prices: readonly { readonly asset: string; readonly price: string }[] }>('prices')
  assert.equal(prices.length, markets)
  assert.match(prices[0]?.price ?? '', /^\d{8,}$/)
  assert.match((await call(['prices', 'BTC', '--raw'])).stdout, /^BTC +\d{8,}  /m)
  assert.match((await call(['prices', 'SHIB'])).stderr, /Unknown market SHIB/)
})

test('a command that lists nothing for an asset says when there is no such asset', async () => {
  for (const line of ['trades SHIB', 'book SHIB', 'candles SHIB', 'funding SHIB']) {
    const { code, stdout: out, stderr: errors } = await call(line.split(' '))
    assert.deepEqual([code, out], [2, ''], line)
    assert.match(errors, /^error: Unknown market SHIB\.\n {2}hint: Markets: BTC, ETH/, line)
  }
  assert.match((await call(['book', 'ltc', '--account', 'GBX7RO4COPGMPFJOOQH3HM7TR45P3HB6SJWTIF5VJKHPM6TYU4R5VAAS'])).stdout, /^No open positions in LTC\./m)
})

test('status shows gateway, index, prices and account, and works without a key', async () => {
  const { stdout: out } = await call(['status'])
  const lines = [/^gateway +version /m, /^ledger +\d+$/m, /^index +\d+ s behind/m, /^trading +open$/m, /^USDC +\d+\.\d{2}/m]
  for (const line of [...lines, new RegExp(`^prices +${markets}, the oldest is \\d+ s old`, 'm')]) assert.match(out, line)
  assert.match((await call(['status'], { environment: { URL: url } })).stdout, /^account +no API key configured$/m)
  const { trading, account } = await json<{ readonly trading: unknown; readonly account: Readonly<Record<string, unknown>> }>('status')
  const { owner } = await json<{ readonly owner: string }>('account')
  assert.deepEqual([trading, account['owner'], typeof account['positions'], typeof account['orders']], ['open', owner, 'number', 'number'])
  assert.match(String(account['usdc']), /^\d{8,}$/, 'JSON has integers')
})

test('candles lists a range of time, up to 5,000 at once', async () => {
  interface Listed { readonly candles: readonly { readonly time: number }[] }
  const { candles: [first, second] } = await json<Listed>('candles', 'BTC', '--interval', '1m', '--limit', '5')
  const [from, to] = [first?.time ?? 0, second?.time ?? 0]
  const range = ['candles', 'BTC', '--interval', '1m', '--to', new Date(to * 1000).toISOString().slice(0, 16)]
  const { candles } = await json<Listed>(...range, '--from', String(from))
  assert.deepEqual(candles.map(({ time }) => time), [from])
  const many = await call([...range, '--from', '1'])
  assert.match(many.stdout, /^begin .* prices of +state\n/)
  assert.deepEqual([many.stdout.split('\n').length, many.code], [5_002, 0])
  assert.match(many.stderr, /^Older candles of this range: --to \d+$/m)
  for (const wrong of [['--limit', '5001'], ['--from', '100', '--to', '100'], ['--from', 'yesterday']])
    assert.equal((await call([...range.slice(0, 4), ...wrong])).code, 2)
})

test('do lists the operations, and explains the fields of one with unit, range and default', async () => {
  assert.match((await call(['do'])).stdout, /^open_position +Opens an isolated position/m)
  const { code, stdout: out } = await call(['do', 'place_limit_order', '--help'], { environment: {} })
  assert.equal(code, 0)
  assert.match(out, /^ {2}collateral +Collateral in USDC\..* Write a decimal like 100 or 0\.25\.$/m)
  assert.match(out, /^ {2}leverage .* From 1 to 10\. Write a whole number\.$/m)
  assert.match(out, /^ {2}triggerCondition .* One of Above, Below\.$/m)
  assert.match(out, /^ {2}reduceOnly .* false by default\. Write true or false\. May be omitted\.$/m)
  const wrong = await call(['do', 'deposit_cross_margin', 'amuont=5'])
  assert.deepEqual([wrong.code, wrong.stderr.split('\n')[0]], [2, 'error: deposit_cross_margin has no field "amuont".'])
  const dry = await call(['do', 'deposit_cross_margin', 'amount=12.5', '--dry-run'])
  assert.match(dry.stdout, /^amount +12\.50$/m, 'amounts are decimals')
})

test('every reading command prints text and JSON', async () => {
  const lines = [
    'markets', 'limits BTC', 'book', 'trades', 'candles BTC --interval 1m', 'funding', 'quote BTC long 100 --leverage 5 --cross', 'key list', 'account',
    'events', 'orders history', 'fills', 'ledger', 'pnl --interval 1h', 'export list',
    'trades --opens', 'funding BTC', 'funding --limit 500', 'vaults', 'pool', 'leaders --sort volume', 'status', 'do',
  ]
  for (const line of lines) {
    const words = line.split(' ')
    const { code, stdout: out, stderr: errors } = await call(words)
    assert.equal(code, 0, `${line}: ${errors}`)
    assert.ok(out.length > 0)
    assert.equal(typeof await json(...words), 'object')
  }
  const health = await json<{ readonly network: string }>('call', 'getHealth')
  assert.equal(health.network, 'testnet')
  const vault = await call(['call', 'getVault'])
  assert.deepEqual([vault.code, vault.stderr.split('\n')[0]], [2, 'error: getVault needs id=….'])
})

test('key new writes an owner-only file, or prints the key once', async () => {
  assert.equal(statSync(keyFile).mode & 0o777, 0o600)
  const keys = async (): Promise<readonly (number | null)[]> =>
    (await json<{ readonly keys: readonly { readonly revokedAt: number | null }[] }>('key', 'list')).keys.map(({ revokedAt }) => revokedAt)
  const again = await call(['key', 'new', '--key-file', keyFile])
  assert.equal(again.code, 2)
  assert.match(again.stderr, /cannot be written \(EEXIST\)/)
  // The key that could not be stored was revoked.
  assert.deepEqual((await keys()).map((revokedAt) => revokedAt === null), [false, true])

  const printed = await runCommand(['key', 'new', '--quiet'], { environment })
  const [, key = ''] = /^KEY=(nk_\w+:[0-9a-f]{64})\n$/.exec(printed.stdout) ?? []
  assert.equal((await call(['key', 'list'], { environment: { URL: url, KEY: key } })).code, 0)
  const [keyId = ''] = key.split(':')
  assert.equal((await call(['key', 'revoke', keyId])).code, 0)
  const refused = await call(['orders', '--json'], { environment: { URL: url, KEY: key } })
  assert.deepEqual([refused.code, errorOf(refused)['kind']], [5, 'invalid_credentials'])
})

test('a key is lent, shown, rotated and held to its limits', async () => {
  const lender = await runCommand(['key', 'new', '--quiet', '--scopes', 'read,trade,keys,lend', '--max-notional', '1000'], { environment })
  const asLender = { URL: url, KEY: lender.stdout.trim().slice('KEY='.length) }
  const lend = (...words: string[]) => runCommand(['key', 'lend', '--json', ...words], { environment: asLender })
  const tooMuch = await lend('--max-notional', '1000.01')
  assert.deepEqual([tooMuch.code, errorOf(tooMuch)['kind'], errorOf(tooMuch)['member']], [4, 'not_a_subset', 'caps.maxNotionalPerDay'])
  const lent = await lend('--label', 'bot', '--scopes', 'read,trade', '--assets', 'btc,ETH', '--max-leverage', '2', '--expires', '2100-01-01')
  const { keyId, secret: lentSecret, caps } = JSON.parse(lent.stdout) as IssuedKey
  assert.deepEqual(caps, { assets: ['BTC', 'ETH'], maxLeverage: 2, maxNotionalPerDay: '10000000000', maxOrdersPerDay: null })
  const asBot = { URL: url, KEY: `${keyId}:${lentSecret}` }
  const shown = await runCommand(['key', 'show'], { environment: asBot })
  assert.match(shown.stdout, /^scopes +read, trade\nexpires +2100-01-01 00:00:00 UTC\nnetworks +any\nassets +BTC, ETH\n/m)
  assert.match(shown.stdout, /^leverage +up to 2\nnotional today +0\.00 of 1000\.00\n/m)
  const refused = await runCommand(['key', 'list', '--json'], { environment: asBot })
  assert.deepEqual([refused.code, errorOf(refused)['kind'], errorOf(refused)['scope']], [4, 'scope_missing', 'keys'])
  const file = `${keyFile}.next`
  assert.equal((await runCommand(['key', 'rotate', '--overlap', '60', '--to', file], { environment: asBot })).code, 0)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  for (const KEY of [asBot.KEY, readFileSync(file, 'utf8').trim()]) {
    assert.equal((await runCommand(['key', 'show'], { environment: { URL: url, KEY } })).code, 0)
  }
  assert.equal((await runCommand(['key', 'revoke', asLender.KEY.split(':')[0] ?? ''], { environment: asLender })).code, 0)
  assert.equal((await runCommand(['key', 'show'], { environment: { URL: url, KEY: readFileSync(file, 'utf8').trim() } })).code, 5)
})

test('trades and orders are placed, listed, cancelled and closed', async () => {
  const opened = await json<Traded>('place', 'market', 'BTC', 'long', '100', '--leverage', '5')
  const { positions } = await json<{ readonly positions: readonly { readonly positionId: number; readonly size: string }[] }>('positions')
  assert.deepEqual(positions.map(({ positionId }) => positionId), [opened.positionId])
  assert.equal(positions[0]?.size, '5000000000')
  assert.match((await call(['book', 'BTC'])).stdout, new RegExp(`^ *${opened.positionId}  BTC +long +500\\.00`, 'm'))

  const placed = await json<Traded>('place', 'limit', 'BTC', 'short', '25.5', '--leverage', '2', '--trigger', '990000.25', '--slippage', '50bps')
  assert.equal(placed.order?.state, 'resting')
  const { orderId } = placed.order
  const { orders } = await json<{ readonly orders: readonly Readonly<Record<string, unknown>>[] }>('orders')
  const { collateral, triggerPrice, triggerCondition, slippageToleranceBps, leverage, direction } = orders[0] ?? {}
  assert.deepEqual([orders.length, orders[0]?.['orderId'], collateral, triggerPrice, triggerCondition, slippageToleranceBps, leverage, direction],
    [1, orderId, '255000000', '9900002500000', 'Above', 50, 2, 1])
  assert.match((await call(['orders'])).stdout, /limit +BTC +short .* above 990000\.25 /)
  assert.equal((await call(['cancel', String(orderId)])).code, 0)
  assert.match((await call(['orders'])).stdout, /^No resting orders\.\n$/)

  if (TEST_GENERATION === '1') {
    const bounded = await call(['close', String(opened.positionId), '--slippage', '1%'])
    assert.deepEqual([bounded.code, bounded.stderr.includes('The contracts of this exchange do not take slippageBps.')], [4, true])
  }
  const closed = await call(['close', String(opened.positionId)])
  assert.match(closed.stdout,
    /^transaction +[0-9a-f]{64}\nledger +\d+\nposition +\d+\nworst price +\S.*\nprice +\d+\.\d+\nsize +500\.00\nfee +0\.00\npnl +-?\d+\.\d+\n$/)
  assert.match((await call(['positions'])).stdout, /^No open positions\.\n$/)
})

test('orders prints the reason why a resting order cannot be executed', async () => {
  const message = 'The order opens 500 USD of BTC, but only 100 USD can be opened in this direction now. Wait, or cancel it.'
  const body = { orders: [{ ...EXAMPLE_OPEN_ORDER, warnings: [{ code: 'above_headroom', message }] }], ledger: 5, ledgerCloseTs: null }
  const headers = { 'content-type': 'application/json' }
  await using server = await serveHttp((_request, response) => response.writeHead(200, headers).end(JSON.stringify(body)))
  const { code, stderr } = await runCommand(['orders'], { environment: { URL: server.url, KEY: `nk_test:${'0'.repeat(64)}` } })
  assert.deepEqual([code, stderr.includes(`Order 17: ${message}`)], [0, true], stderr)
})

test('a transaction, its order and its fills are found afterwards, and its client id trades once', async () => {
  const words = ['place', 'limit', 'BTC', 'long', '30', '--leverage', '2', '--trigger', '100', '--client-id', 'cli-1']
  const placed = await json<Traded>(...words)
  assert.equal((await json<Traded>(...words)).hash, placed.hash)
  assert.equal((await json<{ readonly orders: readonly unknown[] }>('orders')).orders.length, 1)
  const differs = await call([...words.slice(0, -6), '--leverage', '3', ...words.slice(-4), '--json'])
  assert.deepEqual([differs.code, errorOf(differs)['kind'], errorOf(differs)['hash']], [4, 'client_id_in_use', placed.hash])
  const { hash, order } = placed
  const orderId = String(order?.orderId)
  for (const line of [['tx', hash], ['tx', 'cli-1', '--by-client-id']]) {
    assert.match((await call(line)).stdout, new RegExp(`^transaction +${hash}\\nstatus +SUCCESS\\noperation +place_limit_order\\nclient id +cli-1\\n`))
  }
  assert.deepEqual(await json('finish', hash), await json('tx', hash))
  const watching = startCommand(['orders', 'watch', orderId], { environment })
  await watching.printed(new RegExp(`order ${orderId}  limit BTC  pending`))
  assert.equal((await call(['cancel', orderId])).code, 0)
  const ended = await watching.ended
  assert.deepEqual([ended.code, ended.stderr], [0, ''])
  assert.match(ended.stdout, /cancelled \(user\)\n$/)
  const history = await call(['orders', 'history', '--status', 'cancelled', '--asset', 'btc'])
  assert.match(history.stdout, new RegExp(`^ *${orderId} +limit .*cancelled \\(user\\)`, 'm'))
  const { fills } = await json<{ readonly fills: readonly { readonly kind: string }[] }>('fills', '--limit', '2')
  assert.deepEqual(fills.map(({ kind }) => kind), ['close', 'open'])
  const { owner } = await json<{ readonly owner: string }>('account')
  assert.match((await call(['profile', owner])).stdout, /^trades +2$/m)
  assert.match((await call(['ledger', '--account', owner])).stdout, /order_refund +wallet +30\.00/)
  const { index: { lastLedger } } = await json<{ readonly index: { readonly lastLedger: number } }>('status')
  const past = String(lastLedger)
  for (const line of [['pnl', '--interval', '1h'], ['book'], ['leaders']]) {
    assert.equal((await call([...line, '--at-ledger', past])).code, 0, line.join(' '))
  }
  const all = await json<{ readonly fills: readonly { readonly ledger: number }[] }>('fills', '--limit', '1000')
  const first = all.fills.at(-1)?.ledger ?? 0
  assert.deepEqual((await json<{ readonly fills: readonly unknown[] }>('fills', '--at-ledger', String(first - 1))).fills, [])
  const unknown = await call(['pnl', '--at-ledger', 'x1'])
  assert.deepEqual([unknown.code, unknown.stderr.split('\n')[0]], [2, 'error: --at-ledger: "x1" is not the number of a ledger.'])
})

test('all ten order operations can be placed', async () => {
  const place = (...words: readonly string[]): Promise<Traded> => json<Traded>('place', ...words)
  const { positionId } = await place('market', 'ETH', 'long', '50', '--leverage', '3')
  const orders = [
    await place('stop-loss', String(positionId), '--trigger', '100'), await place('take-profit', String(positionId), '--trigger', '99999'),
    await place('trailing-stop', String(positionId), '--trail', '5%', '--slippage', '1%'),
    await place('limit', 'ETH', 'long', '20', '--leverage', '2', '--trigger', '100'),
    await place('stop-limit', 'ETH', 'long', '20', '--leverage', '2', '--trigger', '90000', '--limit', '90100'),
  ]
  assert.deepEqual(orders.map(({ order }) => order?.state), Array.from({ length: 5 }, () => 'resting'))
  const { orders: resting } = await json<{ readonly orders: readonly { readonly orderType: string }[] }>('orders')
  assert.deepEqual(resting.map(({ orderType }) => orderType).sort(), ['limit', 'stop_limit', 'stop_loss', 'take_profit', 'trailing_stop'])
  for (const { order } of orders.slice(3)) assert.equal((await call(['cancel', String(order?.orderId)])).code, 0)
  const cross = await place('market', 'ETH', 'short', '50', '--leverage', '3', '--cross')
  // The command looks up which of the two close operations the position needs.
  for (const id of [positionId, cross.positionId]) assert.equal((await call(['close', String(id)])).code, 0)
  assert.deepEqual((await json<{ readonly positions: readonly unknown[] }>('positions')).positions, [])
})

test('do runs any other operation by name, and --dry-run signs nothing', async () => {
  const checked = await json<{ readonly accepted: boolean; readonly request: unknown }>('do', 'deposit_cross_margin', 'amount=12.5', '--dry-run')
  assert.deepEqual([checked.accepted, checked.request], [true, { op: 'deposit_cross_margin', amount: '125000000' }])
  const pool = async (): Promise<bigint> => BigInt((await json<{ readonly cross: { readonly pool: string } }>('account')).cross.pool)
  const deposited = await pool()
  assert.match((await json<Traded>('do', 'deposit_cross_margin', 'amount=12.5')).hash, /^[0-9a-f]{64}$/)
  assert.equal(await pool() - deposited, 125_000_000n)
  const wrong = await call(['do', 'deposit_cross_margin', 'amount=1', 'size=5'])
  assert.equal(wrong.code, 2, 'rejected before a request')
  assert.match(wrong.stderr, /^error: .*"size"/)
})

test('a contract error is printed by name, with a hint and the request id', async () => {
  const words = ['place', 'market', 'BTC', 'long', '0.5', '--leverage', '5']
  const { code, stdout: out, stderr: errors } = await call(words)
  assert.deepEqual([code, out], [6, ''])
  const [error, hint, request] = errors.split('\n')
  assert.match(error ?? '', /^error: InsufficientCollateral \(contract error 22\): .*collateral is below.*\. Nothing was signed or charged\.$/)
  assert.match(`${hint} ${request}`, /^ {2}hint: .*`limits ASSET`.* {3}request: [0-9a-f]{24}$/)
  const asJson = errorOf(await call([...words, '--json']))
  assert.deepEqual([asJson['exitCode'], asJson['contractError'], asJson['stage']], [6, { code: 22, name: 'InsufficientCollateral' }, 'simulation'])
})

test('invalid command lines fail with exit code 2 before any request', async () => {
  const wrong: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [['nothing'], /Unknown command "nothing"/], [['prices', '--colour'], /Unknown option --colour/],
    [['place', 'never'], /Unknown command "place never"/],
    [['place', 'market', 'BTC', 'up', '1', '--leverage', '2'], /neither long nor short/], [['place', 'market', 'BTC', 'long', '1'], /--leverage is missing/],
    [['close', '1', '--size', '5', '--slippage', '1%'], /--size takes no --slippage/],
    [['place', 'market', 'BTC', 'long', '1,5', '--leverage', '2'], /"1,5" is not an amount/],
    [['place', 'market', 'BTC', 'long', '0.00000001', '--leverage', '2'], /more than 7 decimals/],
    [['place', 'market', 'BTC', 'long', '1.5', '--leverage', '2', '--raw'], /not an integer/],
    [['place', 'trailing-stop', '1', '--trail', '2'], /"2" is not a share/], [['cancel', 'first'], /"first" is not an id/], [['cancel'], /cancel needs ORDER/],
    [['cancel', '1', '2'], /Unexpected argument "2"/], [['prices', '--url', 'here'], /"here" is not a URL/], [['prices', '--url', 'ftp://x'], /http/],
    [['prices', '--timeout', '-1'], /--timeout/], [['trades', '--limit', '0'], /--limit/], [['finish'], /no signed transaction/],
    [['finish', 'abc'], /"abc" is not a transaction hash/], [['tx', 'abc'], /not a transaction hash/], [['orders', 'watch', 'x'], /not an id/],
    [['orders', 'history', '--status', 'open'], /--status must be one of/], [['export', 'download', 'trades', 'today'], /not a day/],
    [['quote', 'BTC', 'long', '5'], /--leverage is missing/],
  ]
  for (const [words, message] of wrong) {
    const { code, stdout: out, stderr: errors } = await call(words)
    assert.deepEqual([code, out], [2, ''], words.join(' '))
    assert.match(errors, message)
  }
  const without = await call(['orders'], { environment: { URL: url } })
  assert.deepEqual([without.code, without.stderr.split('\n')[0]], [2, 'error: No API key configured.'])
  const open = join(folder.path, 'open.key')
  writeFileSync(open, readFileSync(keyFile), { mode: 0o644 })
  assert.match((await call(['orders', '--key-file', open])).stderr, /readable by other users/)
})

test('an unreachable gateway fails with exit code 3', async () => {
  const port = await freePort()
  for (const words of [['prices'], ['watch', 'BTC']]) {
    const { code, stderr: errors } = await call([...words, '--url', `http://127.0.0.1:${port}`])
    assert.equal(code, 3, errors)
    assert.match(errors, /ECONNREFUSED/)
  }
})

test('watch prints one line per frame and ends by count, by Ctrl-C and when its output is closed', async () => {
  const { code, stdout: out } = await call(['watch', 'events', '--since', '0', '--count', '5', '--json'])
  const frames = out.trimEnd().split('\n').map((line) => JSON.parse(line) as { readonly channel: string; readonly seq: number; readonly prev: number })
  assert.deepEqual([code, frames.length], [0, 5])
  frames.forEach(({ channel, prev }, index) => assert.deepEqual([channel, prev], ['events', frames[index - 1]?.seq ?? 0]))

  const watching = startCommand(['watch', 'BTC', 'account', 'account.orders'], { environment })
  await watching.printed(/^ticker\.BTC {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\d+\.\d+$/m)
  const { order } = await json<Traded>('place', 'limit', 'BTC', 'long', '20', '--leverage', '2', '--trigger', '100')
  await watching.printed(new RegExp(`^account\\.events  #\\d+ .*order_placed  .*orderId ${order?.orderId}\\b`, 'm'))
  await watching.printed(new RegExp(`^account\\.orders  #\\d+  order  .*orderId ${order?.orderId}\\b`, 'm'))
  watching.child.kill('SIGINT')
  const ended = await watching.ended
  assert.deepEqual([ended.code, ended.stderr], [0, ''])

  const closed = startCommand(['watch', 'heartbeat', 'events', '--since', '0', '--json'], { environment })
  closed.child.stdout.once('data', () => closed.child.stdout.destroy())
  const afterClose = await closed.ended
  assert.deepEqual([afterClose.code, afterClose.stderr], [0, ''])

  const nowhere = await call(['watch', 'trades.SHIB'])
  assert.deepEqual([nowhere.code, nowhere.stderr.split('\n')[0]], [2, 'error: Channel trades.SHIB does not exist or belongs to another account.'])
})

test('watch reads several channels over one connection', async () => {
  const { events } = await json<{ readonly events: readonly { readonly seq: number }[] }>('events', '--topic', 'position_opened')
  const words = ['watch', 'account', 'heartbeat', 'events', '--since', String((events.at(-1)?.seq ?? 0) - 1), '--count', '10']
  const { code, stdout: out, stderr: errors } = await call(words)
  assert.deepEqual([code, errors], [0, ''])
  assert.ok(out.includes('position_opened') && out.includes('account.events') && out.trimEnd().split('\n').length === 10, out)
})

/** A proxy to the gateway that drops the responses to submissions. */
function startLossyProxy(onSubmit: () => void): Promise<HttpServer> {
  return serveHttp((incoming, outgoing) => {
    const upstream = forward(`${url}${incoming.url ?? ''}`, { method: incoming.method, headers: incoming.headers }, (response) => {
      if (incoming.url === '/v1/tx/submit') return onSubmit()
      outgoing.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(outgoing)
    })
    incoming.pipe(upstream)
  })
}

test('a trade with an unknown outcome prints its transaction, and finish completes it without trading twice', async () => {
  const submitted = Promise.withResolvers<void>()
  await using server = await startLossyProxy(submitted.resolve)
  const through = { ...environment, URL: server.url }
  const trading = startCommand(['place', 'market', 'BTC', 'long', '30', '--leverage', '2', '--json'], { environment: through })
  await submitted.promise
  trading.child.kill('SIGINT')
  const unknown = await trading.ended
  assert.deepEqual([unknown.code, errorOf(unknown)['kind']], [8, 'unknown_outcome'])
  const finished = await call(['finish', '--json'], { input: unknown.stderr })
  const { hash } = JSON.parse(finished.stdout) as Traded
  assert.equal(hash, (errorOf(unknown)['transaction'] as Traded).hash)
  const { positions } = await json<{ readonly positions: readonly { readonly positionId: number }[] }>('positions')
  assert.equal(positions.length, 1)
  assert.equal((await call(['close', String(positions[0]?.positionId)])).code, 0)
})

test('secrets are rejected on the command line and never printed', async () => {
  const [, key = ''] = readFileSync(keyFile, 'utf8').trim().split(':')
  for (const words of [['--secret', secret, 'orders'], ['orders', `--key=nk_1:${key}`], ['cancel', secret]]) assert.equal((await call(words)).code, 2)
  assert.ok(existsSync(keyFile) && key.length === 64)
  for (const text of allOutput) assert.ok(!text.includes(secret) && !text.includes(key), text)
})
