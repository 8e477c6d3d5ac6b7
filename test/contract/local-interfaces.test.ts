// The gateway recognises the interface of every build of the local network's contracts, and understands all of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build, buildsOf, CONTRACT_KINDS } from '../../localnet/contracts/builds.ts'
import { wasmModuleOf } from '../../localnet/ledger/wasm-spec.ts'
import { parseContractSpec } from '../../src/chain/codec/contract-spec.ts'
import { composeInterfaces } from '../../src/exchange/contracts/contract-interface.ts'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'

const CONTRACTS = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, key])) as ContractAddresses

for (const kind of CONTRACT_KINDS) {
  // The gateway never calls the source of prices.
  if (kind === 'oracle') continue
  for (const name of buildsOf(kind)) {
    test(`recognises build ${name} of ${kind} and understands it`, () => {
      const { wasm, hash } = wasmModuleOf(build(kind, name))
      const code = { wasmHash: hash, sinceLedger: 1, spec: parseContractSpec(wasm), problem: null }
      const found = composeInterfaces(CONTRACTS, new Map([[kind, code]]), name)[kind]
      assert.equal(found?.generation, name)
      assert.deepEqual(found.notUnderstood, [])
    })
  }
}
