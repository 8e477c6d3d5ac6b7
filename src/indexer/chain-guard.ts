// Verifies that the node serves the network, chain and contracts that are being indexed, and begins a new epoch when one of them has changed.

import { defined } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { ContractAddresses } from '../exchange/contracts.ts'
import type { EpochReason } from '../projections/epochs.ts'
import { listEpochs } from '../projections/epochs.ts'
import type { IndexCursor } from '../projections/index-state.ts'
import { readAnchor, writeAnchor } from '../projections/index-state.ts'
import type { Writer } from '../store/store.ts'
import { beginEpoch, epochChange, eventContracts, nextEpoch } from './epochs.ts'
import { BadPage } from './events-page.ts'
import { compareHash, compareLedger, createChainMonitor, readLedger, readRange } from './identity.ts'
import type { ChainEvidence, FullRange, IndexedChain, NodeRange } from './identity.ts'
import type { StepResult } from './step-result.ts'

/** The chain is verified at least this often, even without failures: a network can be reset between two polls. */
const IDENTIFY_INTERVAL_MS = 10 * 60_000

export interface ChainGuard {
  /** Verifies network, chain and contracts, unless that was done recently. A returned result ends the step; undefined: read the next page. */
  verify(db: Writer, cursor: IndexCursor | null, call: CallOptions): Promise<StepResult | undefined>
  /** Checks whether a freshly read range belongs to the indexed chain. A returned result ends the step. */
  checkRange(db: Writer, cursor: IndexCursor, evidence: ChainEvidence<FullRange>, call: CallOptions): Promise<StepResult | undefined>
  /** True when a page's range can belong to the indexed chain. */
  matches(indexed: IndexedChain, range: NodeRange): boolean
  /** Makes the next `verify` check again. */
  invalidate(): void
}

export interface ChainGuardOptions {
  readonly rpc: Rpc
  readonly contracts: ContractAddresses
  readonly networkPassphrase: string
  /** First ledger of a new index; null: the oldest ledger of the node. */
  readonly startLedger: number | null
  readonly clock: Clock
  readonly random: Random
}

export function createChainGuard({ rpc, clock, random, ...options }: ChainGuardOptions): ChainGuard {
  const configured = { passphrase: options.networkPassphrase, contracts: eventContracts(options.contracts) }
  const monitor = createChainMonitor()
  let verified = false
  let verifiedAtMs = 0

  async function startEpoch(
    db: Writer,
    from: IndexCursor | null,
    { reason, startLedger, range }: { readonly reason: EpochReason; readonly startLedger: number; readonly range: FullRange },
  ): Promise<StepResult> {
    const epochs = await listEpochs(db)
    const epoch = nextEpoch(epochs, { ...configured, reason, startLedger }, random)
    await beginEpoch(db, epochs, epoch, { from, latest: range.latest }, clock.nowMs())
    monitor.track(epoch.number, range)
    return { kind: 'epoch', epoch: epoch.epoch, reason, startLedger }
  }

  async function checkRange(
    db: Writer,
    cursor: IndexCursor,
    evidence: ChainEvidence<FullRange>,
    call: CallOptions,
  ): Promise<StepResult | undefined> {
    switch (monitor.check(cursor, evidence)) {
      case 'same':
        return undefined
      case 'reset': {
        // When a ledger was read after the range, the range may still be that of the previous chain.
        const range = evidence.ledger === undefined ? evidence.range : await readRange(rpc, call)
        return await startEpoch(db, cursor, { reason: 'reset', startLedger: range.oldestLedger, range })
      }
      case 'stale':
        return { kind: 'unreachable', error: new BadPage('the node serves a chain that was reset') }
    }
  }

  async function verify(db: Writer, cursor: IndexCursor | null, call: CallOptions): Promise<StepResult | undefined> {
    const network = await rpc.getNetwork(call)
    if (network.passphrase !== configured.passphrase) return { kind: 'waiting', reason: 'wrong-network' }
    const range = await readRange(rpc, call)
    if (cursor === null) return await startEpoch(db, null, { reason: 'first', startLedger: options.startLedger ?? range.oldestLedger, range })
    const current = defined((await listEpochs(db)).at(-1), 'the current epoch')
    const anchor = await compareHash(rpc, await readAnchor(db, current.chain), call)
    const ledger = await compareLedger(rpc, cursor.seen, call)
    const otherChain = await checkRange(db, cursor, { range, ledger, anchor }, call)
    if (otherChain !== undefined) return otherChain
    monitor.track(cursor.epoch, range)
    const latest = await readLedger(rpc, range.latestLedger, call)
    if (latest !== undefined) await writeAnchor(db, current.chain, { ledger: latest.sequence, hash: latest.hash })
    const reason = epochChange(current, configured)
    verified = reason === undefined
    verifiedAtMs = clock.elapsedMs()
    if (reason === undefined) return undefined
    const startLedger = reason === 'reset' ? range.oldestLedger : Math.max(options.startLedger ?? 1, range.oldestLedger)
    return await startEpoch(db, cursor, { reason, startLedger, range })
  }

  return {
    checkRange,
    matches: (indexed, range) => monitor.matches(indexed, range),
    async verify(db, cursor, call) {
      if (clock.elapsedMs() - verifiedAtMs >= IDENTIFY_INTERVAL_MS) verified = false
      return verified && cursor !== null ? undefined : await verify(db, cursor, call)
    },
    invalidate() {
      verified = false
    },
  }
}
