import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { Address, StrKey, xdr } from '@stellar/stellar-sdk'
import type { ScArgument } from '../../chain/codec/scval.ts'
import { encodeScVal } from '../../chain/codec/scval.ts'
import { EVENT_CONTRACT_KEYS } from '../../exchange/contracts/contracts.ts'
import { eventShapes } from '../../exchange/event-shapes.ts'
import type { EventField, EventShape } from '../../exchange/events.ts'
import type { Generation } from '../../exchange/contracts/generations.ts'
import { countedTopic } from '../../projections/log/archived-event.ts'
import type { PayloadValue } from '../../projections/log/archived-event.ts'
import { decodeEvent, UNKNOWN_INTERFACE } from './decode.ts'

const ACCOUNT = StrKey.encodeEd25519PublicKey(new Uint8Array(32).fill(3))
const A_CONTRACT = StrKey.encodeContract(new Uint8Array(32).fill(4))
const VOID = 'AAAAAQ=='
const I128_MAX = 2n ** 127n - 1n

const symbol = (value: string): string => encodeScVal({ type: 'symbol', value })
const data = (...value: ScArgument[]): string => encodeScVal({ type: 'vec', value })

/** A value of the field's type at the end of its range, and how it is served. */
function sample([key, type]: EventField): { given: ScArgument; served: PayloadValue } {
  switch (type) {
    case 'address': return { given: { type: 'address', value: A_CONTRACT }, served: A_CONTRACT }
    case 'symbol': return { given: { type: 'symbol', value: 'BTC' }, served: 'BTC' }
    case 'string': return { given: { type: 'string', value: 'ÄB 1' }, served: 'ÄB 1' }
    case 'bool': return { given: { type: 'bool', value: true }, served: true }
    case 'addresses': return { given: { type: 'vec', value: [{ type: 'address', value: ACCOUNT }] }, served: [ACCOUNT] }
    case 'i128': return { given: { type: 'i128', value: -I128_MAX }, served: (-I128_MAX).toString() }
    case 'u64': return { given: { type: 'u64', value: 2n ** 64n - 1n }, served: (2n ** 64n - 1n).toString() }
    case 'idText': return { given: { type: 'u64', value: 2n ** 64n - 1n }, served: (2n ** 64n - 1n).toString() }
    case 'id': return { given: { type: 'u64', value: 2n ** 53n - 1n }, served: 2 ** 53 - 1 }
    case 'u32': return { given: { type: 'u32', value: key === 'direction' ? 1 : 4_294_967_295 }, served: key === 'direction' ? 1 : 4_294_967_295 }
  }
}

/** An event of this shape, and its payload. */
function eventOf(topic: string, shape: EventShape): { topics: string[]; value: string; payload: Record<string, PayloadValue> } {
  const second = shape.secondTopic === undefined ? [] : [shape.secondTopic]
  const values = shape.data.map(sample)
  const [first] = values
  const topics = [symbol(topic), ...second.map((field) => encodeScVal(sample(field).given))]
  const payload = Object.fromEntries([['topic', topic], ...[...second, ...shape.data].map((field) => [field[0], sample(field).served] as const)])
  if (first === undefined) return { topics, value: VOID, payload }
  return { topics, value: shape.bare === true ? encodeScVal(first.given) : data(...values.map(({ given }) => given)), payload }
}

for (const generation of ['1', '2.0', '2.3'] satisfies Generation[]) {
  test(`decodes every event of generation ${generation} by field name, without losing digits, also when the generation is unknown or another one`, () => {
    let decoded = 0
    for (const contract of EVENT_CONTRACT_KEYS) {
      for (const [topic, shape] of Object.entries(eventShapes(generation)[contract])) {
        const { topics, value, payload } = eventOf(topic, shape)
        for (const declared of [generation, null, generation === '1' ? '2.2' : '1'] as const) {
          const read = decodeEvent(contract, topics, value, { generation: declared, events: [], structs: [] })
          assert.deepEqual(read, { topic, payload, problem: null }, `${contract} ${topic} ${declared}`)
        }
        decoded += 1
      }
    }
    assert.ok(decoded > 40)
  })
}

const TRADER: ScArgument = { type: 'address', value: ACCOUNT }
const opened = (change: Readonly<Record<number, ScArgument>> = {}): string => {
  const tuple: ScArgument[] = [
    { type: 'u64', value: 1n }, TRADER, { type: 'symbol', value: 'BTC' }, { type: 'u32', value: 0 },
    { type: 'i128', value: 5n }, { type: 'i128', value: 6n },
  ]
  return data(...tuple.map((value, index) => change[index] ?? value))
}

test('decodes names of any bytes, escaped where they cannot be stored', () => {
  const names: readonly (readonly [bytes: readonly number[], served: string])[] = [
    [[0x61, 0, 0x62], 'a\\x00b'], [[0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'], [[0xff], '\\xff'], [[0x1b, 0x5b, 0x32, 0x4a], '\u001b[2J'],
  ]
  for (const [bytes, served] of names) {
    const value = xdr.ScVal.scvVec([Address.fromString(ACCOUNT).toScVal(), xdr.ScVal.scvString(Uint8Array.from(bytes))]).toXdr('base64')
    const created = decodeEvent('vaultFactory', [symbol('vault_created'), encodeScVal({ type: 'u32', value: 3 })], value, UNKNOWN_INTERFACE)
    assert.deepEqual(created, { topic: 'vault_created', payload: { topic: 'vault_created', vaultId: 3, leader: ACCOUNT, name: served }, problem: null })
    const code = decodeEvent('referral', [symbol('code_created')], value, UNKNOWN_INTERFACE)
    assert.deepEqual(code, { topic: 'code_created', payload: { topic: 'code_created', referrer: ACCOUNT, code: served }, problem: null })
  }
})

const ADDRESS = encodeScVal(TRADER)
const OTHER_ADDRESS = encodeScVal({ type: 'address', value: A_CONTRACT })
const ASSET_NAME = encodeScVal({ type: 'string', value: `USDC:${ACCOUNT}` })
const AMOUNT = encodeScVal({ type: 'i128', value: I128_MAX })

test('decodes the movements of the token, also to a muxed receiver', () => {
  const amount = I128_MAX.toString()
  const muxed = xdr.ScVal.scvMap([
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('amount'), val: xdr.ScVal.fromXdr(AMOUNT, 'base64') }),
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('to_muxed_id'), val: xdr.ScVal.scvU64(5n) }),
  ]).toXdr('base64')
  const movements: readonly (readonly [topic: string, parties: readonly string[], value: string, payload: object])[] = [
    ['transfer', [ADDRESS, OTHER_ADDRESS], AMOUNT, { from: ACCOUNT, to: A_CONTRACT }],
    ['transfer', [ADDRESS, OTHER_ADDRESS], muxed, { from: ACCOUNT, to: A_CONTRACT }],
    ['mint', [OTHER_ADDRESS], AMOUNT, { to: A_CONTRACT }],
    ['burn', [OTHER_ADDRESS], AMOUNT, { from: A_CONTRACT }],
    ['clawback', [OTHER_ADDRESS], AMOUNT, { from: A_CONTRACT }],
  ]
  for (const [topic, parties, value, payload] of movements) {
    const decoded = decodeEvent('usdcToken', [symbol(topic), ...parties, ASSET_NAME], value, UNKNOWN_INTERFACE)
    assert.deepEqual(decoded, { topic, payload: { topic, ...payload, amount }, problem: null })
  }
})

/** The value of an address with this type, an id and a contract. */
const addressValue = (type: number): string =>
  Buffer.from(`000000120000000${type}0020000000000001ab27b729d9cc4cb1c00960700446924159e9298d0f952aee3d55408b8e0b1b71`, 'hex').toString('base64')
const MUXED_CONTRACT = 'WCVSPNZJ3HGEZMOABFQHABCGSJAVT2JJRUHZKKXOHVKUBC4OBMNXCABAAAAAAAAAAGQOA'

/** An event with the values of other encodings as its data. */
const dataOf = (...values: readonly string[]): string =>
  Buffer.concat([Buffer.from(`000000100000000100000${String(values.length).padStart(3, '0')}`, 'hex'), ...values.map((each) => Buffer.from(each, 'base64'))])
    .toString('base64')

test('serves a muxed contract address as the contract emitted it, in topics and in data', () => {
  const value = dataOf(
    encodeScVal({ type: 'u64', value: 1n }), addressValue(5), symbol('BTC'), encodeScVal({ type: 'u32', value: 0 }),
    encodeScVal({ type: 'i128', value: 5n }), encodeScVal({ type: 'i128', value: 6n }),
  )
  const { payload, problem } = decodeEvent('market', [symbol('position_opened')], value, UNKNOWN_INTERFACE)
  assert.deepEqual([payload?.['trader'], problem], [MUXED_CONTRACT, null])
  const transfer = decodeEvent('usdcToken', [symbol('transfer'), ADDRESS, addressValue(5), ASSET_NAME], AMOUNT, UNKNOWN_INTERFACE)
  assert.deepEqual(transfer.payload, { topic: 'transfer', from: ACCOUNT, to: MUXED_CONTRACT, amount: I128_MAX.toString() })
})

test('an event with a form of a later protocol is newer, keeps its topic, and counts as unknown', () => {
  const cases: readonly (readonly [topics: readonly string[], value: string, problem: string])[] = [
    [[symbol('position_opened')], addressValue(6), 'newer than this gateway: address type 6'],
    [[symbol('position_opened'), addressValue(6)], VOID, 'newer than this gateway: address type 6'],
    [[symbol('position_opened')], dataOf('AAAAFwAAAAA='), 'newer than this gateway: value type 23'],
  ]
  for (const [topics, value, problem] of cases) {
    const decoded = decodeEvent('market', topics, value, UNKNOWN_INTERFACE)
    assert.deepEqual(decoded, { topic: 'position_opened', payload: null, problem })
    assert.equal(countedTopic({ ...decoded, contract: 'market' }), 'unknown')
  }
})

type Malformed = readonly [
  what: string, contract: 'market' | 'vault' | 'referral' | 'usdcToken', topics: readonly string[], value: string, topic: string, problem: RegExp,
]

const THREE_AMOUNTS = data(...Array.from({ length: 3 }, (): ScArgument => ({ type: 'i128', value: 1n })))
const OPENED = [symbol('position_opened')]

const MALFORMED: readonly Malformed[] = [
  ['an unknown topic', 'market', [symbol('margin_called')], opened(), 'margin_called', /^unknown topic$/],
  ['a topic of another contract', 'vault', OPENED, opened(), 'position_opened', /^unknown topic$/],
  ['a topic named like an object property', 'market', [symbol('constructor')], VOID, 'constructor', /^unknown topic$/],
  ['no topic', 'market', [], opened(), '', /^no topic$/],
  ['a topic that is not a symbol', 'market', [encodeScVal({ type: 'u32', value: 5 })], opened(), '', /^no topic$/],
  ['an extra topic', 'market', [symbol('position_opened'), symbol('BTC')], opened(), 'position_opened', /number of topics: 2$/],
  ['a missing topic', 'vault', [symbol('exposure_synced')], THREE_AMOUNTS, 'exposure_synced', /number of topics: 1$/],
  ['missing values', 'market', OPENED, data({ type: 'u64', value: 1n }), 'position_opened', /number of data values: 1$/],
  ['data for an event without data', 'market', [symbol('paused')], data(TRADER), 'paused', /type vec/],
  ['void for an event with data', 'market', OPENED, VOID, 'position_opened', /type void/],
  ['a bare value instead of a tuple', 'vault', [symbol('pnl_settled')], encodeScVal({ type: 'i128', value: 1n }), 'pnl_settled', /type i128/],
  ['a value of another type', 'market', OPENED, opened({ 4: { type: 'u64', value: 5n } }), 'position_opened', /size is not of type i128/],
  ['an id too large for a JSON number', 'market', OPENED, opened({ 0: { type: 'u64', value: 2n ** 53n } }), 'position_opened', /exceeds 2\^53/],
  ['an invalid direction', 'market', OPENED, opened({ 3: { type: 'u32', value: 2 } }), 'position_opened', /neither long/],
  ['an approval of the token', 'usdcToken', [symbol('approve'), ADDRESS, OTHER_ADDRESS, ASSET_NAME], AMOUNT, 'approve', /^unknown topic$/],
  ['a transfer without its receiver', 'usdcToken', [symbol('transfer'), ADDRESS, ASSET_NAME], AMOUNT, 'transfer', /number of topics: 3$/],
  ['a transfer of no amount', 'usdcToken', [symbol('transfer'), ADDRESS, OTHER_ADDRESS, ASSET_NAME], VOID, 'transfer', /amount is not of type i128/],
  ['malformed XDR', 'market', OPENED, 'AAAA', 'position_opened', /^malformed: not the XDR/],
  ['a topic with malformed XDR', 'market', ['!'], opened(), '', /^malformed: not the XDR/],
]

for (const [what, contract, topics, value, topic, problem] of MALFORMED) {
  test(`returns a problem and no payload for ${what}`, () => {
    const decoded = decodeEvent(contract, topics, value, UNKNOWN_INTERFACE)
    assert.equal(decoded.payload, null)
    assert.equal(decoded.topic, topic)
    assert.match(decoded.problem ?? '', problem)
  })
}
