// Decodes stored LedgerEntryData.

import type { xdr } from '@stellar/stellar-sdk'
import { AssertionFailure, defined } from '../../src/base/assert.ts'
import type { Val } from '../contracts/shared/host.ts'
import { addressOf, fromScVal, keyBytes, valToBase64 } from '../scval.ts'
import { accountAddress } from './addresses.ts'
import type { AccountEntry, Entry } from './entries.ts'
import { toHex } from './xdr-writer.ts'

/** Decodes an entry that this ledger wrote. Throws AssertionFailure for entry types that it never writes. */
export function decodeEntry(data: xdr.LedgerEntryData): Entry {
  switch (data.type) {
    case 'account':
      return decodeAccount(data.account)
    case 'trustline':
      return {
        kind: 'trustline',
        account: accountAddress(keyBytes(data.trustLine.accountId)),
        asset: assetText(data.trustLine.asset),
        balance: data.trustLine.balance,
        limit: data.trustLine.limit,
        flags: data.trustLine.flags,
      }
    case 'data':
      return {
        kind: 'data',
        account: accountAddress(keyBytes(data.data.accountId)),
        name: data.data.dataName.toString(),
        value: data.data.dataValue.value,
      }
    case 'contractData':
      return decodeContractData(data.contractData)
    case 'contractCode':
      return { kind: 'code', hash: toHex(data.contractCode.hash.value), wasm: data.contractCode.code }
    default:
      throw new AssertionFailure(`the ledger never writes entries of type ${data.type}`)
  }
}

function decodeAccount(entry: xdr.AccountEntry): AccountEntry {
  const extension = entry.ext.type === 'v1' ? entry.ext.v1.ext : null
  const inner = extension?.type === 'v2' ? extension.v2.ext : null
  const sequence = inner?.type === 'v3' ? inner.v3 : null
  const [master = 1, low = 0, medium = 0, high = 0] = entry.thresholds.value
  return {
    kind: 'account',
    account: accountAddress(keyBytes(entry.accountId)),
    balance: entry.balance,
    seqNum: entry.seqNum,
    subEntries: entry.numSubEntries,
    flags: entry.flags,
    homeDomain: entry.homeDomain.toString(),
    thresholds: [master, low, medium, high],
    signers: entry.signers.map((signer) => ({ key: signerAddress(signer.key), weight: signer.weight })),
    seqLedger: sequence?.seqLedger ?? 0,
    seqTimeSec: Number(sequence?.seqTime ?? 0n),
  }
}

function signerAddress(key: xdr.SignerKey): string {
  if (key.type !== 'signerKeyTypeEd25519') throw new AssertionFailure('only Ed25519 signers are ever set')
  return accountAddress(key.ed25519.value)
}

/** `native` or `CODE:ISSUER`. */
export function assetText(asset: xdr.Asset | xdr.TrustLineAsset | xdr.ChangeTrustAsset): string {
  switch (asset.type) {
    case 'assetTypeNative':
      return 'native'
    case 'assetTypeCreditAlphanum4':
      return `${codeText(asset.alphaNum4.assetCode.value)}:${accountAddress(keyBytes(asset.alphaNum4.issuer))}`
    case 'assetTypeCreditAlphanum12':
      return `${codeText(asset.alphaNum12.assetCode.value)}:${accountAddress(keyBytes(asset.alphaNum12.issuer))}`
    default:
      return ''
  }
}

function codeText(code: Uint8Array): string {
  return Buffer.from(code).toString('latin1').replace(/\0+$/u, '')
}

function decodeContractData(entry: xdr.ContractDataEntry): Entry {
  const contract = defined(addressOf(entry.contract), 'the address of contract data')
  if (entry.key.type === 'scvLedgerKeyNonce') return { kind: 'nonce', address: contract, nonce: entry.key.nonceKey.nonce }
  if (entry.val.type === 'scvContractInstance') return decodeInstance(contract, entry.val.instance)
  return {
    kind: 'contractData',
    contract,
    key: knownVal(entry.key),
    durability: entry.durability.name === 'temporary' ? 'temporary' : 'persistent',
    value: knownVal(entry.val),
  }
}

function decodeInstance(contract: string, instance: xdr.ScContractInstance): Entry {
  const storage = new Map<string, readonly [Val, Val]>()
  for (const { key, val } of instance.storage ?? []) {
    const decoded = knownVal(key)
    storage.set(valToBase64(decoded), [decoded, knownVal(val)])
  }
  const { executable } = instance
  return {
    kind: 'instance',
    contract,
    wasmHash: executable.type === 'contractExecutableWasm' ? toHex(executable.wasmHash.value) : null,
    storage,
  }
}

function knownVal(scVal: xdr.ScVal): Val {
  return defined(fromScVal(scVal), 'a value of a known type in contract data')
}
