import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import { applyInvocation } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { Deployment } from '../actors/exchange-state.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import { LIST, readParams, TEXT } from './params.ts'
import { readArgs } from './typed-args.ts'

/** The contracts that GET /v1/health lists, and the oracle that the shim reads. */
const NAMES = [...CONTRACT_KEYS, 'oracle'] as const

/** local_admin: sends one call as an ordinary transaction of the deployment's admin. */
export function localAdmin(controls: Controls): ExtraMethod {
  const { admin, chain, lock } = controls
  return (params) =>
    lock.run(async () => {
      const call = readParams(params, { contract: TEXT, function: TEXT, args: LIST })
      const { deployment } = controls
      const contract = deployment[contractNamed(deployment, call.contract)]
      const args = readArgs(call.args)
      return { ledger: await applyInvocation(chain, admin, () => ({ contract, functionName: call.function, args })) }
    })
}

/** The name of a contract that is given by name or address. */
export function contractNamed(deployment: Deployment, nameOrAddress: string): (typeof NAMES)[number] {
  const name = NAMES.find((each) => each === nameOrAddress || deployment[each] === nameOrAddress)
  if (name === undefined) throw invalidParams(`contract must be one of ${NAMES.join(', ')}, or the address of one of these`)
  return name
}
