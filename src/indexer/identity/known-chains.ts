// Finds the chain of a node among those that were indexed before.

import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { readAnchors } from '../../projections/state/anchors.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import type { Epoch } from '../../projections/state/epochs.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import type { Queryable } from '../../store/store.ts'
import { relate } from './chain-identity.ts'
import type { NodeChain } from './chain-identity.ts'

/** The node, and the index, whose own chain the node does not serve. */
interface OtherChain extends NodeChain {
  readonly cursor: IndexCursor
  readonly passphrase: string
}

/** The last epoch of an earlier chain that the node serves now. `undecided`: the node has not reached that chain's last known ledger yet. */
export async function findKnownChain(
  rpc: Rpc, db: Queryable, { cursor, passphrase, ...node }: OtherChain, call: CallOptions,
): Promise<Epoch | 'undecided' | undefined> {
  const epochs = await listEpochs(db)
  const current = epochs.find(({ number }) => number === cursor.epoch)
  const lastOfChain = new Map(epochs.map((epoch) => [epoch.chain, epoch]))
  for (const epoch of [...lastOfChain.values()].toReversed()) {
    if (epoch.chain === current?.chain || epoch.passphrase !== passphrase) continue
    const anchors = await readAnchors(db, epoch.chain)
    if ((await relate(rpc, anchors, node, call)) !== 'same') continue
    return (anchors[0]?.ledger ?? 0) <= node.range.latestLedger ? epoch : 'undecided'
  }
  return undefined
}
