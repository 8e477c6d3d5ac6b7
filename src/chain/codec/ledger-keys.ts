// Keys and values of ledger entries, as getLedgerEntries takes and returns them.

import { Address, Asset, StrKey, xdr } from '@stellar/stellar-sdk'

import { bytesOfText } from '../../base/text.ts'
import type { ScArgument, ScValue } from './scval.ts'
import { NewerThanKnown } from './newer-than-known.ts'
import { BASE64_MAX_LENGTH, MalformedScVal, readScVal, SCV, toXdr, typeOfScVal } from './scval.ts'
import type { Decoded, RawXdr } from './xdr-reader.ts'
import { readXdr } from './xdr-reader.ts'

/** The base64 LedgerKey of a contract's persistent entry. */
export function contractDataKey(contract: string, key: ScArgument): string {
  return persistentKey(contract, toXdr(key))
}

/** The base64 LedgerKey of a contract's instance, which holds its instance storage. */
export function instanceKey(contract: string): string {
  return persistentKey(contract, xdr.ScVal.scvLedgerKeyContractInstance())
}

/** The base64 LedgerKey of the entry that names the code of contracts with this owner and tag; the tag is text as textOfBytes returns it. */
export function executableTagKey(owner: string, tag: string): string {
  return persistentKey(owner, xdr.ScVal.scvExecutableTag(bytesOfText(tag)))
}

function persistentKey(contract: string, key: xdr.ScVal): string {
  return xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({ contract: new Address(contract).toScAddress(), key, durability: xdr.ContractDataDurability.persistent }),
  ).toXdr('base64')
}

/** The base64 LedgerKey of a contract's entry, from the parts of the entry. */
export function contractDataKeyOf({ contract, key, durability }: { readonly contract: RawXdr; readonly key: RawXdr; readonly durability: number }): string {
  return Buffer.concat([uint(LEDGER_ENTRY.contractData), contract.raw, key.raw, uint(durability)]).toString('base64')
}

function uint(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The discriminants of ledger entries and keys. */
export const LEDGER_ENTRY = { account: 0, trustline: 1, contractData: 6, contractCode: 7 } as const

/** The role of a base64 LedgerKey's entry for the code of contracts: `code` is code itself, `tag` names code. Null for all other entries. */
export function codeRoleOf(keyXdr: string): 'code' | 'tag' | null {
  const key = readXdr(xdr.LedgerKey, keyXdr)
  if (key.type === LEDGER_ENTRY.contractCode) return 'code'
  return key.type === LEDGER_ENTRY.contractData && typeOfScVal(key.contractData.key) === SCV.executableTag ? 'tag' : null
}

/** The value of a contract's entry. Undefined for anything else, including invalid XDR. */
export function contractDataValue(dataXdr: string): ScValue | undefined {
  const value = contractDataXdr(dataXdr)
  return value === undefined ? undefined : decoded(value)
}

/** A contract's instance storage, by the names of its keys. Undefined for anything that is not an instance. */
export function instanceStorage(dataXdr: string): ReadonlyMap<string, ScValue> | undefined {
  const value = contractDataXdr(dataXdr)
  const instance = value !== undefined && typeOfScVal(value) === SCV.instance ? readXdr(xdr.ScVal, value.raw) : undefined
  if (instance?.type !== SCV.instance) return undefined
  const named = new Map<string, ScValue>()
  for (const { key, val } of instance.instance.storage ?? []) {
    const name = nameOf(decoded(key))
    const stored = decoded(val)
    if (name !== undefined && stored !== undefined) named.set(name, stored)
  }
  return named
}

/** A storage key is a vector that begins with its name. A key with more parts is not identified by its name. */
function nameOf(key: ScValue | undefined): string | undefined {
  const symbol = key?.type === 'vec' && key.value.length === 1 ? key.value[0] : key
  return symbol?.type === 'symbol' ? symbol.value : undefined
}

function contractDataXdr(dataXdr: string): RawXdr | undefined {
  const data = entryData(dataXdr)
  return data?.type === LEDGER_ENTRY.contractData ? data.contractData.val : undefined
}

function decoded(value: RawXdr): ScValue | undefined {
  try {
    return readScVal(value)
  } catch (error) {
    if (error instanceof MalformedScVal || error instanceof NewerThanKnown) return undefined
    throw error
  }
}

function entryData(dataXdr: string): Decoded<typeof xdr.LedgerEntryData> | undefined {
  if (dataXdr.length > BASE64_MAX_LENGTH) return undefined
  try {
    return readXdr(xdr.LedgerEntryData, dataXdr)
  } catch {
    return undefined
  }
}

/** A classic asset: `CODE:ISSUER`. */
export type ClassicAsset = string

/** The contract of a classic asset on this network; undefined when the text is not an asset. */
export function assetContract(asset: ClassicAsset, networkPassphrase: string): string | undefined {
  return classicAsset(asset)?.contractId(networkPassphrase)
}

/** The base64 LedgerKey of an account's (`G…`) trustline to an asset; undefined when the text is not an asset. */
export function trustlineKey(account: string, asset: ClassicAsset): string | undefined {
  const line = classicAsset(asset)?.toTrustLineXdrObject()
  if (line === undefined) return undefined
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(account))
  return xdr.LedgerKey.trustline(new xdr.LedgerKeyTrustLine({ accountId, asset: line })).toXdr('base64')
}

function classicAsset(text: ClassicAsset): Asset | undefined {
  const [code = '', issuer = '', more] = text.split(':')
  if (!/^[A-Za-z0-9]{1,12}$/.test(code) || !StrKey.isValidEd25519PublicKey(issuer) || more !== undefined) return undefined
  return new Asset(code, issuer)
}

/** The balance of an account or trustline, in units of 10^-7. Undefined for any other entry. */
export function classicBalance(dataXdr: string): bigint | undefined {
  const data = entryData(dataXdr)
  if (data?.type === LEDGER_ENTRY.account) return data.account.balance
  return data?.type === LEDGER_ENTRY.trustline ? data.trustLine.balance : undefined
}
