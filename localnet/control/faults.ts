// local_fault, local_clearFaults, local_faults: faults of the RPC server. They do not affect the actors and the local_* methods.

import { latestView } from '../controls.ts'
import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { invalidParams } from '../rpc/rpc-error.ts'
import type { FaultRequest } from '../faults.ts'
import { readParams } from './params.ts'

/** local_fault: arms a fault. */
export function localFault({ chain, faults }: Controls): ExtraMethod {
  return async (params) => {
    if (typeof params['name'] !== 'string') throw invalidParams(`name must be one of ${faults.kinds.map((kind) => kind.name).join(', ')}`)
    // Throws RangeError for invalid parameters, which becomes error -32602.
    const fault = faults.arm(params as FaultRequest)
    return { ledger: latestView(chain).sequence, fault }
  }
}

/** local_clearFaults: removes all armed faults. */
export function localClearFaults({ chain, faults }: Controls): ExtraMethod {
  return async (params) => {
    readParams(params, {})
    return { ledger: latestView(chain).sequence, cleared: faults.clear() }
  }
}

/** local_faults: lists all faults with their parameters, and the armed ones. */
export function localFaults({ chain, faults }: Controls): ExtraMethod {
  return async (params) => {
    readParams(params, {})
    return { ledger: latestView(chain).sequence, faults: faults.kinds, armed: faults.armed() }
  }
}
