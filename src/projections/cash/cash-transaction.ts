// A transaction whose movements of USDC are to be explained, and what a movement was for.

import type { CashKind } from '../../resources/cash-movement.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import type { EpochContracts } from '../state/epochs.ts'
import type { SettlementFacts } from '../positions/settlement-facts.ts'

export interface CashTransaction extends SettlementFacts {
  /** All events and transfers of the transaction, in log order. */
  readonly events: readonly ArchivedEvent[]
  readonly contracts: EpochContracts
}

/** The cause of a movement. Null: does not apply, or unknown. */
export interface CashMovement {
  readonly kind: CashKind
  readonly positionId: number | null
  readonly orderId: number | null
  readonly vaultId: number | null
  readonly fee: bigint | null
  readonly funding: bigint | null
  readonly pnl: bigint | null
}
