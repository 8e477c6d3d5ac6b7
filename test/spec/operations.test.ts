// The ten operations, copied by hand: the specified fields, and the arguments of the market's function.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallArgument } from '../../src/exchange/call-arguments.ts'
import { OPERATION_NAMES, operationCall, operationFields } from '../../src/exchange/operations.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'

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

const format = (argument: CallArgument): string => `${argument.type} ${String(argument.value)}`

test('there are exactly ten operations', () => {
  assert.deepEqual([...OPERATION_NAMES].sort(), CALLS.map(([{ op }]) => op).sort())
  assert.equal(OPERATION_NAMES.length, 10)
})

for (const [body, args] of CALLS) {
  test(`${body.op} has the specified fields, and the trader is the contract's first argument`, () => {
    assert.deepEqual([...operationFields(body.op)].sort(), Object.keys(body).filter((field) => field !== 'op').sort())
    const call = operationCall(body, TRADER)
    assert.equal(call.functionName, body.op)
    assert.equal(call.args.map(format).join(', '), `address ${TRADER}, ${args}`)
  })
}

test('an amount reaches the contract without loss of precision', () => {
  const largest = (2n ** 127n - 1n).toString()
  const { args } = operationCall({ op: 'open_position', asset: 'BTC', collateral: largest, leverage: 1, direction: 'Long' }, TRADER)
  assert.deepEqual(args[2], { type: 'i128', value: 2n ** 127n - 1n })
})
