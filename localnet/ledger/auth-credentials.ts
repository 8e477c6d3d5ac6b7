// Checks address credentials: expiration, signature and nonce (soroban-rpc, "Authorization" and "Hashes").

import type { xdr } from '@stellar/stellar-sdk'
import { ContractFailure } from '../contracts/shared/host.ts'
import { accountAddress, isAccountAddress, sha256 } from './addresses.ts'
import { TTL_MAX_LEDGERS } from './constants.ts'
import type { AccountEntry } from './entries.ts'
import { hostFailure } from './failure.ts'
import type { Failure } from './host-events.ts'
import type { HostStorage } from './host-storage.ts'
import { accountKey, nonceKey } from './keys.ts'
import type { Meter } from './meter.ts'
import { signerWeight, verifySignature } from './signatures.ts'
import { encode, putBytes, putI64, putU32 } from './xdr-writer.ts'

/** The credentials of an authorization entry that an address signed. */
export interface AddressCredentials {
  readonly address: string
  readonly nonce: bigint
  readonly expirationLedger: number
  readonly signature: xdr.ScVal
  /** SorobanAuthorizedInvocation. */
  readonly invocationXdr: Uint8Array
  /** SCAddress; null when the signature does not cover it (before addressV2). */
  readonly addressXdr: Uint8Array | null
}

/** The parts that checking credentials needs. */
export interface CredentialsContext {
  readonly storage: HostStorage
  readonly meter: Meter
  readonly networkId: Uint8Array
  readonly sequence: number
}

const ENVELOPE_TYPE_AUTHORIZATION = 9
const ENVELOPE_TYPE_AUTHORIZATION_WITH_ADDRESS = 10

/** The hash that the address signs. */
function authorizationHash(networkId: Uint8Array, credentials: Omit<AddressCredentials, 'signature' | 'address'>): Uint8Array {
  const { addressXdr } = credentials
  const preimage = encode((writer) => {
    putU32(writer, addressXdr === null ? ENVELOPE_TYPE_AUTHORIZATION : ENVELOPE_TYPE_AUTHORIZATION_WITH_ADDRESS)
    putBytes(writer, networkId)
    putI64(writer, credentials.nonce)
    putU32(writer, credentials.expirationLedger)
    if (addressXdr !== null) putBytes(writer, addressXdr)
    putBytes(writer, credentials.invocationXdr)
  })
  return sha256(preimage)
}

/** Throws Auth/InvalidInput when the expiration ledger has passed or is too far ahead, Auth/InvalidAction when the signature is invalid. */
export function authenticate(context: CredentialsContext, credentials: AddressCredentials): void {
  const { sequence } = context
  const { address, expirationLedger } = credentials
  const values = [{ type: 'address', value: address }, { type: 'u32', value: sequence }, { type: 'u32', value: expirationLedger }] as const
  if (expirationLedger < sequence) throw hostFailure('Auth', 'InvalidInput', 'signature has expired', ...values)
  if (expirationLedger >= sequence + TTL_MAX_LEDGERS) {
    throw hostFailure('Auth', 'InvalidInput', 'signature expiration is too late', ...values)
  }
  const cause = authenticationFailure(context, credentials)
  if (cause !== undefined) {
    const causeVal = { type: 'error', value: cause } as const
    throw hostFailure('Auth', 'InvalidAction', 'failed account authentication with error', { type: 'address', value: address }, causeVal)
  }
}

/** Stores the nonce until the signature expires. Throws Auth/ExistingValue when it was consumed before. */
export function consumeNonce({ storage }: CredentialsContext, credentials: AddressCredentials): void {
  const { address, nonce, expirationLedger } = credentials
  const key = nonceKey(address, nonce)
  if (storage.get(key) !== undefined) {
    throw hostFailure('Auth', 'ExistingValue', 'nonce already exists for address', { type: 'address', value: address })
  }
  storage.put(key, { kind: 'nonce', address, nonce }, { liveUntil: expirationLedger })
}

const AUTHENTICATION_ERROR = 5
const ACCOUNT_MISSING = 6

function authenticationFailure(context: CredentialsContext, credentials: AddressCredentials): Failure | undefined {
  const { address } = credentials
  // The local contracts have no __check_auth, so a contract address cannot sign.
  if (!isAccountAddress(address)) return hostFailure('WasmVm', 'MissingValue', 'trying to invoke non-existent contract function')
  const account = context.storage.get(accountKey(address))
  if (account?.kind !== 'account') return new ContractFailure(ACCOUNT_MISSING)
  return signaturesMeetThreshold(context, account, credentials) ? undefined : new ContractFailure(AUTHENTICATION_ERROR)
}

/** The signature is a vec of maps {public_key, signature}, sorted by key. Their weights must reach the medium threshold. */
function signaturesMeetThreshold({ meter, networkId }: CredentialsContext, account: AccountEntry, credentials: AddressCredentials): boolean {
  const { signature } = credentials
  if (signature.type !== 'scvVec' || signature.vec === null || signature.vec.length === 0) return false
  const hash = authorizationHash(networkId, credentials)
  let weight = 0
  let previousKey: Uint8Array | undefined
  for (const item of signature.vec) {
    const publicKey = bytesField(item, 'public_key')
    const signatureBytes = bytesField(item, 'signature')
    if (publicKey?.length !== 32 || signatureBytes === undefined) return false
    if (previousKey !== undefined && Buffer.compare(previousKey, publicKey) >= 0) return false
    previousKey = publicKey
    const key = accountAddress(publicKey)
    const keyWeight = signerWeight(account, key)
    meter.charge('signature')
    if (keyWeight === 0 || !verifySignature(key, hash, signatureBytes)) return false
    weight += keyWeight
  }
  return weight >= Math.max(1, account.thresholds[2])
}

function bytesField(map: xdr.ScVal, name: string): Uint8Array | undefined {
  if (map.type !== 'scvMap' || map.map === null) return undefined
  const entry = map.map.find(({ key }) => key.type === 'scvSymbol' && key.sym.toString() === name)
  return entry?.val.type === 'scvBytes' ? entry.val.bytes.value : undefined
}
