// The arguments that generation 2 adds to calls of generation 1, and the calls that its trader vaults need.

import { i128, u32, u64 } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import type { Vault } from '../contracts/shared/trader-vaults/vaults.ts'
import { asU64, asVec, storageKey } from '../contracts/shared/values.ts'
import type { Client } from './client.ts'
import type { Invocation } from './envelope.ts'
import { contractDataKey, contractDataValue } from './exchange-state.ts'
import type { Deployment, EntryReader } from './exchange-state.ts'
import type { Holdings } from './stored-entries.ts'

const NO_BOUND = i128(0n)
const GOOD_TILL_CANCELLED = u32(0)

interface Added {
  /** The number of arguments in generation 1. */
  readonly after: number
  readonly value: Val
}

/** The last argument of calls that have one more than in generation 1: no price bound, no minimum, good till cancelled. */
const ADDED: Readonly<Partial<Record<keyof Deployment, Readonly<Record<string, Added>>>>> = {
  market: {
    open_position: { after: 5, value: NO_BOUND }, open_position_cross: { after: 5, value: NO_BOUND },
    close_position: { after: 2, value: NO_BOUND }, close_position_cross: { after: 2, value: NO_BOUND },
  },
  vault: { deposit: { after: 2, value: NO_BOUND }, withdraw: { after: 2, value: NO_BOUND } },
  vaultFactory: {
    deposit: { after: 3, value: NO_BOUND }, withdraw: { after: 3, value: NO_BOUND }, leader_place_limit_order: { after: 9, value: GOOD_TILL_CANCELLED },
  },
}

/** A client whose calls get the arguments that generation 2 adds, unless they have them. */
export function withAddedArguments(client: Client, deployment: Deployment): Client {
  const added = new Map(Object.entries(ADDED).map(([name, functions]) => [deployment[name as keyof Deployment], functions]))
  return {
    ...client,
    invoke(invocation, view, options) {
      const last = added.get(invocation.contract)?.[invocation.functionName]
      const isComplete = last === undefined || invocation.args.length > last.after
      return client.invoke(isComplete ? invocation : { ...invocation, args: [...invocation.args, last.value] }, view, options)
    },
  }
}

/** The call that settles a position or order of a vault that a keeper has ended. Until then the vault cannot be valued. */
export async function reconciliation(
  reader: EntryReader,
  factory: string,
  vault: Vault,
  { positions, orders }: Holdings,
): Promise<Invocation | undefined> {
  const key = (name: string): string => contractDataKey(factory, storageKey(name, u32(vault.id)))
  const [positionsKey, ordersKey] = [key('VaultPositions'), key('VaultOrders')]
  const entries = await reader.readEntries([positionsKey, ordersKey])
  const endedId = (listKey: string, open: readonly { readonly id: bigint }[]): bigint | undefined => {
    const entry = entries.get(listKey)
    const ids = entry === undefined ? [] : asVec(contractDataValue(entry)).map(asU64)
    return ids.find((id) => !open.some((each) => each.id === id))
  }
  // An executed order binds its position to the vault first.
  const order = endedId(ordersKey, orders)
  if (order !== undefined) return { contract: factory, functionName: 'reconcile_order', args: [u32(vault.id), u64(order)] }
  const position = endedId(positionsKey, positions)
  return position === undefined ? undefined : { contract: factory, functionName: 'reconcile_position', args: [u32(vault.id), u64(position)] }
}
