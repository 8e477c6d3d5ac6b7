// Keys and values of ledger entries, as getLedgerEntries takes and returns them.

import { Address, Asset, StrKey, xdr } from '@stellar/stellar-sdk'

import { bytesOfText } from '../base/text.ts'
import type { ScArgument, ScValue } from './scval.ts'
import { BASE64_MAX_LENGTH, fromScVal, MalformedScVal, toXdr } from './scval.ts'

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

/** The role of a base64 LedgerKey's entry for the code of contracts: `code` is code itself, `tag` names code. Null for all other entries. */
export function codeRoleOf(keyXdr: string): 'code' | 'tag' | null {
  const key = xdr.LedgerKey.fromXdr(keyXdr, 'base64')
  if (key.type === 'contractCode') return 'code'
  return key.type === 'contractData' && key.contractData.key.type === 'scvExecutableTag' ? 'tag' : null
}

/** The value of a contract's entry. Undefined for anything else, including invalid XDR. */
export function contractDataValue(dataXdr: string): ScValue | undefined {
  const value = contractDataXdr(dataXdr)
  return value === undefined ? undefined : decoded(value)
}

/** A contract's instance storage, by the names of its keys. Undefined for anything that is not an instance. */
export function instanceStorage(dataXdr: string): ReadonlyMap<string, ScValue> | undefined {
  const value = contractDataXdr(dataXdr)
  if (value?.type !== 'scvContractInstance') return undefined
  const named = new Map<string, ScValue>()
  for (const { key, val } of value.instance.storage ?? []) {
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

function contractDataXdr(dataXdr: string): xdr.ScVal | undefined {
  const data = entryData(dataXdr)
  return data?.type === 'contractData' ? data.contractData.val : undefined
}

function decoded(value: xdr.ScVal): ScValue | undefined {
  try {
    return fromScVal(value)
  } catch (error) {
    if (error instanceof MalformedScVal) return undefined
    throw error
  }
}

function entryData(dataXdr: string): xdr.LedgerEntryData | undefined {
  if (dataXdr.length > BASE64_MAX_LENGTH) return undefined
  try {
    return xdr.LedgerEntryData.fromXdr(dataXdr, 'base64')
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
  if (data?.type === 'account') return data.account.balance
  return data?.type === 'trustline' ? data.trustLine.balance : undefined
}
