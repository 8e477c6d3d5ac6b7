// The table of the local_* methods, which no real network has.

import type { Controls } from '../controls.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { localClearFaults, localFault, localFaults } from './faults.ts'
import { localAdvance, localAutoClose, localCloseLedger } from './ledgers.ts'
import { localActors } from './actors.ts'
import { localAdmin } from './admin.ts'
import { localFund } from './fund.ts'
import { localInfo } from './info.ts'
import { localReleasePrice, localSetPrice } from './prices.ts'
import { localUpgradeProtocol } from './protocol.ts'
import { snapshots } from './snapshots.ts'
import { localUpgrade } from './upgrade.ts'

/** The methods by name. localnet/README.md documents them. */
export function controlMethods(controls: Controls): Readonly<Record<string, ExtraMethod>> {
  return {
    local_fund: localFund(controls),
    local_setPrice: localSetPrice(controls),
    local_releasePrice: localReleasePrice(controls),
    local_closeLedger: localCloseLedger(controls),
    local_advance: localAdvance(controls),
    local_autoClose: localAutoClose(controls),
    local_actors: localActors(controls),
    local_admin: localAdmin(controls),
    local_upgrade: localUpgrade(controls),
    local_upgradeProtocol: localUpgradeProtocol(controls),
    local_fault: localFault(controls),
    local_clearFaults: localClearFaults(controls),
    local_faults: localFaults(controls),
    ...snapshots(controls),
    local_info: localInfo(controls),
  }
}
