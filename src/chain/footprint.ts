// The footprint of a simulated transaction: its keys as entries of the exchange, and transaction data that declares more than the simulation used.

import { Address, Asset, StrKey, xdr } from '@stellar/stellar-sdk'

import type { EntryKey, KeyPart } from '../exchange/footprint-keys.ts'
import type { DeclaredResources } from '../exchange/resource-headroom.ts'
import { bytesOfText, textOfBytes } from '../base/text.ts'
import { instanceKey, trustlineKey } from './ledger-keys.ts'
import { MalformedResponse } from './responses.ts'

/** What the transaction data of a simulation declares. Keys are base64 LedgerKeys. */
export interface SimulatedFootprint {
  readonly readOnly: readonly string[]
  readonly readWrite: readonly string[]
  readonly resources: DeclaredResources
}

/** Reads SorobanTransactionData (base64); throws MalformedResponse. */
export function readFootprint(transactionDataXdr: string): SimulatedFootprint {
  const { resources, resourceFee } = decodeData(transactionDataXdr)
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
  const { ext } = decodeData(transactionDataXdr)
  const decode = (key: string): xdr.LedgerKey => xdr.LedgerKey.fromXdr(key, 'base64')
  const footprint = new xdr.LedgerFootprint({ readOnly: readOnly.map(decode), readWrite: readWrite.map(decode) })
  const resources = new xdr.SorobanResources({ footprint, instructions, diskReadBytes, writeBytes })
  return new xdr.SorobanTransactionData({ ext, resources, resourceFee }).toXdr('base64')
}

function decodeData(transactionDataXdr: string): xdr.SorobanTransactionData {
  try {
    return xdr.SorobanTransactionData.fromXdr(transactionDataXdr, 'base64')
  } catch {
    throw new MalformedResponse('transactionData does not decode')
  }
}

/** A key that names an entry of the exchange or a trustline; undefined for all others. */
export function readEntryKey(keyXdr: string): EntryKey | undefined {
  const key = xdr.LedgerKey.fromXdr(keyXdr, 'base64')
  if (key.type === 'trustline') return readTrustlineKey(key.trustLine)
  if (key.type !== 'contractData' || key.contractData.key.type !== 'scvVec') return undefined
  const [name, ...rest] = key.contractData.key.vec ?? []
  const parts = rest.map(readPart).filter((part) => part !== undefined)
  if (name?.type !== 'scvSymbol' || parts.length !== rest.length) return undefined
  return {
    kind: 'data',
    contract: Address.fromScAddress(key.contractData.contract).toString(),
    durability: key.contractData.durability.name === 'persistent' ? 'persistent' : 'temporary',
    name: textOfBytes(name.sym.bytes),
    parts,
  }
}

function readTrustlineKey({ accountId, asset }: xdr.LedgerKeyTrustLine): EntryKey | undefined {
  if (asset.type !== 'assetTypeCreditAlphanum4' && asset.type !== 'assetTypeCreditAlphanum12') return undefined
  return { kind: 'trustline', account: StrKey.encodeEd25519PublicKey(accountId.ed25519.value), asset: Asset.fromOperation(asset).toString() }
}

function readPart(part: xdr.ScVal): KeyPart | undefined {
  switch (part.type) {
    case 'scvAddress':
      return { type: 'address', value: Address.fromScVal(part).toString() }
    case 'scvSymbol':
      return { type: 'symbol', value: textOfBytes(part.sym.bytes) }
    case 'scvU32':
      return { type: 'u32', value: part.u32 }
    case 'scvU64':
      return { type: 'u64', value: part.u64 }
    case 'scvBytes':
      return { type: 'bytes', value: part.bytes.value }
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
