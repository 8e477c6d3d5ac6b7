// The market of generation 2 (generation 2, "Market"). Each group of entry points has a file. What did not change since generation 1 is in ../../market.

import type { ContractCode } from '../../shared/host.ts'
import { FEE_TIER, ORDER, POSITION } from '../../shared/market/types.ts'
import type { Generation2Build } from '../build.ts'
import { SHARED_ERRORS } from '../errors.ts'
import { adlEntryPoints } from './adl.ts'
import { administrationEntryPoints } from './administration.ts'
import { attachedOrderEntryPoints } from './attached-orders.ts'
import { closeEntryPoints } from './close.ts'
import { closeCrossEntryPoints } from './close-cross.ts'
import { collateralEntryPoints } from './collateral.ts'
import { crossEntryPoints } from './cross.ts'
import { entryOrderEntryPoints } from './entry-orders.ts'
import { forBuild } from './env.ts'
import { executeOrderEntryPoints } from './execute-order.ts'
import { fundingEntryPoints } from './funding.ts'
import { liquidateEntryPoints } from './liquidate.ts'
import { liquidateCrossEntryPoints } from './liquidate-cross.ts'
import { migrationEntryPoints } from './migrations.ts'
import { openEntryPoints } from './open.ts'
import { partialCloseEntryPoints } from './partial-close.ts'
import { ASSET_RISK, MARKET_CONFIG, TRADER_FEE_INFO } from './types.ts'
import { viewEntryPoints } from './views.ts'

/** The market's code. Call `initialize(admin, oracle, vault, usdc, config)` first, then `set_asset_risk` for each asset that can be traded. */
export function marketContract(build: Generation2Build): ContractCode {
  return {
    name: 'market',
    structs: {
      Position: POSITION.spec,
      Order: ORDER.spec,
      MarketConfig: MARKET_CONFIG.spec,
      AssetRisk: ASSET_RISK.spec,
      FeeTier: FEE_TIER.spec,
      TraderFeeInfo: TRADER_FEE_INFO.spec,
      VolumeRecord: [['daily_volumes', { vec: 'i128' }], ['last_update_day', 'u64']],
    },
    errors: SHARED_ERRORS,
    entryPoints: forBuild(build, {
      ...openEntryPoints(),
      ...closeEntryPoints(),
      ...partialCloseEntryPoints(),
      ...collateralEntryPoints(),
      ...crossEntryPoints(),
      ...closeCrossEntryPoints(),
      ...entryOrderEntryPoints(),
      ...attachedOrderEntryPoints(),
      ...executeOrderEntryPoints(),
      ...liquidateEntryPoints(),
      ...liquidateCrossEntryPoints(),
      ...fundingEntryPoints(),
      ...adlEntryPoints(),
      ...viewEntryPoints(build),
      ...administrationEntryPoints(build),
      ...migrationEntryPoints(build),
    }),
  }
}
