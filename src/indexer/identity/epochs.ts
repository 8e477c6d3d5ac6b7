// Beginning a new epoch of the log, and what it carries over from earlier epochs.

import { assert, defined } from '../../base/assert.ts'
import type { Random } from '../../base/random.ts'
import type { ArchivedContractKey, ContractAddresses } from '../../exchange/contracts/contracts.ts'
import { EVENT_CONTRACT_KEYS } from '../../exchange/contracts/contracts.ts'
import type { Epoch, EpochContracts, EpochReason } from '../../projections/state/epochs.ts'
import { beginEpochRange, insertEpoch, setFinalCursor } from '../../projections/state/epochs.ts'
import { insertAnchors } from '../../projections/state/anchors.ts'
import type { ReadAnchor } from '../../projections/state/anchors.ts'
import { insertGap } from '../../projections/repair/gaps.ts'
import type { IndexCursor } from '../../projections/state/index-state.ts'
import { completeSeq, lastReservedSeq, updateIndexCursor } from '../../projections/state/index-state.ts'
import { appendRecords, EMPTY_LOG, readPageLogHead } from '../../projections/proofs/page-log.ts'
import type { Hash } from '../../base/proofs/tree.ts'
import type { Writer } from '../../store/store.ts'
import { epochRecord, firstLedgerAfter, gapRecord } from '../pages/log-records.ts'
import type { LoggedEpoch } from '../pages/log-records.ts'
import { ledgerAfter } from '../../projections/log/toid.ts'

/** The contracts that an epoch of this deployment has. */
export function epochContracts(contracts: ContractAddresses): EpochContracts {
  const { market, vault, vaultFactory, referral, usdcToken, router } = contracts
  return { market, vault, vaultFactory, referral, usdcToken, router }
}

/** The reason why the configuration requires a new epoch; undefined when the current one continues. */
export function epochChange(current: Epoch, configured: { passphrase: string; contracts: EpochContracts }): EpochReason | undefined {
  if (current.passphrase !== configured.passphrase) return 'reset'
  const isSame = Object.entries(current.contracts).every(([key, address]) => configured.contracts[key as keyof EpochContracts] === address)
  return isSame ? undefined : 'contracts'
}

const EPOCH_NAME_BYTES = 4

export function randomEpochName(random: Random): string {
  return Buffer.from(random.bytes(EPOCH_NAME_BYTES)).toString('hex')
}

/** The next epoch after the current one. A reset starts a new chain; the same market on the same chain keeps its contract epoch. */
export function nextEpoch(
  epochs: readonly Epoch[],
  current: number | undefined,
  configured: { reason: EpochReason; passphrase: string; name: string; contracts: EpochContracts; startLedger: number },
  random: Random,
): Epoch {
  const before = epochs.find(({ number: each }) => each === current)
  assert((before === undefined) === (configured.reason === 'first'), 'only the first epoch has no predecessor')
  const number = Math.max(0, ...epochs.map((epoch) => epoch.number)) + 1
  const chain = before === undefined || configured.reason === 'reset' ? Math.max(0, ...epochs.map((epoch) => epoch.chain)) + 1 : before.chain
  const sameMarket = epochs.find((epoch) => epoch.chain === chain && epoch.contracts.market === configured.contracts.market)
  return {
    ...configured,
    number,
    epoch: randomEpochName(random),
    chain,
    contractEpoch: sameMarket?.contractEpoch ?? number,
    finalCursor: null,
  }
}

/**
 * Begins an epoch in one transaction. `seq` continues; the position on the chain starts over. For a contract that an earlier epoch indexed, ledgers that the
 * RPC has dropped since are recorded as a gap. `anchors` are ledgers of the chain.
 */
export async function beginEpoch(
  db: Writer,
  before: readonly Epoch[],
  epoch: Epoch,
  where: { readonly from: IndexCursor | null; readonly anchors: readonly ReadAnchor[]; readonly filter: Hash },
  nowMs: number,
): Promise<void> {
  const { from, anchors, filter } = where
  const sealed = before.map((known) => (known.number === from?.epoch ? { ...known, finalCursor: from.cursor } : known))
  const fromLedger = firstLostLedger(sealed, epoch)
  const to: IndexCursor = {
    epoch: epoch.number,
    cursor: null,
    startLedger: epoch.startLedger,
    lastLedger: null,
    lastLedgerCloseTs: null,
    lastSeq: from === null ? 0 : completeSeq(from),
    reservedSeq: from?.reservedSeq ?? 0,
    oldestLedger: null,
    unknownEvents: from?.unknownEvents ?? 0,
  }
  await db.transaction(async (tx) => {
    await insertEpoch(tx, epoch, lastReservedSeq(to) + 1, nowMs)
    await updateIndexCursor(tx, from, to, nowMs)
    if (from !== null) await setFinalCursor(tx, from.epoch, from.cursor)
    await insertAnchors(tx, epoch.chain, anchors, nowMs)
    const logged = { epoch, filter }
    const gaps = fromLedger === undefined ? [] : [gapRecord(logged, fromLedger, epoch.startLedger - 1)]
    await appendRecords(tx, await readPageLogHead(tx) ?? EMPTY_LOG, [epochRecord(logged, fromLedger ?? epoch.startLedger), ...gaps])
    if (fromLedger === undefined) return
    const afterTs = from?.lastLedgerCloseTs ?? null
    await insertGap(tx, { epoch: epoch.number, fromLedger, toLedger: epoch.startLedger - 1, afterTs, fillCursor: null, afterSeq: lastReservedSeq(to) }, nowMs)
  })
}

/** Continues an earlier epoch after its last cursor, because its chain has returned. `seq` continues too. */
export async function continueEpoch(db: Writer, from: IndexCursor, { epoch, filter }: LoggedEpoch & { readonly epoch: Epoch }, nowMs: number): Promise<void> {
  const to: IndexCursor = {
    ...from,
    epoch: epoch.number,
    cursor: epoch.finalCursor,
    startLedger: epoch.startLedger,
    lastSeq: completeSeq(from),
    lastLedger: epoch.finalCursor === null ? null : ledgerAfter(epoch.finalCursor) - 1,
    lastLedgerCloseTs: null,
    oldestLedger: null,
  }
  await db.transaction(async (tx) => {
    await updateIndexCursor(tx, from, to, nowMs)
    await setFinalCursor(tx, from.epoch, from.cursor)
    await setFinalCursor(tx, epoch.number, null)
    await beginEpochRange(tx, epoch.number, lastReservedSeq(to) + 1)
    await appendRecords(tx, defined(await readPageLogHead(tx), 'the log of pages'), [epochRecord({ epoch, filter }, firstLedgerAfter(to))])
  })
}

/** The first unread ledger of a contract shared with an earlier epoch; undefined when this epoch starts early enough to read it. */
function firstLostLedger(before: readonly Epoch[], epoch: Epoch): number | undefined {
  const until = archivedUntil(before, epoch)
  const firsts = EVENT_CONTRACT_KEYS.map((key) => until.get(epoch.contracts[key])).filter((cursor) => cursor !== undefined).map(ledgerAfter)
  const first = Math.min(...firsts)
  return first < epoch.startLedger ? first : undefined
}

/** The contract names of this epoch, by address. */
export function contractNames({ contracts }: Epoch): ReadonlyMap<string, ArchivedContractKey> {
  const { usdcToken } = contracts
  const names = new Map<string, ArchivedContractKey>(EVENT_CONTRACT_KEYS.map((key) => [contracts[key], key]))
  return names.set(usdcToken, 'usdcToken')
}

/** The cursor up to which earlier epochs of the same chain archived the events of each contract. */
function archivedUntil(epochs: readonly Epoch[], current: Epoch): ReadonlyMap<string, string> {
  const until = new Map<string, string>()
  for (const epoch of epochs) {
    if (epoch.number === current.number || epoch.chain !== current.chain || epoch.finalCursor === null) continue
    for (const key of EVENT_CONTRACT_KEYS) {
      const address = epoch.contracts[key]
      if (epoch.finalCursor > (until.get(address) ?? '')) until.set(address, epoch.finalCursor)
    }
  }
  return until
}

/** The event id served to clients: the RPC's id in the first epoch; later epochs append their name, because ids repeat after a reset. */
export function publicEventId(epoch: Epoch, id: string): string {
  return epoch.number === 1 ? id : `${id}-${epoch.epoch}`
}
