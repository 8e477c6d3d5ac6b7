// Declares what an actor's call may touch when it is applied, besides what its simulation touched: prices change and others trade in between.

import { Address, Asset, StrKey, xdr } from '@stellar/stellar-sdk'
import type { ContractKey } from '../../src/exchange/contracts/contracts.ts'
import { coverCall } from '../../src/exchange/contracts/footprint-keys.ts'
import type { EntryKey, ExchangeParties, KeyPart } from '../../src/exchange/contracts/footprint-keys.ts'
import { TEST_NETWORK_SETTINGS, withHeadroom } from '../../src/exchange/contracts/resource-headroom.ts'
import { symbol, vec } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import { contractDataKey, instanceKey, trustlineKey } from '../ledger/keys.ts'
import { fromScVal } from '../scval.ts'
import type { Invocation } from './envelope.ts'

/** Ids to cover: about as many as the other actors use in one ledger. */
const NEXT_IDS = 16

/** Reads which of these entries (LedgerKeys in base64) exist, with the last ledger of their TTL; null for entries without one. */
export type ReadLifetimes = (keys: readonly string[]) => Promise<ReadonlyMap<string, number | null>>

/** The transaction data of a simulated call with a larger footprint, more resources and their fee. `sequence` is the latest ledger. */
export async function extendFootprint(
  data: xdr.SorobanTransactionData, call: Invocation & { readonly caller: string }, parties: ExchangeParties | undefined, sequence: number,
  readLifetimes: ReadLifetimes,
): Promise<xdr.SorobanTransactionData> {
  const { footprint, instructions, diskReadBytes, writeBytes } = data.resources
  const reads = new Map(footprint.readOnly.map((key) => [key.toXdr('base64'), key]))
  const writes = new Map(footprint.readWrite.map((key) => [key.toXdr('base64'), key]))
  const covered = parties === undefined ? [] : coveredEntries(call, parties, [...writes.values(), ...reads.values()])
  const added = covered.filter(({ keyXdr, isWritten }) => !writes.has(keyXdr) && (isWritten || !reads.has(keyXdr)))
  const lifetimes = await readLifetimes(added.filter(({ isNextId }) => !isNextId).map(({ keyXdr }) => keyXdr))
  let [entries, nextIds, created, diskReads] = [0, 0, 0, 0]
  for (const { keyXdr, isWritten, isNextId, isTrustline } of added) {
    const lifetime = lifetimes.get(keyXdr)
    const isArchived = lifetime !== undefined && lifetime !== null && lifetime < sequence
    const isFull = writes.size >= TEST_NETWORK_SETTINGS.limits.writeEntries || writes.size + reads.size >= TEST_NETWORK_SETTINGS.limits.footprintEntries
    if (isArchived || isFull || writes.has(keyXdr)) continue
    const key = xdr.LedgerKey.fromXdr(keyXdr, 'base64')
    if (!reads.has(keyXdr)) {
      entries++
      if (isTrustline) diskReads++
    }
    reads.delete(keyXdr)
    if (isNextId) nextIds++
    else if (isWritten && lifetime === undefined) created++
    const declared = isWritten ? writes : reads
    declared.set(keyXdr, key)
  }
  const extended = new xdr.LedgerFootprint({ readOnly: [...reads.values()], readWrite: [...writes.values()] })
  const build = (resources: Omit<ConstructorParameters<typeof xdr.SorobanResources>[0], 'footprint'>, resourceFee: bigint): xdr.SorobanTransactionData =>
    new xdr.SorobanTransactionData({ ext: data.ext, resources: new xdr.SorobanResources({ footprint: extended, ...resources }), resourceFee })
  const simulated = { instructions, diskReadBytes, writeBytes }
  const bytes = build(simulated, 0n).toXdr().length - data.toXdr().length
  const additions = { entries, writes: writes.size - footprint.readWrite.length, nextIds, created, diskReads, bytes }
  const { resourceFee, ...resources } = withHeadroom({ ...simulated, resourceFee: data.resourceFee }, additions, TEST_NETWORK_SETTINGS)
  return build(resources, resourceFee)
}

interface Covered {
  readonly keyXdr: string
  readonly isWritten: boolean
  readonly isNextId: boolean
  readonly isTrustline: boolean
}

function coveredEntries(call: Invocation & { readonly caller: string }, parties: ExchangeParties, declared: readonly xdr.LedgerKey[]): readonly Covered[] {
  const contract = Object.entries(parties.contracts).find(([, address]) => address === call.contract)?.[0] as ContractKey | undefined
  if (contract === undefined) return []
  const touched = declared.map(readEntryKey).filter((key) => key !== undefined)
  return coverCall({ ...call, contract }, touched, parties, NEXT_IDS).map(({ key, isWritten, isNextId }) => ({
    isWritten, isNextId, isTrustline: key.kind === 'trustline',
    keyXdr: keyXdrOf(key),
  }))
}

function keyXdrOf(key: EntryKey): string {
  if (key.kind === 'trustline') return trustlineKey(key.account, key.asset)
  return key.kind === 'instance' ? instanceKey(key.contract) : contractDataKey(key.contract, key.durability, vec(symbol(key.name), ...key.parts))
}

function readEntryKey(key: xdr.LedgerKey): EntryKey | undefined {
  if (key.type === 'trustline') {
    const { accountId, asset } = key.trustLine
    if (asset.type !== 'assetTypeCreditAlphanum4' && asset.type !== 'assetTypeCreditAlphanum12') return undefined
    return { kind: 'trustline', account: StrKey.encodeEd25519PublicKey(accountId.ed25519.value), asset: Asset.fromOperation(asset).toString() }
  }
  const storageKey = key.type === 'contractData' ? fromScVal(key.contractData.key) : undefined
  if (key.type !== 'contractData' || storageKey?.type !== 'vec') return undefined
  const [name, ...parts] = storageKey.value
  if (name?.type !== 'symbol' || !parts.every(isKeyPart)) return undefined
  const durability = key.contractData.durability.name === 'persistent' ? 'persistent' : 'temporary'
  return { kind: 'data', contract: Address.fromScAddress(key.contractData.contract).toString(), durability, name: name.value, parts }
}

const isKeyPart = (val: Val): val is Val & KeyPart =>
  val.type === 'address' || val.type === 'symbol' || val.type === 'u32' || val.type === 'u64' || val.type === 'bytes'
