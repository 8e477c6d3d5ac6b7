// When a new epoch of the log begins, and what it takes over from the ones before.

import { assert } from '../base/assert.ts'
import type { Random } from '../base/random.ts'
import type { ContractAddresses, EventContractKey } from '../exchange/contracts.ts'
import { EVENT_CONTRACT_KEYS } from '../exchange/contracts.ts'
import type { Epoch, EpochReason, EventContracts } from '../projections/epochs.ts'
import { insertEpoch } from '../projections/epochs.ts'
import { insertGap } from '../projections/gaps.ts'
import type { IndexCursor, LedgerCloseTime } from '../projections/index-state.ts'
import { lastReservedSeq, updateIndexCursor } from '../projections/index-state.ts'
import type { Writer } from '../store/store.ts'
import { ledgerAfter } from './toid.ts'

/** The contracts whose events are indexed. */
export function eventContracts(contracts: ContractAddresses): EventContracts {
  const { market, vault, vaultFactory, referral } = contracts
  return { market, vault, vaultFactory, referral }
}

/** Why the configuration asks for a new epoch; undefined when the current one goes on. */
export function epochChange(current: Epoch, wanted: { passphrase: string; contracts: EventContracts }): EpochReason | undefined {
  if (current.passphrase !== wanted.passphrase) return 'reset'
  return EVENT_CONTRACT_KEYS.every((key) => current.contracts[key] === wanted.contracts[key]) ? undefined : 'contracts'
}

/** Bytes of an epoch's random name. */
const EPOCH_NAME_BYTES = 4

/** A name for an epoch. */
export function randomEpochName(random: Random): string {
  return Buffer.from(random.bytes(EPOCH_NAME_BYTES)).toString('hex')
}

/** The epoch that follows: a reset starts a new chain; the same market on the same chain continues its deployment. */
export function nextEpoch(
  epochs: readonly Epoch[],
  wanted: { reason: EpochReason; passphrase: string; contracts: EventContracts; startLedger: number },
  random: Random,
): Epoch {
  const last = epochs.at(-1)
  assert((last === undefined) === (wanted.reason === 'first'), 'only the first epoch has none before it')
  const number = (last?.number ?? 0) + 1
  const chain = last === undefined ? 1 : last.chain + (wanted.reason === 'reset' ? 1 : 0)
  const sameMarket = epochs.find((epoch) => epoch.chain === chain && epoch.contracts.market === wanted.contracts.market)
  return {
    ...wanted,
    number,
    epoch: randomEpochName(random),
    chain,
    deployment: sameMarket?.deployment ?? number,
    finalCursor: null,
  }
}

/**
 * Begins an epoch in one transaction. `seq` goes on; everything else about the place in the chain starts anew. Where a contract that was indexed before comes
 * along, the ledgers that the RPC has dropped since are noted as lost. `latest` is the RPC's latest ledger, by which another chain is told from this one.
 */
export async function beginEpoch(
  db: Writer,
  before: readonly Epoch[],
  epoch: Epoch,
  where: { readonly from: IndexCursor | null; readonly latest: LedgerCloseTime | null },
  nowMs: number,
): Promise<void> {
  const { from, latest } = where
  const sealed = before.map((known) => (known.number === from?.epoch ? { ...known, finalCursor: from.cursor } : known))
  const fromLedger = firstLostLedger(sealed, epoch)
  const to: IndexCursor = {
    epoch: epoch.number,
    cursor: null,
    startLedger: epoch.startLedger,
    lastLedger: null,
    lastLedgerCloseTs: null,
    lastSeq: from?.lastSeq ?? 0,
    reservedSeq: from?.reservedSeq ?? 0,
    oldestLedger: null,
    seen: epoch.reason === 'contracts' ? from?.seen ?? null : latest,
    unknownEvents: from?.unknownEvents ?? 0,
  }
  await db.transaction(async (tx) => {
    await insertEpoch(tx, epoch, from?.cursor ?? null, nowMs)
    await updateIndexCursor(tx, from, to, nowMs)
    if (fromLedger === undefined) return
    const afterTs = from?.lastLedgerCloseTs ?? null
    await insertGap(tx, { epoch: epoch.number, fromLedger, toLedger: epoch.startLedger - 1, afterTs, fillCursor: null, afterSeq: lastReservedSeq(to) }, nowMs)
  })
}

/** The first ledger that was not read of a contract of this epoch that an earlier one had; undefined when the epoch begins early enough. */
function firstLostLedger(before: readonly Epoch[], epoch: Epoch): number | undefined {
  const until = archivedUntil(before, epoch)
  const firsts = Object.values(epoch.contracts).map((address) => until.get(address)).filter((cursor) => cursor !== undefined).map(ledgerAfter)
  const first = Math.min(...firsts)
  return first < epoch.startLedger ? first : undefined
}

/** Which contract an address is in this epoch. */
export function contractNames(epoch: Epoch): ReadonlyMap<string, EventContractKey> {
  return new Map(EVENT_CONTRACT_KEYS.map((key) => [epoch.contracts[key], key]))
}

/**
 * Up to where earlier epochs of the same chain have archived each contract: an epoch that begins because one address changed reads the chain from the start for
 * that one's sake, and must not archive the others' events twice.
 */
export function archivedUntil(epochs: readonly Epoch[], current: Epoch): ReadonlyMap<string, string> {
  const until = new Map<string, string>()
  for (const epoch of epochs) {
    if (epoch.number === current.number || epoch.chain !== current.chain || epoch.finalCursor === null) continue
    for (const address of Object.values(epoch.contracts)) {
      if (epoch.finalCursor > (until.get(address) ?? '')) until.set(address, epoch.finalCursor)
    }
  }
  return until
}

/** The id under which an event is served: the RPC's own in the first epoch; later ones carry their name, since a chain's ids can repeat. */
export function publicEventId(epoch: Epoch, id: string): string {
  return epoch.number === 1 ? id : `${id}-${epoch.epoch}`
}
