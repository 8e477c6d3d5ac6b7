// local_upgrade: upgrades a contract in place to another of its builds.

import { build, BUILD_NAMES, buildsOf } from '../contracts/builds.ts'
import type { BuildName, ContractKind } from '../contracts/builds.ts'
import { bytes } from '../contracts/shared/host.ts'
import { applyInvocation } from '../controls.ts'
import type { Controls } from '../controls.ts'
import { wasmModuleOf } from '../ledger/wasm-spec.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import { contractNamed } from './admin.ts'
import { oneOf, readParams, TEXT } from './params.ts'

/** local_upgrade: the admin calls the contract's own `upgrade` with the hash of a build. */
export function localUpgrade(controls: Controls): ExtraMethod {
  const { admin, chain, lock } = controls
  return (params) =>
    lock.run(async () => {
      const { contract: nameOrAddress, build: name } = readParams(params, { contract: TEXT, build: oneOf(BUILD_NAMES) })
      const { deployment } = controls
      const kind = contractNamed(deployment, nameOrAddress)
      if (kind === 'usdcToken' || kind === 'lpToken') throw invalidParams(`${kind} is an asset contract of the network and has no builds`)
      const contract = deployment[kind]
      requireUpgradable(controls, kind, contract, name)
      const { hash } = wasmModuleOf(build(kind, name))
      const args = [bytes(new Uint8Array(Buffer.from(hash, 'hex')))]
      const ledger = await applyInvocation(chain, admin, () => ({ contract, functionName: 'upgrade', args }))
      return { ledger, contract, build: name, wasmHash: hash }
    })
}

function requireUpgradable({ chain }: Controls, kind: ContractKind, contract: string, name: BuildName): void {
  if (!buildsOf(kind).includes(name)) throw invalidParams(`${kind} has no build ${name}; it has ${buildsOf(kind).join(', ')}`)
  const code = chain.codeOf(contract)
  if (code !== undefined && !Object.hasOwn(code.entryPoints, 'upgrade')) {
    throw invalidParams(`build ${code.build} of ${kind} has no upgrade function, so this contract keeps its code. local_reset can deploy another generation`)
  }
}
