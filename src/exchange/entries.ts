// The operations and actions that open a position or place an order that opens one.

import type { ActionName } from './actions.ts'
import type { OperationName } from './operations.ts'

const ENTRIES: readonly (OperationName | ActionName)[] = [
  'open_position', 'open_position_cross', 'place_limit_order', 'place_stop_limit_order', 'leader_open_position', 'leader_place_limit_order',
  'leader_place_stop_limit',
]

export const ENTRY_OPERATIONS: ReadonlySet<string> = new Set(ENTRIES)
