// Verifies that the node serves the network, chain and contracts that are being indexed, and begins or continues an epoch when one of them has changed.

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { LedgerHeader } from '../../chain/codec/ledger-header.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { ContractAddresses } from '../../exchange/contracts/contracts.ts'
import type { CurrentDeployment, Deployment } from '../../exchange/deployment.ts'
import { insertAnchors, readAnchorAt, readAnchors } from '../../projections/state/anchors.ts'
import type { Anchor, ReadAnchor } from '../../projections/state/anchors.ts'
import type { Epoch, EpochContracts, EpochReason } from '../../projections/state/epochs.ts'
import { listEpochs } from '../../projections/state/epochs.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { readIndexCursor } from '../../projections/state/index-state.ts'
import type { Queryable, Writer } from '../../store/store.ts'
import { closedLedger, readHeader, readHeaders, readRange, readTip, relate, toAnchor } from './chain-identity.ts'
import type { NodeRange } from './chain-identity.ts'
import type { ChainTrust } from './confirmation.ts'
import { beginEpoch, continueEpoch, epochChange, epochContracts, nextEpoch } from './epochs.ts'
import { filterHashOf } from './event-filter.ts'
import { BadPage } from '../pages/events-page.ts'
import type { CheckedPage } from '../pages/events-page.ts'
import { findKnownChain } from './known-chains.ts'
import { confirmPage } from '../pages/page-identity.ts'
import { createPlausibility } from './plausible-range.ts'
import { createResetEvidence } from './reset-evidence.ts'
import type { StepResult } from '../pages/step-result.ts'

/** The chain is verified at least this often, even without failures: a network can be reset between two polls. */
const IDENTIFY_INTERVAL_MS = 10 * 60_000

export interface ChainGuard {
  /** Verifies network, chain and contracts, unless that was done recently. A returned result ends the step; undefined: read the next page. */
  verify(db: Writer, cursor: IndexCursor | null, call: CallOptions): Promise<StepResult | undefined>
  /** Reads the node's range and verifies that it serves the indexed chain. A result ends the step. */
  checkChain(db: Writer, cursor: IndexCursor, call: CallOptions): Promise<StepResult | NodeRange>
  /** True when the node serves the indexed chain now. A node without its newest ledger proves nothing. Throws RpcFailure or BadPage. */
  servesIndexedChain(db: Queryable, call: CallOptions): Promise<boolean>
  /** Verifies that a page is from the indexed chain; returns its ledgers, to be stored as anchors. Throws RpcFailure or BadPage. */
  confirmPage(db: Writer, epoch: Epoch, page: CheckedPage, node: Rpc, call: CallOptions): Promise<readonly ReadAnchor[]>
  /** Makes the next `verify` check again. */
  invalidate(): void
}

export interface ChainGuardOptions {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  /** First ledger of a new index; null: the oldest ledger of the node. */
  readonly startLedger: number | null
  readonly trust: ChainTrust
  readonly clock: Clock
  readonly random: Random
}

interface Configured {
  readonly passphrase: string
  readonly name: string
  readonly contracts: EpochContracts
  /** The contracts of the deployment, also those without events. */
  readonly all: ContractAddresses
}

function configuredBy({ passphrase, name, contracts }: Deployment): Configured {
  return { passphrase, name, contracts: epochContracts(contracts), all: contracts }
}

export function isStepResult(checked: StepResult | NodeRange): checked is StepResult {
  return 'kind' in checked
}

export function createChainGuard({ rpc, clock, random, trust, ...options }: ChainGuardOptions): ChainGuard {
  const configured = (): Configured => configuredBy(options.deployment.current)
  const evidence = createResetEvidence({ rpc, clock, trust })
  const { assertPossible, assertFollows, assertPage } = createPlausibility(clock, trust)
  const { minLedgerMs } = trust
  let verified = false
  let verifiedAtMs = 0
  /** The deployment that was verified last. */
  let verifiedDeployment: Deployment | undefined

  /** Reads the node's range and its last headers, which say exactly when the latest ledger closed. Throws RpcFailure or BadPage. */
  async function readChain(call: CallOptions): Promise<{ readonly range: NodeRange; readonly tip: readonly LedgerHeader[] }> {
    const reported = await readRange(rpc, call)
    assertPossible(reported)
    const tip = await readTip(rpc, reported, call)
    const newest = defined(tip.at(-1), 'the latest header')
    const range = { ...reported, latest: closedLedger(toAnchor(newest), newest.closeSec) }
    assertPossible(range)
    return { range, tip }
  }

  async function startEpoch(db: Writer, from: IndexCursor | null, begin: EpochBeginning, call: CallOptions): Promise<StepResult> {
    const result = await beginNextEpoch({ rpc, clock, random }, db, from, begin, call)
    evidence.reset()
    return result
  }

  /** The node serves another chain. Nothing it returns is used until the evidence proves a reset. */
  async function handleOtherChain(
    db: Writer, cursor: IndexCursor, node: { readonly range: NodeRange; readonly tip: readonly LedgerHeader[]; readonly anchors: readonly Anchor[] },
    call: CallOptions,
  ): Promise<StepResult> {
    const pending: StepResult = { kind: 'unreachable', error: new BadPage('other_chain', 'the node serves another chain than the indexed one') }
    if (await evidence.isRefuted(node.anchors, call)) {
      evidence.reset()
      return pending
    }
    if (!(await evidence.add(node.tip, call))) return pending
    const known = await findKnownChain(rpc, db, { cursor, ...node, minLedgerMs, passphrase: configured().passphrase }, call)
    if (known === 'undecided') return pending
    if (known === undefined) {
      return await startEpoch(db, cursor, { configured: configured(), reason: 'reset', startLedger: node.range.oldestLedger, ...node }, call)
    }
    await continueEpoch(db, cursor, { epoch: known, filter: filterHashOf(known, options.deployment.current.contracts) }, clock.nowMs())
    evidence.reset()
    return { kind: 'epoch', epoch: known.epoch, reason: 'returned', startLedger: known.startLedger }
  }

  async function checkChain(db: Writer, cursor: IndexCursor, call: CallOptions): Promise<StepResult | NodeRange> {
    const { range, tip } = await readChain(call)
    const { chain } = await currentEpoch(db, cursor)
    const anchors = await readAnchors(db, chain)
    const relation = await relate(rpc, anchors, { range, tip, minLedgerMs }, call)
    if (relation === 'other') return await handleOtherChain(db, cursor, { range, tip, anchors }, call)
    assertFollows(anchors[0] ?? null, range)
    evidence.reset()
    if (anchors.length === 0) await db.transaction((tx) => insertAnchors(tx, chain, tip.map(toAnchor), clock.nowMs()))
    return range
  }

  async function beginFirstEpoch(db: Writer, call: CallOptions): Promise<StepResult> {
    const { range, tip } = await readChain(call)
    return await startEpoch(db, null, { configured: configured(), reason: 'first', startLedger: options.startLedger ?? range.oldestLedger, range, tip }, call)
  }

  async function verify(db: Writer, cursor: IndexCursor | null, call: CallOptions): Promise<StepResult | undefined> {
    const network = await rpc.getNetwork(call)
    if (network.passphrase !== configured().passphrase) return { kind: 'waiting', reason: 'wrong-network' }
    if (cursor === null) return await beginFirstEpoch(db, call)
    const checked = await checkChain(db, cursor, call)
    if (isStepResult(checked)) return checked
    const epoch = await currentEpoch(db, cursor)
    // Read once: it can be replaced during every call.
    const deployment = options.deployment.current
    const reason = epochChange(epoch, configuredBy(deployment))
    verified = reason === undefined
    verifiedDeployment = deployment
    verifiedAtMs = clock.elapsedMs()
    if (reason === undefined) return undefined
    const tip = reason === 'reset' ? await readTip(rpc, checked, call) : []
    // START_LEDGER is for an empty index. On the chain after a reset it may be a ledger that does not exist yet.
    return await startEpoch(db, cursor, { configured: configuredBy(deployment), reason, startLedger: checked.oldestLedger, range: checked, tip }, call)
  }

  return {
    checkChain,
    async servesIndexedChain(db, call) {
      const cursor = await readIndexCursor(db)
      if (cursor === null) return false
      const anchor = await readAnchorAt(db, (await currentEpoch(db, cursor)).chain)
      return anchor !== null && (await readHeader(rpc, anchor.ledger, call))?.hash === anchor.hash
    },
    async confirmPage(db, epoch, page, node, call) {
      try {
        assertPage(page)
        assertFollows(await readAnchorAt(db, epoch.chain), page)
        return await confirmPage(db, epoch.chain, page, node, call)
      } catch (error) {
        // It may be another chain.
        if (error instanceof BadPage) verified = false
        throw error
      }
    },
    async verify(db, cursor, call) {
      if (clock.elapsedMs() - verifiedAtMs >= IDENTIFY_INTERVAL_MS || verifiedDeployment !== options.deployment.current) verified = false
      return verified && cursor !== null ? undefined : await verify(db, cursor, call)
    },
    invalidate() {
      verified = false
    },
  }
}

interface EpochBeginning {
  readonly configured: Configured
  readonly reason: EpochReason
  readonly startLedger: number
  readonly range: NodeRange
  readonly tip: readonly LedgerHeader[]
}

async function beginNextEpoch(
  { rpc, clock, random }: Pick<ChainGuardOptions, 'rpc' | 'clock' | 'random'>, db: Writer, from: IndexCursor | null,
  { configured: { all, ...configured }, reason, startLedger, range, tip }: EpochBeginning, call: CallOptions,
): Promise<StepResult> {
  const epochs = await listEpochs(db)
  const epoch = nextEpoch(epochs, from?.epoch, { ...configured, reason, startLedger }, random)
  const oldest = reason === 'contracts' ? [] : await readHeaders(rpc, { from: range.oldestLedger, to: range.oldestLedger }, call)
  await beginEpoch(db, epochs, epoch, { from, anchors: [...oldest, ...tip].map(toAnchor), filter: filterHashOf(epoch, all) }, clock.nowMs())
  return { kind: 'epoch', epoch: epoch.epoch, reason, startLedger }
}

async function currentEpoch(db: Queryable, cursor: IndexCursor): Promise<Epoch> {
  return defined((await listEpochs(db)).find(({ number }) => number === cursor.epoch), 'the current epoch')
}
