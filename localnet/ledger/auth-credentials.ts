// Judging an authorization entry that an address signed: expiry, signature, nonce (soroban-rpc, "Authorization" and "Hashes").

import type { xdr } from '@stellar/stellar-sdk'
import { ContractFailure } from '../contracts/host.ts'
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

/** What an address signed. */
export interface AddressCredentials {
  readonly address: string
  readonly nonce: bigint
  readonly expirationLedger: number
  readonly signature: xdr.ScVal
  /** SorobanAuthorizedInvocation. */
  readonly invocationXdr: Uint8Array
  /** SCAddress, where the signature covers it too (addressV2). */
  readonly addressXdr: Uint8Array | null
}

interface CredentialsContext {
  readonly storage: HostStorage
  readonly meter: Meter
  readonly networkId: Uint8Array
  readonly sequence: number
}

const ENVELOPE_TYPE_AUTHORIZATION = 9
const ENVELOPE_TYPE_AUTHORIZATION_WITH_ADDRESS = 10

/** The hash that an address signs. */
export function authorizationHash(networkId: Uint8Array, credentials: Omit<AddressCredentials, 'signature' | 'address'>): Uint8Array {
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

/** Throws Auth/InvalidInput for an expiry that is past or too far, Auth/InvalidAction for a signature that does not hold. */
export function authenticate(context: CredentialsContext, credentials: AddressCredentials): void {
  const { sequence } = context
  const { address, expirationLedger } = credentials
  const named = [{ type: 'address', value: address }, { type: 'u32', value: sequence }, { type: 'u32', value: expirationLedger }] as const
  if (expirationLedger < sequence) throw hostFailure('Auth', 'InvalidInput', 'signature has expired', ...named)
  if (expirationLedger >= sequence + TTL_MAX_LEDGERS) {
    throw hostFailure('Auth', 'InvalidInput', 'signature expiration is too late', ...named)
  }
  const refusal = authenticationFailure(context, credentials)
  if (refusal !== undefined) {
    const inner = { type: 'error', value: refusal } as const
    throw hostFailure('Auth', 'InvalidAction', 'failed account authentication with error', { type: 'address', value: address }, inner)
  }
}

/** Marks the nonce as used until the signature expires. Throws Auth/ExistingValue when it was used before. */
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
  // None of the local contracts signs: they have no __check_auth.
  if (!isAccountAddress(address)) return hostFailure('WasmVm', 'MissingValue', 'trying to invoke non-existent contract function')
  const account = context.storage.get(accountKey(address))
  if (account?.kind !== 'account') return new ContractFailure(ACCOUNT_MISSING)
  return signaturesMeetThreshold(context, account, credentials) ? undefined : new ContractFailure(AUTHENTICATION_ERROR)
}

/** A vec of maps {public_key, signature}, sorted by key; together they must reach the medium threshold. */
function signaturesMeetThreshold({ meter, networkId }: CredentialsContext, account: AccountEntry, credentials: AddressCredentials): boolean {
  const { signature } = credentials
  if (signature.type !== 'scvVec' || signature.vec === null || signature.vec.length === 0) return false
  const hash = authorizationHash(networkId, credentials)
  let weight = 0
  let previous: Uint8Array | undefined
  for (const item of signature.vec) {
    const publicKey = bytesField(item, 'public_key')
    const signed = bytesField(item, 'signature')
    if (publicKey?.length !== 32 || signed === undefined) return false
    if (previous !== undefined && Buffer.compare(previous, publicKey) >= 0) return false
    previous = publicKey
    const key = accountAddress(publicKey)
    const own = signerWeight(account, key)
    meter.charge('signature')
    if (own === 0 || !verifySignature(key, hash, signed)) return false
    weight += own
  }
  return weight >= Math.max(1, account.thresholds[2])
}

function bytesField(map: xdr.ScVal, name: string): Uint8Array | undefined {
  if (map.type !== 'scvMap' || map.map === null) return undefined
  const entry = map.map.find(({ key }) => key.type === 'scvSymbol' && key.sym.toString() === name)
  return entry?.val.type === 'scvBytes' ? entry.val.bytes.value : undefined
}
