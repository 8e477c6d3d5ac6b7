// local_fault, local_clearFaults, local_faults: misbehaviours of the RPC door. The actors and the local_* methods are out of their reach.

import { latestView } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import type { FaultRequest } from '../faults.ts'
import { readParams } from './params.ts'

/** local_fault: arms one, by its name and with its own parameters. */
export function localFault({ chain, faults }: Controls): ExtraMethod {
  return async (params) => {
    if (typeof params['name'] !== 'string') throw invalidParams(`name must be one of ${faults.kinds.map((kind) => kind.name).join(', ')}`)
    // What does not fit the fault is refused by a RangeError that names it, which the door answers as -32602.
    const fault = faults.arm(params as FaultRequest)
    return { ledger: latestView(chain).sequence, fault }
  }
}

/** local_clearFaults: ends all of them. */
export function localClearFaults({ chain, faults }: Controls): ExtraMethod {
  return async (params) => {
    readParams(params, {})
    return { ledger: latestView(chain).sequence, cleared: faults.clear() }
  }
}

/** local_faults: every fault there is with its parameters, and those that are armed. */
export function localFaults({ chain, faults }: Controls): ExtraMethod {
  return async (params) => {
    readParams(params, {})
    return { ledger: latestView(chain).sequence, faults: faults.kinds, armed: faults.armed() }
  }
}
