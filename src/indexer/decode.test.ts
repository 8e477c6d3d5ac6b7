import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { StrKey } from '@stellar/stellar-sdk'
import type { ScArgument } from '../chain/scval.ts'
import { encodeScVal } from '../chain/scval.ts'
import { EVENT_CONTRACT_KEYS } from '../exchange/contracts.ts'
import type { EventField } from '../exchange/events.ts'
import { EVENT_SHAPES } from '../exchange/events.ts'
import { decodeEvent } from './decode.ts'

const SOMEONE = StrKey.encodeEd25519PublicKey(new Uint8Array(32).fill(3))
const A_CONTRACT = StrKey.encodeContract(new Uint8Array(32).fill(4))
const VOID = 'AAAAAQ=='
const I128_MAX = 2n ** 127n - 1n

const symbol = (value: string): string => encodeScVal({ type: 'symbol', value })
const data = (...value: ScArgument[]): string => encodeScVal({ type: 'vec', value })

/** A value of the field's type at the edge of its range, and what it is served as. */
function sample([key, type]: EventField): { given: ScArgument; served: string | number } {
  switch (type) {
    case 'address': return { given: { type: 'address', value: A_CONTRACT }, served: A_CONTRACT }
    case 'symbol': return { given: { type: 'symbol', value: 'BTC' }, served: 'BTC' }
    case 'string': return { given: { type: 'string', value: 'ÄB 1' }, served: 'ÄB 1' }
    case 'i128': return { given: { type: 'i128', value: -I128_MAX }, served: (-I128_MAX).toString() }
    case 'u64': return { given: { type: 'u64', value: 2n ** 64n - 1n }, served: (2n ** 64n - 1n).toString() }
    case 'idText': return { given: { type: 'u64', value: 2n ** 64n - 1n }, served: (2n ** 64n - 1n).toString() }
    case 'id': return { given: { type: 'u64', value: 2n ** 53n - 1n }, served: 2 ** 53 - 1 }
    case 'u32': return { given: { type: 'u32', value: key === 'direction' ? 1 : 4_294_967_295 }, served: key === 'direction' ? 1 : 4_294_967_295 }
  }
}

test('every event of every contract is decoded by name, to the last digit', () => {
  let decoded = 0
  for (const contract of EVENT_CONTRACT_KEYS) {
    for (const [topic, shape] of Object.entries(EVENT_SHAPES[contract])) {
      const second = shape.secondTopic === undefined ? [] : [sample(shape.secondTopic)]
      const values = shape.data.map(sample)
      const topics = [symbol(topic), ...second.map(({ given }) => encodeScVal(given))]
      const fields = [...(shape.secondTopic === undefined ? [] : [shape.secondTopic]), ...shape.data]
      const payload = Object.fromEntries([['topic', topic], ...[...second, ...values].map(({ served }, place) => [fields[place]?.[0], served])])
      const valueXdr = values.length === 0 ? VOID : data(...values.map(({ given }) => given))
      assert.deepEqual(decodeEvent(contract, topics, valueXdr), { topic, payload, problem: null }, `${contract} ${topic}`)
      decoded += 1
    }
  }
  assert.ok(decoded > 40)
})

const TRADER: ScArgument = { type: 'address', value: SOMEONE }
const opened = (change: Readonly<Record<number, ScArgument>> = {}): string => {
  const tuple: ScArgument[] = [
    { type: 'u64', value: 1n }, TRADER, { type: 'symbol', value: 'BTC' }, { type: 'u32', value: 0 },
    { type: 'i128', value: 5n }, { type: 'i128', value: 6n },
  ]
  return data(...tuple.map((value, place) => change[place] ?? value))
}

type Misfit = readonly [what: string, contract: 'market' | 'vault' | 'referral', topics: readonly string[], value: string, topic: string, problem: RegExp]

const THREE_AMOUNTS = data(...Array.from({ length: 3 }, (): ScArgument => ({ type: 'i128', value: 1n })))
const OPENED = [symbol('position_opened')]

const MISFITS: readonly Misfit[] = [
  ['a topic that nobody knows', 'market', [symbol('margin_called')], opened(), 'margin_called', /^unknown topic$/],
  ['a topic of another contract', 'vault', OPENED, opened(), 'position_opened', /^unknown topic$/],
  ['a topic named like what every object has', 'market', [symbol('constructor')], VOID, 'constructor', /^unknown topic$/],
  ['no topic', 'market', [], opened(), '', /^no topic$/],
  ['a topic that is no symbol', 'market', [encodeScVal({ type: 'u32', value: 5 })], opened(), '', /^no topic$/],
  ['a topic too many', 'market', [symbol('position_opened'), symbol('BTC')], opened(), 'position_opened', /2 topics/],
  ['a topic too few', 'vault', [symbol('exposure_synced')], THREE_AMOUNTS, 'exposure_synced', /1 topics/],
  ['a value too few', 'market', OPENED, data({ type: 'u64', value: 1n }), 'position_opened', /1 values/],
  ['data instead of none', 'market', [symbol('paused')], data(TRADER), 'paused', /type vec/],
  ['no data instead of some', 'market', OPENED, VOID, 'position_opened', /type void/],
  ['a bare value instead of a tuple', 'vault', [symbol('pnl_settled')], encodeScVal({ type: 'i128', value: 1n }), 'pnl_settled', /type i128/],
  ['another type', 'market', OPENED, opened({ 4: { type: 'u64', value: 5n } }), 'position_opened', /size is not of type i128/],
  ['an id beyond what a JSON number holds', 'market', OPENED, opened({ 0: { type: 'u64', value: 2n ** 53n } }), 'position_opened', /beyond 2\^53/],
  ['a direction that is none', 'market', OPENED, opened({ 3: { type: 'u32', value: 2 } }), 'position_opened', /neither long nor short/],
  ['a text that no database stores', 'referral', [symbol('code_created')], data(TRADER, { type: 'string', value: 'a\0b' }), 'code_created', /zero byte/],
  ['XDR that is none', 'market', OPENED, 'AAAA', 'position_opened', /not the XDR/],
  ['a topic that is no XDR', 'market', ['!'], opened(), '', /not the XDR/],
]

for (const [what, contract, topics, value, topic, problem] of MISFITS) {
  test(`${what}: no payload, and the reason`, () => {
    const decoded = decodeEvent(contract, topics, value)
    assert.equal(decoded.payload, null)
    assert.equal(decoded.topic, topic)
    assert.match(decoded.problem ?? '', problem)
  })
}
