// The market: positions, orders, funding and liquidation (contracts, "Entry points"). Each group of entry points has a file.

import { SHARED_ERRORS } from '../../../../src/exchange/errors/errors.ts'
import type { ContractCode } from '../../shared/host.ts'
import { administrationEntryPoints } from '../../shared/market/administration.ts'
import { attachedOrderEntryPoints } from '../../shared/market/attached-orders.ts'
import { closeEntryPoints } from '../../shared/market/close.ts'
import { crossEntryPoints } from '../../shared/market/cross.ts'
import { entryOrderEntryPoints } from '../../shared/market/entry-orders.ts'
import { executeOrderEntryPoints } from './execute-order.ts'
import { exposureEntryPoints } from '../../shared/market/exposure.ts'
import { fundingEntryPoints } from '../../shared/market/funding.ts'
import { liquidateEntryPoints } from './liquidate.ts'
import { liquidateCrossEntryPoints } from './liquidate-cross.ts'
import { openEntryPoints } from '../../shared/market/open.ts'
import { FEE_TIER, MARKET_CONFIG, ORDER, POSITION } from '../../shared/market/types.ts'
import { viewEntryPoints } from '../../shared/market/views.ts'

/** The market's code. Call `initialize(admin, oracle, vault, usdc, config)` first; the oracle is the price shim. */
export function marketContract(): ContractCode {
  return {
    name: 'market',
    structs: {
      Position: POSITION.spec,
      Order: ORDER.spec,
      MarketConfig: MARKET_CONFIG.spec,
      FeeTier: FEE_TIER.spec,
      VolumeRecord: [['daily_volumes', { vec: 'i128' }], ['last_update_day', 'u64']],
    },
    errors: SHARED_ERRORS,
    entryPoints: {
      ...openEntryPoints(),
      ...closeEntryPoints(),
      ...crossEntryPoints(),
      ...entryOrderEntryPoints(),
      ...attachedOrderEntryPoints(),
      ...executeOrderEntryPoints(),
      ...liquidateEntryPoints(),
      ...liquidateCrossEntryPoints(),
      ...fundingEntryPoints(),
      ...exposureEntryPoints(),
      ...viewEntryPoints(),
      ...administrationEntryPoints(),
    },
  }
}
