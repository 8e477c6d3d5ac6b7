// The ten operations, copied by hand: the specified fields, and the arguments of the market's function in each generation.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallArgument } from '../../src/exchange/contracts/call-arguments.ts'
import { findForm, findUnsupportedField, typesOf } from '../../src/exchange/contracts/call-forms.ts'
import { GENERATIONS, requiredSignatures } from '../../src/exchange/contracts/generations.ts'
import { OPERATION_NAMES, operationDefinition, operationFields } from '../../src/exchange/operations.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { callOf } from '../support/calls.ts'

const TRADER = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'

/** A request of each operation and the expected arguments as `type value`, in the function's order. */
const CALLS: readonly (readonly [body: OperationRequest, args: string])[] = [
  [{ op: 'open_position', asset: 'BTC', collateral: '100000000', leverage: 5, direction: 'Long' }, 'symbol BTC, i128 100000000, u32 5, u32 0'],
  [{ op: 'open_position_cross', asset: 'HYPE', collateral: '250000000', leverage: 10, direction: 'Short' }, 'symbol HYPE, i128 250000000, u32 10, u32 1'],
  [{ op: 'close_position', positionId: 42 }, 'u64 42'],
  [{ op: 'close_position_cross', positionId: '18446744073709551615' }, 'u64 18446744073709551615'],
  [
    {
      op: 'place_limit_order', asset: 'ETH', direction: 'Short', collateral: '1', leverage: 2, triggerPrice: '30', triggerCondition: 'Above',
      slippageToleranceBps: 50,
    },
    'symbol ETH, u32 1, i128 1, u32 2, i128 30, bool true, u32 50, u32 0',
  ],
  [
    {
      op: 'place_stop_limit_order', asset: 'ETH', direction: 'Long', collateral: '1', leverage: 2, triggerPrice: '30', limitPrice: '31',
      triggerCondition: 'Below', slippageToleranceBps: 10_000,
    },
    'symbol ETH, u32 0, i128 1, u32 2, i128 30, i128 31, bool false, u32 10000, u32 0',
  ],
  [{ op: 'place_trailing_stop', positionId: 7, trailingPercentBps: 500, slippageToleranceBps: 100 }, 'u64 7, u32 500, u32 100'],
  [{ op: 'set_stop_loss', positionId: '0007', triggerPrice: '900', slippageToleranceBps: 100 }, 'u64 7, i128 900, u32 100'],
  [{ op: 'set_take_profit', positionId: 7, triggerPrice: '1100', slippageToleranceBps: 0 }, 'u64 7, i128 1100, u32 0, i128 0'],
  [{ op: 'cancel_order', orderId: 9 }, 'u64 9'],
]

const CONTRACTS = { vault: 'the vault' }
const format = (argument: CallArgument): string => `${argument.type} ${String(argument.value)}`
const argsOf = (body: OperationRequest, generation: (typeof GENERATIONS)[number] = '1'): string =>
  callOf(body, TRADER, { contracts: CONTRACTS, generation }).args.map(format).join(', ')

test('there are exactly ten operations', () => {
  assert.deepEqual([...OPERATION_NAMES].sort(), CALLS.map(([{ op }]) => op).sort())
  assert.equal(OPERATION_NAMES.length, 10)
})

for (const [body, args] of CALLS) {
  test(`${body.op} has the specified fields, and the trader is the contract's first argument`, () => {
    assert.deepEqual([...operationFields(body.op).required].sort(), Object.keys(body).filter((field) => field !== 'op').sort())
    const call = callOf(body, TRADER, { contracts: CONTRACTS })
    assert.deepEqual([call.contract, call.functionName], ['market', body.op])
    assert.equal(argsOf(body), `address ${TRADER}, ${args}`)
  })
}

test('opens and closes take an acceptable price from generation 2 on; all else stays', () => {
  const bounded = new Set<string>(['open_position', 'open_position_cross', 'close_position', 'close_position_cross'])
  for (const [body, args] of CALLS) {
    for (const generation of GENERATIONS.slice(1)) {
      assert.equal(argsOf(body, generation), `address ${TRADER}, ${args}${bounded.has(body.op) ? ', i128 0' : ''}`, `${body.op} ${generation}`)
    }
    if (bounded.has(body.op)) assert.match(argsOf({ ...body, acceptablePrice: '123' } as OperationRequest, '2.0'), /, i128 123$/)
  }
})

test('time in force and reduce-only are one number, and a take-profit has a limit price, in every generation', () => {
  const [, , , , limit, stopLimit, , , takeProfit] = CALLS.map(([body]) => body)
  assert.ok(limit !== undefined && stopLimit !== undefined && takeProfit !== undefined)
  for (const generation of GENERATIONS) {
    for (const body of [limit, stopLimit]) {
      const last = (extra: object): string | undefined => argsOf({ ...body, ...extra }, generation).split(', ').at(-1)
      assert.deepEqual(
        [last({}), last({ timeInForce: 1 }), last({ timeInForce: 2 }), last({ reduceOnly: true }), last({ timeInForce: 2, reduceOnly: true })],
        ['u32 0', 'u32 1', 'u32 2', 'u32 256', 'u32 258'],
      )
    }
    assert.match(argsOf({ ...takeProfit, limitPrice: '1090' } as OperationRequest, generation), /, i128 1090$/)
  }
})

test('reports the field that the deployed contract lacks, unless it has its default', () => {
  const definition = operationDefinition('open_position')
  const form = findForm(definition, { generation: '1', accepts: null })
  assert.ok(form !== undefined)
  const found = [{}, { acceptablePrice: '0' }, { acceptablePrice: '000' }, { acceptablePrice: '1' }]
    .map((fields) => findUnsupportedField(definition, form, fields))
  assert.deepEqual(found, [undefined, undefined, undefined, 'acceptablePrice'])
  assert.equal(findUnsupportedField(definition, form, { slippageBps: 1 }), 'slippageBps')
})

test('a known interface decides, whatever the generation', () => {
  const open = (types: string) => findForm(operationDefinition('open_position'), { generation: '1', accepts: (_name, wanted) => wanted.join() === types })
  assert.equal(open('address,symbol,i128,u32,u32,i128')?.since, '2.0')
  assert.equal(open('address,symbol,i128,u32,u32')?.since, '1')
  assert.equal(open('address,symbol,i128,u32,u32,i128,u64'), undefined)
})

test('an amount reaches the contract without loss of precision', () => {
  const largest = (2n ** 127n - 1n).toString()
  const { args } = callOf({ op: 'open_position', asset: 'BTC', collateral: largest, leverage: 1, direction: 'Long' }, TRADER, { contracts: CONTRACTS })
  assert.deepEqual(args[2], { type: 'i128', value: 2n ** 127n - 1n })
})

test('the forms are the signatures that the gateway requires of each generation', () => {
  for (const op of OPERATION_NAMES) {
    for (const generation of GENERATIONS) {
      const form = findForm(operationDefinition(op), { generation, accepts: null })
      assert.deepEqual(form === undefined ? undefined : typesOf(form), requiredSignatures('market', generation)[op], `${op} ${generation}`)
    }
  }
})
