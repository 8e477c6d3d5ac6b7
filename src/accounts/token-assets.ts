// The classic assets behind the exchange's tokens. They are read once, from the tokens' own names.

import type { Log } from '../base/log.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { assetContract } from '../chain/codec/ledger-keys.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { readView } from '../chain/views/contract-views.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { TokenAssets } from './entries.ts'

/** Reads the assets that are not known yet. Null where an asset cannot be read now. */
export type ReadTokenAssets = (signal: AbortSignal) => Promise<TokenAssets>

export function createTokenAssetReader(parts: {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly log: Log
}): ReadTokenAssets {
  const { rpc, deployment, log } = parts
  const known = new Map<string, string>()

  /** A name counts only when this contract is the contract of the asset that it names. */
  async function assetOf(token: string, signal: AbortSignal): Promise<string | null> {
    const cached = known.get(token)
    if (cached !== undefined) return cached
    try {
      const { value } = await readView(rpc, { contract: token, functionName: 'name', args: [] }, { signal })
      if (value.type !== 'string' || value.value === null || assetContract(value.value, deployment.current.passphrase) !== token) return null
      known.set(token, value.value)
      return value.value
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      log.debug({ err: error, token }, 'could not read the asset of a token')
      return null
    }
  }

  return async (signal) => {
    const { contracts } = deployment.current
    const [usdc, lp] = await Promise.all([assetOf(contracts.usdcToken, signal), assetOf(contracts.lpToken, signal)])
    return { usdc, lp }
  }
}
