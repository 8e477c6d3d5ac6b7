import { CONTRACT_KEYS } from '../../src/exchange/contracts.ts'
import { applyInvocation } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { Deployment } from '../actors/exchange-state.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import { LIST, readParams, TEXT } from './params.ts'
import { readArgs } from './typed-args.ts'

/** The contracts by name: those that health lists, and the oracle behind the shim. */
const NAMES = [...CONTRACT_KEYS, 'oracle'] as const

/** local_admin: one call, signed and sent by the deployment's admin like any transaction. */
export function localAdmin({ admin, chain, deployment, lock }: Controls): ExtraMethod {
  return (params) =>
    lock.exclusive(async () => {
      const given = readParams(params, { contract: TEXT, function: TEXT, args: LIST })
      const contract = contractOf(deployment, given.contract)
      const args = readArgs(given.args)
      return { ledger: await applyInvocation(chain, admin, () => ({ contract, functionName: given.function, args })) }
    })
}

function contractOf(deployment: Deployment, nameOrAddress: string): string {
  const name = NAMES.find((each) => each === nameOrAddress || deployment[each] === nameOrAddress)
  if (name === undefined) throw invalidParams(`contract must be one of ${NAMES.join(', ')}, or the address of one of them`)
  return deployment[name]
}
