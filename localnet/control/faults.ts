// local_fault, local_clearFaults, local_faults: faults of the RPC server, which do not affect the actors and the local_* methods, and of the network's ledgers.

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
    const { sinceProtocol = 0 } = faults.kinds.find((kind) => kind.name === params['name']) ?? {}
    if (chain.protocol < sinceProtocol) {
      throw invalidParams(`${params['name']} needs protocol ${sinceProtocol}, and the network runs ${chain.protocol}. Upgrade it with local_upgradeProtocol`)
    }
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
