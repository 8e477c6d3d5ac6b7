// The market's views, the same as in the deployed contract: empty before initialization. Clients read everything else through its storage keys.

import type { EntryPoint } from '../host.ts'
import { i128, u64, vec, VOID } from '../host.ts'
import { readPersistentI128 } from '../instance-storage.ts'
import { asAddress, asU64, entryPoint } from '../values.ts'
import { KEYS, readIds } from './storage.ts'

export function viewEntryPoints(): Record<string, EntryPoint> {
  return {
    get_position: entryPoint({ position_id: 'u64' }, { option: { struct: 'Position' } }, (env, args) =>
      env.get('persistent', KEYS.position(asU64(args[0]))) ?? VOID),
    get_order: entryPoint({ order_id: 'u64' }, { option: { struct: 'Order' } }, (env, args) =>
      env.get('persistent', KEYS.order(asU64(args[0]))) ?? VOID),
    get_all_position_ids: entryPoint({}, { vec: 'u64' }, (env) => vec(...readIds(env, KEYS.allPositions).map(u64))),
    get_all_order_ids: entryPoint({}, { vec: 'u64' }, (env) => vec(...readIds(env, KEYS.allOrders).map(u64))),
    get_cross_margin_balance: entryPoint({ trader: 'address' }, 'i128', (env, args) =>
      i128(readPersistentI128(env, KEYS.crossMarginBalance(asAddress(args[0]))))),
    get_cross_margin_positions: entryPoint({ trader: 'address' }, { vec: 'u64' }, (env, args) =>
      vec(...readIds(env, KEYS.crossMarginPositions(asAddress(args[0]))).map(u64))),
  }
}
