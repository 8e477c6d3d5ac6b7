// Malformed bodies and forged cursors: the running program rejects each one, and none of them is an error of the program.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { forEachConcurrently, startAttacked } from './attack.ts'
import type { Attacked } from './attack.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { createWallet } from '../support/keys.ts'
import { nextPage } from '../support/pagination.ts'
import { until } from '../support/until.ts'

let attacked: Attacked
let keys: readonly IssuedKey[]
before(async () => {
  attacked = await startAttacked()
  keys = await Promise.all(Array.from({ length: 8 }, (_, index) => attacked.obtainKey(createWallet(`body ${index}`))))
})
after(() => attacked[Symbol.asyncDispose]())

const ADDRESS = createWallet('body 0').publicKey()
const AMOUNT = '1000000000'
const OPEN = { asset: 'BTC', collateral: AMOUNT, leverage: 5, direction: 'Long' }
const TRIGGER = { triggerPrice: AMOUNT, triggerCondition: 'Above', slippageToleranceBps: 50 }
const STOP = { positionId: 7, triggerPrice: AMOUNT, slippageToleranceBps: 50 }

/** Valid bodies by endpoint. Each of their fields is replaced by each of the values below. */
const BODIES: Readonly<Record<string, readonly object[]>> = {
  '/v1/keys/challenge': [{ address: ADDRESS }],
  '/v1/keys': [{ address: ADDRESS, challenge: 'ab'.repeat(32), signature: 'AAAA', label: 'x' }],
  '/v1/tx/submit': [{ signedXdr: 'AAAA', pollTimeoutMs: 0 }],
  '/v1/orders/prepare': [
    { op: 'open_position', ...OPEN }, { op: 'open_position_cross', ...OPEN }, { op: 'close_position', positionId: 7 },
    { op: 'close_position_cross', positionId: 7 }, { op: 'place_limit_order', ...OPEN, ...TRIGGER },
    { op: 'place_stop_limit_order', ...OPEN, ...TRIGGER, limitPrice: AMOUNT },
    { op: 'place_trailing_stop', positionId: 7, trailingPercentBps: 500, slippageToleranceBps: 50 },
    { op: 'set_stop_loss', ...STOP }, { op: 'set_take_profit', ...STOP }, { op: 'cancel_order', orderId: 9 },
  ],
  '/v1/actions/prepare': [
    { op: 'deposit_cross_margin', amount: AMOUNT }, { op: 'withdraw_cross_margin', amount: AMOUNT }, { op: 'deposit_liquidity', amount: AMOUNT },
    { op: 'approve_liquidity_withdrawal', lpAmount: AMOUNT, expirationLedger: 9 }, { op: 'withdraw_liquidity', lpAmount: AMOUNT },
    { op: 'create_vault', name: 'A' }, { op: 'deposit_vault', vaultId: 1, amount: AMOUNT }, { op: 'withdraw_vault', vaultId: 1, shares: AMOUNT },
    { op: 'leader_open_position', vaultId: 1, ...OPEN }, { op: 'leader_close_position', vaultId: 1, positionId: 7 },
    { op: 'leader_place_limit_order', vaultId: 1, ...OPEN, ...TRIGGER }, { op: 'leader_cancel_order', vaultId: 1, orderId: 9 },
    { op: 'claim_leader_fees', vaultId: 1 }, { op: 'set_vault_paused', vaultId: 1, paused: true }, { op: 'create_referral_code', code: 'ABC' },
    { op: 'set_referrer', code: 'ABC' }, { op: 'claim_referral' }, { op: 'transfer_usdc', destination: ADDRESS, amount: AMOUNT },
  ],
}

/** Valid bodies of what only contracts of generation 2 have. */
const LATER_BODIES: Readonly<Record<string, readonly object[]>> = {
  '/v1/orders/prepare': [
    { op: 'open_position', ...OPEN, slippageBps: 50 }, { op: 'open_position_cross', ...OPEN, acceptablePrice: AMOUNT },
    { op: 'close_position', positionId: 7, acceptablePrice: AMOUNT }, { op: 'close_position_cross', positionId: 7, slippageBps: 50 },
    { op: 'place_limit_order', ...OPEN, ...TRIGGER, timeInForce: 1, reduceOnly: true }, { op: 'set_take_profit', ...STOP, limitPrice: AMOUNT },
  ],
  '/v1/actions/prepare': [
    { op: 'close_position_partial', positionId: 7, closeSize: AMOUNT }, { op: 'add_collateral', positionId: 7, amount: AMOUNT },
    { op: 'remove_collateral', positionId: 7, amount: AMOUNT }, { op: 'claim_shortfall' }, { op: 'deposit_liquidity', amount: AMOUNT, minOut: AMOUNT },
    { op: 'withdraw_vault', vaultId: 1, shares: AMOUNT, minOut: AMOUNT },
    { op: 'leader_place_stop_limit', vaultId: 1, ...OPEN, ...TRIGGER, limitPrice: AMOUNT }, { op: 'leader_set_stop_loss', vaultId: 1, ...STOP },
    { op: 'leader_set_take_profit', vaultId: 1, ...STOP, limitPrice: AMOUNT },
    { op: 'leader_place_trailing_stop', vaultId: 1, positionId: 7, trailingPercentBps: 500, slippageToleranceBps: 50 },
  ],
}

/** JSON values that no field accepts. */
const VALUES = [
  '{}', '[]', '[null]', '{"__proto__":{"polluted":1}}', '-1', '1.5', '1e999', '1e308', '99999999999999999999999999999999999999999', '"\\u0000"',
  '"\\ud800"', `"${'A'.repeat(2_000)}"`, `"${'9'.repeat(400)}"`,
]

/** Texts that are not the JSON object an endpoint expects. */
const TEXTS = [
  '', ' ', '{', '}', '[', '[]', '[{}]', 'null', 'true', '0', '"x"', '{}', '{"a":1}', '{"address":}', '{"address":"x",}', "{'op':'x'}", '{"op":"x"}{"op":"y"}',
  '\u0000', 'NaN', '{"op":"__proto__"}', '{"__proto__":{"op":"cancel_order"}}', '['.repeat(20_000), `{"op":"${'x'.repeat(300_000)}"}`,
]
const TYPES = ['application/json', 'application/json; charset=utf-8', 'text/plain']

interface Case {
  readonly path: string
  readonly body: string
  readonly contentType: string
}

function replaceField(body: object, field: string, value: string): string {
  return `{${Object.entries(body).map(([name, old]) => `${JSON.stringify(name)}:${name === field ? value : JSON.stringify(old)}`).join(',')}}`
}

/** Each of the bodies with each of its fields replaced, but for those of `known`. */
function malformedOf(path: string, bodies: readonly object[], known: object = {}): Case[] {
  return bodies.flatMap((body) => Object.keys(body).filter((field) => !(field in known)).flatMap((field) =>
    VALUES.map((value) => ({ path, body: replaceField(body, field, value), contentType: 'application/json' }))))
}

const MALFORMED: readonly Case[] = Object.entries(BODIES).flatMap(([path, bodies]): Case[] => [
  ...malformedOf(path, bodies), ...TEXTS.flatMap((body) => TYPES.map((contentType) => ({ path, body, contentType }))),
])
const LATER_MALFORMED: readonly Case[] = Object.entries(LATER_BODIES).flatMap(([path, bodies]) => malformedOf(path, bodies, { op: '', ...OPEN }))

async function assertRejected(target: Attacked, cases: readonly Case[], keyring: readonly IssuedKey[]): Promise<void> {
  const wrong: unknown[] = []
  await forEachConcurrently(cases, async ({ path, body, contentType }, index) => {
    const key = path.startsWith('/v1/keys') ? undefined : keyring[index % keyring.length]
    const { status, text } = await target.call(path, { body, contentType, ...(key === undefined ? {} : { key }) })
    const isRejected = status >= 400 && status < 500 && status !== 429
    if (!isRejected || typeof JSON.parse(text) !== 'object') wrong.push([path, body.slice(0, 200), contentType, status, text.slice(0, 200)])
  })
  assert.deepEqual(wrong, [])
  await target.assertUnharmed()
}

/** Unchanged, bodies of the prepare endpoints reach the simulation: each of the replaced fields would have been valid. */
async function assertWellFormed(target: Attacked, bodies: typeof BODIES, key: IssuedKey | undefined): Promise<void> {
  const cases = Object.entries(bodies).filter(([path]) => path.endsWith('/prepare')).flatMap(([path, list]) => list.map((body) => ({ path, body })))
  const others: unknown[] = []
  await forEachConcurrently(cases, async ({ path, body }) => {
    const { text } = await target.call(path, { body, ...(key === undefined ? {} : { key }) })
    const { error } = JSON.parse(text) as { readonly error?: string }
    // The wallet has no account on the network.
    if (error !== 'simulation_failed') others.push([body, text])
  })
  assert.deepEqual(others, [])
}

test('1,710 malformed bodies are rejected', async () => {
  assert.equal(MALFORMED.length, 1_710)
  await assertWellFormed(attacked, BODIES, keys[0])
  await assertRejected(attacked, MALFORMED, keys)
})

test('572 malformed bodies of what only generation 2 has are rejected', async () => {
  assert.equal(LATER_MALFORMED.length, 572)
  await using later = await startAttacked({ LOCAL_GENERATION: '2' })
  const laterKeys = await Promise.all(Array.from({ length: 4 }, (_, index) => later.obtainKey(createWallet(`body ${index}`))))
  await assertWellFormed(later, LATER_BODIES, laterKeys[0])
  await assertRejected(later, LATER_MALFORMED, laterKeys)
})

const LISTS = ['/v1/events', '/v1/trades', '/v1/leaderboard', '/v1/positions/open', '/v1/vaults', '/v1/candles?asset=BTC&interval=1m', '/v1/pool/history']

const DIGEST_LENGTH = 6

/** A cursor with a valid digest, as anyone can compute it. */
function signCursor(content: string): string {
  const packed = Buffer.from(content, 'utf8').toString('base64url')
  return packed + hash('sha256', packed, 'base64url').slice(0, DIGEST_LENGTH)
}

/** Cursors that no list issued, from one that the list of events issued. `kind` is the name of that list. */
const FORGERIES: readonly ((genuine: string, kind: string) => string)[] = [
  () => '', () => ' ', () => '0', () => 'A'.repeat(8_000), () => '../../etc/passwd', () => "' or 1=1 --", () => '\u0000', () => '%zz', () => '🙂',
  (genuine) => genuine.slice(1), (genuine) => genuine.slice(0, -1), (genuine) => `${genuine}A`, (genuine) => genuine.toUpperCase(),
  (genuine) => genuine.slice(DIGEST_LENGTH), (genuine) => Array.from(genuine).reverse().join(''),
  () => signCursor('null'), () => signCursor('{'), (_genuine, kind) => signCursor(JSON.stringify([kind])),
  (_genuine, kind) => signCursor(JSON.stringify([kind, 1, 2, 3])), (_genuine, kind) => signCursor(JSON.stringify([kind, { $gt: 0 }])),
  (_genuine, kind) => signCursor(JSON.stringify([kind, "1'; drop schema idx cascade; --"])), (_genuine, kind) => signCursor(`["${kind}",1e300]`),
]

test('154 forged cursors are rejected', async () => {
  assert.equal(LISTS.length * FORGERIES.length, 154)
  let genuine = ''
  await until(async () => {
    const page = await attacked.call('/v1/events?limit=1')
    genuine = new URL(nextPage(page.headers.get('link') ?? undefined) ?? '/', attacked.url).searchParams.get('cursor') ?? ''
    return genuine !== ''
  }, 'two events')
  const [kind] = JSON.parse(Buffer.from(genuine.slice(0, -DIGEST_LENGTH), 'base64url').toString('utf8')) as [string]
  const cases = LISTS.flatMap((list) => FORGERIES.map((forge) => ({ list, cursor: forge(genuine, kind) })))
  const wrong: unknown[] = []
  await forEachConcurrently(cases, async ({ list, cursor }) => {
    const { status, text } = await attacked.call(`${list}${list.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`)
    if (status !== 400) wrong.push([list, cursor.slice(0, 100), status, text.slice(0, 200)])
  })
  assert.deepEqual(wrong, [])
  for (const list of LISTS.slice(1)) {
    const { status } = await attacked.call(`${list}${list.includes('?') ? '&' : '?'}cursor=${genuine}`)
    assert.equal(status, 400, `${list} accepts a cursor of another list`)
  }
  assert.equal((await attacked.call(`/v1/events?cursor=${genuine}`)).status, 200)
  await attacked.assertUnharmed()
})
