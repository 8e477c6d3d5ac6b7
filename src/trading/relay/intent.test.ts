// What a transaction calls, in words: the names of the arguments are those that the deployed contract declares.

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { deploymentOf } from '../../../test/support/deployments.ts'
import { testContracts } from '../../../test/index/history.ts'
import type { ScValue } from '../../chain/codec/scval.ts'
import type { ContractSpec } from '../../exchange/contracts/contract-spec.ts'
import type { Deployment } from '../../exchange/deployment.ts'
import { describeIntent } from './intent.ts'

const contracts = testContracts(1)
const ARGS: readonly ScValue[] = [{ type: 'address', value: contracts.router }, { type: 'u64', value: 7n }]
const CALL = { contract: contracts.market, functionName: 'close_position', args: ARGS }

/** The market declares these parameters of `close_position`. */
function declaring(...names: readonly string[]): Deployment {
  const inputs = names.map((name) => ({ name, type: 'u64' }))
  const spec = { functions: [{ name: 'close_position', inputs, output: 'void' }] } as unknown as ContractSpec
  const deployment = deploymentOf(contracts)
  return { ...deployment, interfaces: { ...deployment.interfaces, market: { spec } } as unknown as Deployment['interfaces'] }
}

const namesOf = (deployment: Deployment, contract = contracts.market): readonly string[] =>
  Object.keys(describeIntent({ ...CALL, contract }, deployment).args)

test('arguments have the names of the deployed contract', () => {
  assert.deepEqual(namesOf(declaring('owner', 'position')), ['owner', 'position'])
})

test('without a declaration that fits the call, they have the names of the known operation; of another contract, their positions', () => {
  const known = namesOf(deploymentOf(contracts))
  assert.deepEqual(known, ['trader', 'position_id'])
  assert.deepEqual(namesOf(declaring('one', 'two', 'three')), known)
  assert.deepEqual(namesOf(declaring('owner', 'position'), testContracts(2).market), ['arg0', 'arg1'])
})
