import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContractCode, EntryPoint, Val } from '../../shared/host.ts'
import { address, i128, u64 } from '../../shared/host.ts'
import { ALICE, E7, MARKET, VAULT } from '../../../test/contracts/generation-1/test-exchange.ts'
import { createTestHost, serialize } from '../../../test/contracts/test-host.ts'
import { closeArgs, contractsOf, createTestExchange, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'

/** The code with each access to its persistent entries recorded in `accesses`, as `<contract> <key>`, with `w` for a write. */
function recording(name: string, code: ContractCode, accesses: Set<string>): ContractCode {
  const record = (kind: string, durability: string, key: Val): void => {
    if (durability === 'persistent') accesses.add(`${name} ${serialize(key)} ${kind}`)
  }
  const wrap = (entry: EntryPoint): EntryPoint => ({
    ...entry,
    run: (env, args) => entry.run({
      ...env,
      get(durability, key) {
        record('', durability, key)
        return env.get(durability, key)
      },
      set(durability, key, value) {
        record('w', durability, key)
        env.set(durability, key, value)
      },
    }, args),
  })
  return { ...code, entryPoints: Object.fromEntries(Object.entries(code.entryPoints).map(([entryName, entry]) => [entryName, wrap(entry)])) }
}

type Prepare = (exchange: TestExchange) => readonly [functionName: string, args: readonly Val[]]

/** Returns what market and vault access in a call at this price. */
function accessesAt(price: bigint, prepare: Prepare): readonly string[] {
  const accesses = new Set<string>()
  const contracts = contractsOf('2.3')
  const wrapped = [MARKET, VAULT].map((name) => [name, recording(name, contracts[name] ?? assert.fail(name), accesses)] as const)
  const exchange = createTestExchange({}, createTestHost({ ...contracts, ...Object.fromEntries(wrapped) }))
  const [functionName, args] = prepare(exchange)
  exchange.setPrice('BTC', price)
  accesses.clear()
  exchange.invokeOk(functionName, args)
  return [...accesses].sort()
}

for (const [name, prepare] of [
  ['close_position', (exchange) => ['close_position', closeArgs(ALICE, exchange.open(ALICE))]],
  ['close_position_partial', (exchange) => ['close_position_partial', [address(ALICE), u64(exchange.open(ALICE)), i128(500n * E7)]]],
  ['close_position_cross', (exchange) => ['close_position_cross', closeArgs(ALICE, exchange.open(ALICE, {}, 'open_position_cross'))]],
] as const satisfies readonly (readonly [string, Prepare])[]) {
  test(`${name} accesses the same entries for a profit and for a loss`, () => {
    assert.deepEqual(accessesAt(50_100n * E7, prepare), accessesAt(49_900n * E7, prepare))
  })
}
