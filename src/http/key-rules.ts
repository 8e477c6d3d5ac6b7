// What a key may do: the only place that enforces scopes, and the caps that need no count (additions to the specification, "Keys that can be lent").
// Networks and expiry belong to the authentication: a key that is used from elsewhere, or has ended, is no key.

import { bindsTransactions, scopesOf } from '../keys/restrictions.ts'
import type { KeyIdentity } from '../keys/key-cache.ts'
import { ENDPOINT_SCOPES, scopesOfCall } from '../resources/key-scopes.ts'
import type { ScopeChoice } from '../resources/key-scopes.ts'
import type { CapName, KeyCaps } from '../resources/key-restrictions.ts'
import type { ErrorResponse } from './errors.ts'

/** A call of the exchange that a request prepares or submits. */
export interface RequestedCall {
  readonly op: string
  /** The account that signs it; null: the owner of the key. */
  readonly signer: string | null
  /** True for an open or an entry order, which caps bound. */
  readonly isEntry: boolean
  readonly asset?: string
  readonly leverage?: number
}

/** The scopes of a route of the API. Undefined: a key with restrictions may not use it. */
export function scopesOfEndpoint(operationId: string | undefined, isOwnKey: boolean): ScopeChoice | null | undefined {
  const scopes = operationId === undefined || !Object.hasOwn(ENDPOINT_SCOPES, operationId) ? undefined : ENDPOINT_SCOPES[operationId]
  return scopes === undefined || scopes === null || !('own' in scopes) ? scopes : isOwnKey ? scopes.own : scopes.other
}

/** The rejection of a key that lacks the scope of an endpoint; null when it has it. `params`: those of the request's path. */
export function rejectEndpoint(key: KeyIdentity, operationId: string | undefined, params: unknown): ErrorResponse | null {
  const { keyId } = (params ?? {}) as { readonly keyId?: unknown }
  const scopes = scopesOfEndpoint(operationId, keyId === key.keyId)
  if (scopes === undefined) return bindsTransactions(key.restrictions) ? FORBIDDEN : null
  return scopes === null ? null : rejectMissing(key, scopes)
}

/**
 * The rejection of a key that may not prepare a call, or not submit it; null when it may. `call` null: the transaction is no single call of the exchange by its
 * source account.
 */
export function rejectCall(key: KeyIdentity, call: RequestedCall | null): ErrorResponse | null {
  if (!bindsTransactions(key.restrictions)) return null
  const scopes = scopesOfCall(call?.op ?? null)
  if (call === null || scopes === undefined || (call.signer !== null && call.signer !== key.owner)) return FOREIGN_TRANSACTION
  return rejectMissing(key, scopes) ?? (call.isEntry ? rejectEntry(key.restrictions.caps, call) : null)
}

/** 403 `cap_exceeded`. `used` is null for a cap that is not a sum. */
export function capExceeded(cap: CapName, limit: unknown, used: string | number | null): ErrorResponse {
  return { status: 403, body: { error: 'cap_exceeded', cap, limit, used, message: CAP_MESSAGES[cap] } }
}

const CAP_MESSAGES: Readonly<Record<CapName, string>> = {
  assets: 'This key may not trade the asset. Use one of those in limit, or another key.',
  maxLeverage: 'This key may not use so much leverage. Use at most limit, or another key.',
  maxNotionalPerDay:
    'The notional is more than what is left of the limit of this key, or of a key above it, for this UTC day. Use less, or wait for the next day.',
  maxOrdersPerDay: 'The limit of opens and entry orders of this key, or of a key above it, is used up for this UTC day. Wait for the next day.',
}

function rejectMissing({ restrictions }: KeyIdentity, scopes: ScopeChoice): ErrorResponse | null {
  const own = scopesOf(restrictions)
  return scopes.some((scope) => own.includes(scope)) ? null : scopeMissing(scopes[0], `This key lacks the scope ${scopes.join(' or ')}. Use a key that has it.`)
}

function scopeMissing(scope: string, message: string): ErrorResponse {
  return { status: 403, body: { error: 'scope_missing', scope, message } }
}

const FORBIDDEN = scopeMissing('trade', 'This key is restricted, and no scope allows this request. Use an unrestricted key.')
const FOREIGN_TRANSACTION = scopeMissing(
  'trade', 'This key submits only what it could have had prepared: one call of the exchange by the owner of the key. Prepare the transaction first.',
)

function rejectEntry(caps: KeyCaps | null, { asset = '', leverage = 0 }: RequestedCall): ErrorResponse | null {
  if (caps === null) return null
  if (caps.assets !== null && !caps.assets.includes(asset)) return capExceeded('assets', caps.assets, null)
  return caps.maxLeverage !== null && leverage > caps.maxLeverage ? capExceeded('maxLeverage', caps.maxLeverage, null) : null
}
