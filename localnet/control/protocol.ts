// local_upgradeProtocol: the validators upgrade the network's protocol.

import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { BOOLEAN, integerBetween, optional, readParams } from './params.ts'

const U32_MAX = 2 ** 32 - 1

/** local_upgradeProtocol: closes the ledger that applies the upgrade. The actors do not act. */
export function localUpgradeProtocol({ chain, lock }: Controls): ExtraMethod {
  return (params) =>
    lock.run(async () => {
      const { protocol, unreleased } = readParams(params, { protocol: integerBetween(1, U32_MAX), unreleased: optional(BOOLEAN) })
      return { ledger: chain.upgradeProtocol(protocol, unreleased === true), protocol }
    })
}
