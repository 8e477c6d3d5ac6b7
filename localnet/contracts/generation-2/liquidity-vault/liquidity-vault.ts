// The liquidity vault of generation 2: the liquidity providers' USDC, the insurance buffer, and claims of traders that it could not pay
// (generation 2, "Liquidity vault").

import type { ContractCode } from '../../shared/host.ts'
import { POOL_INFO } from '../../shared/liquidity-vault/pool.ts'
import type { Generation2Build } from '../build.ts'
import { SHARED_ERRORS } from '../errors.ts'
import { administrationEntryPoints } from './administration.ts'
import { bufferEntryPoints } from './buffer.ts'
import { depositEntryPoints } from './deposits.ts'
import { recoveryEntryPoints } from './recovery.ts'
import { settlementEntryPoints } from './settlement.ts'
import { viewEntryPoints } from './views.ts'

/** The liquidity vault's code. Call `initialize(admin, usdc, noe_token, market, deposit_fee_bps, withdraw_fee_bps)` first. */
export function liquidityVaultContract(build: Generation2Build): ContractCode {
  return {
    name: 'liquidity vault',
    structs: { PoolInfo: POOL_INFO },
    errors: SHARED_ERRORS,
    entryPoints: {
      ...depositEntryPoints(build), ...settlementEntryPoints(build), ...bufferEntryPoints(build), ...recoveryEntryPoints(),
      ...administrationEntryPoints(build), ...viewEntryPoints(build),
    },
  }
}
