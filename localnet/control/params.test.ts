import assert from 'node:assert/strict'
import { test } from 'node:test'
import { I128_MAX, I128_MIN } from '../../src/base/fixed-point.ts'
import { RPC_CODES, RpcError } from '../rpc/rpc-error.ts'
import { ACCOUNT_OR_CONTRACT, AMOUNT, ASSET, BOOLEAN, optional, readParams, integerBetween } from './params.ts'
import { readArgs } from './typed-args.ts'

const ACCOUNT = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI'

function refusal(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    assert(error instanceof RpcError && error.code === RPC_CODES.invalidParams)
    return error.message
  }
  throw new Error('it was not refused')
}

test('reads valid fields; optional ones may be absent or null', () => {
  const fields = { asset: ASSET, price: AMOUNT, age: optional(integerBetween(0, 10)), on: optional(BOOLEAN), who: optional(ACCOUNT_OR_CONTRACT) }
  assert.deepEqual(readParams({ asset: 'BTC', price: '0', age: null, who: ACCOUNT }, fields), { asset: 'BTC', price: 0n, age: null, on: null, who: ACCOUNT })
  assert.equal(readParams({ asset: 'BTC', price: String(I128_MAX), age: 10, on: false }, fields).price, I128_MAX)
})

test('names every invalid field', () => {
  const fields = { asset: ASSET, price: AMOUNT, age: optional(integerBetween(0, 10)), on: optional(BOOLEAN), who: optional(ACCOUNT_OR_CONTRACT) }
  const message = refusal(() => readParams({ asset: 'btc', age: 1.5, on: 'true', who: 'GABC', extra: 1 }, fields))
  for (const name of ['asset must be', 'missing parameter price', 'age must be', 'on must be', 'who must be', 'unknown parameter extra']) {
    assert(message.includes(name), `${name}: ${message}`)
  }
  for (const price of [1, '-1', '1.5', '', String(I128_MAX + 1n), '0x1', ' 1']) {
    assert.match(refusal(() => readParams({ price }, { price: AMOUNT })), /^price must be/)
  }
  for (const age of [-1, 11, '5', true]) assert.match(refusal(() => readParams({ age }, { age: integerBetween(0, 10) })), /^age must be/)
})

test('typed arguments become contract values', () => {
  const args = readArgs([
    { type: 'u32', value: 30 },
    { type: 'i128', value: String(I128_MIN) },
    { type: 'u64', value: '18446744073709551615' },
    { type: 'bool', value: true },
    { type: 'symbol', value: 'BTC' },
    { type: 'string', value: 'a name' },
    { type: 'bytes', value: '00ff' },
    { type: 'address', value: ACCOUNT },
    { type: 'void' },
    { type: 'vec', value: [{ type: 'u32', value: 1 }] },
    { type: 'map', value: [[{ type: 'symbol', value: 'k' }, { type: 'u32', value: 1 }]] },
  ])
  assert.deepEqual(args.slice(0, 3), [{ type: 'u32', value: 30 }, { type: 'i128', value: I128_MIN }, { type: 'u64', value: 2n ** 64n - 1n }])
  assert.deepEqual(args[6], { type: 'bytes', value: new Uint8Array([0, 255]) })
  assert.deepEqual(args[10], { type: 'map', value: [[{ type: 'symbol', value: 'k' }, { type: 'u32', value: 1 }]] })
})

test('names an invalid argument by its index', () => {
  const nested = (depth: number): object => (depth === 0 ? { type: 'u32', value: 1 } : { type: 'vec', value: [nested(depth - 1)] })
  const wrong = [
    30, { value: 30 }, { type: 'u33', value: 30 }, { type: 'u32', value: '30' }, { type: 'u32', value: 4_294_967_296 }, { type: 'i128', value: 30 },
    { type: 'i128', value: String(I128_MAX + 1n) }, { type: 'u64', value: '-1' }, { type: 'symbol', value: 'a b' }, { type: 'bytes', value: 'abc' },
    { type: 'address', value: 'G' }, { type: 'vec', value: {} }, { type: 'map', value: [[{ type: 'u32', value: 1 }]] }, { type: 'u32', value: 1, also: 2 },
    { type: 'toString', value: '' }, nested(12),
  ]
  for (const arg of wrong) assert.match(refusal(() => readArgs([{ type: 'void' }, arg])), /^args\[1\]/, JSON.stringify(arg))
})
