// Authenticates requests by their headers (specification, "Authentication").

import { hash, timingSafeEqual } from 'node:crypto'
import { createCache } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { TIMESTAMP_TOLERANCE_SEC } from '../limits.ts'
import type { KeyIdentity, CachedKey, KeyCache } from './key-cache.ts'
import { allowsAddress } from './restrictions.ts'

/** Specification, "Authentication failures". */
export type AuthenticationFailure =
  | 'missing_bearer' | 'malformed_bearer' | 'missing_timestamp' | 'stale_timestamp' | 'invalid_credentials' | 'key_expired' | 'address_not_allowed'

/** `unknown` when the key cannot be looked up. */
export type Authentication = KeyIdentity | AuthenticationFailure | 'unknown'

/** Whom a request comes from. */
interface KeyClient {
  /** The address, which a key's networks are compared with. */
  readonly address: string
  /** The bucket of the address: requests with unknown ids take turns by it. */
  readonly bucket: string
}

/**
 * Checks the headers Authorization and X-Timestamp of a client. `timestamp` is null where there is no such header: at a login to the
 * stream. Synchronous unless the key has to be looked up. Never rejects.
 */
export type Authenticate = (
  authorization: string | undefined, timestamp: string | null | undefined, client: KeyClient,
) => Authentication | Promise<Authentication>

/** Ids and secrets in another format were never issued, so they are not looked up. */
const KEY_ID = /^nk_[0-9a-f]{24}$/
const SECRET = /^[0-9a-f]{64}$/
/** The maximum number of cached headers; the least recently used is evicted. Each key has one cached header, so one key cannot evict the others. */
const MAX_VERIFIED_HEADERS = 10_000
/** Compared when the key does not exist, so that the response time does not reveal it. */
const PLACEHOLDER_DIGEST = Buffer.alloc(64, '-')

export interface AuthenticationParts {
  readonly keys: KeyCache
  readonly clock: Clock
  readonly log: Log
  /** Rejects requests without X-Timestamp. */
  readonly requireTimestamp: boolean
}

export function createAuthentication({ keys, clock, log, requireTimestamp }: AuthenticationParts): Authenticate {
  // Key id and rotation by header. Saves hashing the secret, which is half of the cost of authentication. In memory only.
  const verified = createCache<string, VerifiedHeader>(MAX_VERIFIED_HEADERS)
  const digest = Buffer.alloc(64)
  let lookupFailing = false

  function verify(key: CachedKey | undefined, header: string, proof: Proof, client: KeyClient): Authentication {
    const identity = typeof proof === 'string' ? identify(key, proof) : identityOf(key, proof.rotation)
    if (key === undefined || key.revoked || identity === undefined || hasEnded(identity)) {
      verified.delete(header)
      return 'invalid_credentials'
    }
    const { keyId, rotation, restrictions: { expiresAt } } = identity
    // Other spellings (case, whitespace) are not cached: a key could fill the cache with them.
    if (typeof proof === 'string' && header === `Bearer ${keyId}:${proof}`) verified.set(header, { keyId, rotation })
    if (expiresAt !== null && clock.nowMs() >= expiresAt) return 'key_expired'
    if (!allowsAddress(key.networks, client.address)) return 'address_not_allowed'
    keys.recordUse(keyId)
    return identity
  }

  /** The key with this secret. Compares it with two digests in any case. */
  function identify(key: CachedKey | undefined, secret: string): KeyIdentity | undefined {
    // As hex into a reused buffer: three times as fast as hashing into a new one.
    digest.write(hash('sha256', secret, 'hex'), 'latin1')
    const isNewest = timingSafeEqual(digest, key?.secretDigest ?? PLACEHOLDER_DIGEST)
    const isOutgoing = timingSafeEqual(digest, key?.outgoing?.secretDigest ?? PLACEHOLDER_DIGEST)
    if (isNewest) return key?.identity
    return isOutgoing ? key?.outgoing?.identity : undefined
  }

  function hasEnded({ secretUntil }: KeyIdentity): boolean {
    return secretUntil !== null && clock.nowMs() >= secretUntil
  }

  async function verifyFound(lookup: Promise<CachedKey | undefined>, ...rest: [string, Proof, KeyClient]): Promise<Authentication> {
    try {
      const key = await lookup
      lookupFailing = false
      return verify(key, ...rest)
    } catch (cause) {
      if (!lookupFailing) log.warn({ err: cause }, 'API keys cannot be looked up: requests with a key fail until the database responds')
      lookupFailing = true
      return 'unknown'
    }
  }

  return (authorization, timestamp, client) => {
    if (authorization === undefined) return 'missing_bearer'
    const timestampFailure = checkTimestamp(timestamp)
    const known = timestampFailure === null ? verified.get(authorization) : undefined
    if (known !== undefined) return findAndVerify(known.keyId, authorization, known, client)
    const value = bearerValue(authorization)
    if (value === undefined) return 'missing_bearer'
    const colon = value.indexOf(':')
    if (colon === -1) return 'malformed_bearer'
    if (timestampFailure !== null) return timestampFailure
    const keyId = value.slice(0, colon)
    const secret = value.slice(colon + 1)
    return KEY_ID.test(keyId) && SECRET.test(secret) ? findAndVerify(keyId, authorization, secret, client) : verify(undefined, authorization, secret, client)
  }

  function checkTimestamp(timestamp: string | null | undefined): 'missing_timestamp' | 'stale_timestamp' | null {
    if (timestamp === undefined) return requireTimestamp ? 'missing_timestamp' : null
    return timestamp === null || isCurrent(timestamp, nowSec(clock)) ? null : 'stale_timestamp'
  }

  function findAndVerify(keyId: string, header: string, proof: Proof, client: KeyClient): Authentication | Promise<Authentication> {
    const found = keys.find(keyId, client.bucket)
    return found instanceof Promise ? verifyFound(found, header, proof, client) : verify(found, header, proof, client)
  }
}

/** A header that was verified before. */
interface VerifiedHeader {
  readonly keyId: string
  readonly rotation: number
}

/** The secret, or the header that had it when it was verified. */
type Proof = string | VerifiedHeader

/** The key with the secret of a rotation; undefined when that secret was replaced. */
export function identityOf(key: CachedKey | undefined, rotation: number): KeyIdentity | undefined {
  return [key?.identity, key?.outgoing?.identity].find((identity) => identity?.rotation === rotation)
}

/** The value after the scheme; undefined for another scheme. Servers trim headers, so an empty value arrives as the scheme alone. */
function bearerValue(authorization: string): string | undefined {
  if (authorization.startsWith('Bearer ')) return authorization.slice('Bearer '.length).trim()
  const match = /^bearer(?:\s+(.*))?$/i.exec(authorization)
  return match === null ? undefined : (match[1] ?? '')
}

/** `timestamp` is in Unix seconds; a fraction is ignored. False for anything else. */
function isCurrent(timestamp: string, currentSec: number): boolean {
  const match = /^(\d{1,12})(?:\.\d+)?$/.exec(timestamp.trim())
  return match !== null && Math.abs(Number(match[1]) - currentSec) <= TIMESTAMP_TOLERANCE_SEC
}
