// The footprint of a simulated transaction: its keys as entries of the exchange, and transaction data that declares more than the simulation used.

import { Address, Asset, xdr } from '@stellar/stellar-sdk'

import type { EntryKey, KeyPart } from '../../exchange/contracts/footprint-keys.ts'
import type { DeclaredResources } from '../../exchange/contracts/resource-headroom.ts'
import { encodeAccount, isAddress } from '../../base/strkey.ts'
import { bytesOfText } from '../../base/text.ts'
import { instanceKey, LEDGER_ENTRY, trustlineKey } from './ledger-keys.ts'
import { readScAddress, readScVal, SCV, typeOfScVal } from './scval.ts'
import { decodeTransactionData } from './transaction.ts'
import type { RawXdr } from './xdr-reader.ts'
import { readXdr } from './xdr-reader.ts'

/** The footprint and resources that the transaction data of a simulation declares. Keys are base64 LedgerKeys. */
export interface SimulatedFootprint {
  readonly readOnly: readonly string[]
  readonly readWrite: readonly string[]
  readonly resources: DeclaredResources
}

/** Reads SorobanTransactionData (base64); throws MalformedResponse and NewerThanKnown. */
export function readFootprint(transactionDataXdr: string): SimulatedFootprint {
  const { resources, resourceFee } = decodeTransactionData(transactionDataXdr)
  const { footprint, instructions, diskReadBytes, writeBytes } = resources
  return {
    readOnly: footprint.readOnly.map((key) => key.toXdr('base64')),
    readWrite: footprint.readWrite.map((key) => key.toXdr('base64')),
    resources: { instructions, diskReadBytes, writeBytes, resourceFee },
  }
}

/** The transaction data with this footprint and these resources. Written keys keep their order: the data names archived ones by their index. */
export function replaceFootprint(
  transactionDataXdr: string, { readOnly, readWrite }: { readonly readOnly: readonly string[]; readonly readWrite: readonly string[] },
  { instructions, diskReadBytes, writeBytes, resourceFee }: DeclaredResources,
): string {
  const { ext } = decodeTransactionData(transactionDataXdr)
  const decode = (key: string): xdr.LedgerKey => xdr.LedgerKey.fromXdr(key, 'base64')
  const footprint = new xdr.LedgerFootprint({ readOnly: readOnly.map(decode), readWrite: readWrite.map(decode) })
  const resources = new xdr.SorobanResources({ footprint, instructions, diskReadBytes, writeBytes })
  return new xdr.SorobanTransactionData({ ext, resources, resourceFee }).toXdr('base64')
}

/** A key that names an entry of the exchange or a trustline; undefined for all others, such as the tag of an external executable. */
export function readEntryKey(keyXdr: string): EntryKey | undefined {
  const key = readXdr(xdr.LedgerKey, keyXdr)
  if (key.type === LEDGER_ENTRY.trustline) return readTrustlineKey(keyXdr)
  if (key.type !== LEDGER_ENTRY.contractData || typeOfScVal(key.contractData.key) !== SCV.vec) return undefined
  const value = readXdr(xdr.ScVal, key.contractData.key.raw)
  const [first, ...rest] = value.type === SCV.vec ? value.vec ?? [] : []
  // Anyone can declare keys, also values that are nested too deeply to be read.
  const name = first !== undefined && typeOfScVal(first) === SCV.symbol ? readScVal(first) : undefined
  const parts = rest.map(readPart).filter((part) => part !== undefined)
  if (name?.type !== 'symbol' || parts.length !== rest.length) return undefined
  const contract = readScAddress(key.contractData.contract)
  return { kind: 'data', contract, durability: key.contractData.durability === PERSISTENT ? 'persistent' : 'temporary', name: name.value, parts }
}

const PERSISTENT = xdr.ContractDataDurability.persistent.value

function readTrustlineKey(keyXdr: string): EntryKey | undefined {
  const key = xdr.LedgerKey.fromXdr(keyXdr, 'base64')
  if (key.type !== 'trustline') return undefined
  const { accountId, asset } = key.trustLine
  if (asset.type !== 'assetTypeCreditAlphanum4' && asset.type !== 'assetTypeCreditAlphanum12') return undefined
  return { kind: 'trustline', account: encodeAccount(accountId.ed25519.value), asset: Asset.fromOperation(asset).toString() }
}

const READ_IN_KEYS: ReadonlySet<number> = new Set([SCV.address, SCV.symbol, SCV.u32, SCV.u64])

function readPart(part: RawXdr): KeyPart | undefined {
  if (typeOfScVal(part) === SCV.bytes) {
    const value = readXdr(xdr.ScVal, part.raw)
    return value.type === SCV.bytes ? { type: 'bytes', value: value.bytes } : undefined
  }
  if (!READ_IN_KEYS.has(typeOfScVal(part))) return undefined
  const value = readScVal(part)
  switch (value.type) {
    case 'address':
      // No entry of the exchange belongs to any other kind of address.
      return isAddress(value.value) ? value : undefined
    case 'symbol':
    case 'u32':
    case 'u64':
      return value
    default:
      return undefined
  }
}

/** The base64 LedgerKey of an entry; undefined for a trustline to something that is not an asset. */
export function entryKeyXdr(key: EntryKey): string | undefined {
  if (key.kind === 'trustline') return trustlineKey(key.account, key.asset)
  if (key.kind === 'instance') return instanceKey(key.contract)
  const parts = [xdr.ScVal.scvSymbol(bytesOfText(key.name)), ...key.parts.map(writePart)]
  return xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: new Address(key.contract).toScAddress(), key: xdr.ScVal.scvVec(parts), durability: xdr.ContractDataDurability[key.durability],
    }),
  ).toXdr('base64')
}

function writePart(part: KeyPart): xdr.ScVal {
  switch (part.type) {
    case 'address':
      return new Address(part.value).toScVal()
    case 'symbol':
      return xdr.ScVal.scvSymbol(bytesOfText(part.value))
    case 'u32':
      return xdr.ScVal.scvU32(part.value)
    case 'u64':
      return xdr.ScVal.scvU64(part.value)
    case 'bytes':
      return xdr.ScVal.scvBytes(part.value)
  }
}
