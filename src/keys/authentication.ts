// Who a request comes from, by its headers (specification, "Authentication").

import { hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { TIMESTAMP_TOLERANCE_SEC } from '../limits.ts'
import type { KeyIdentity, CachedKey, KeyCache } from './key-cache.ts'

/** Why a request has no valid key (specification, "Authentication failures"). */
export type AuthenticationFailure = 'missing_bearer' | 'malformed_bearer' | 'stale_timestamp' | 'invalid_credentials'

/** `unknown` when the database does not tell whether the key is valid. */
export type Authentication = KeyIdentity | AuthenticationFailure | 'unknown'

/** Judges the headers Authorization and X-Timestamp; at once, unless the key has to be looked up. Never rejects. */
export type Authenticate = (authorization: string | undefined, timestamp: string | undefined) => Authentication | Promise<Authentication>

/** Keys of another form do not exist, and are not looked for. */
const KEY_ID = /^nk_[0-9a-f]{24}$/
/** So many verified headers are remembered; the oldest goes first. A key has one header, so that nobody can drive out the others'. */
export const MAX_VERIFIED_HEADERS = 10_000
/** What is compared when there is no key, so that both ways cost the same. */
const PLACEHOLDER_DIGEST = Buffer.alloc(64, '-')

export interface AuthenticationParts {
  readonly keys: KeyCache
  readonly clock: Clock
  readonly log: Log
}

export function createAuthentication({ keys, clock, log }: AuthenticationParts): Authenticate {
  // What hashing the secret each time would cost is half of what a key may cost at all. Held in memory only, and looked up whole.
  const verified = new Map<string, string>()
  const digest = Buffer.alloc(64)
  let lookupFailing = false

  function verify(key: CachedKey | undefined, header: string, secret: string | null): Authentication {
    if (secret !== null && !matches(secret, key)) return 'invalid_credentials'
    if (key === undefined || key.revoked) {
      verified.delete(header)
      return 'invalid_credentials'
    }
    const { keyId } = key.identity
    // Its other spellings (case, blanks) are judged anew each time: there are too many of them.
    if (secret !== null && header === `Bearer ${keyId}:${secret}`) remember(header, keyId)
    keys.recordUse(keyId)
    return key.identity
  }

  function matches(secret: string, key: CachedKey | undefined): boolean {
    // As hex, which hashes in a third of the time that a new buffer takes; a string of this length is written whole.
    digest.write(hash('sha256', secret, 'hex'), 'latin1')
    return timingSafeEqual(digest, key?.secretDigest ?? PLACEHOLDER_DIGEST)
  }

  function remember(header: string, keyId: string): void {
    const oldest = verified.keys().next()
    if (verified.size >= MAX_VERIFIED_HEADERS && oldest.done !== true) verified.delete(oldest.value)
    verified.set(header, keyId)
  }

  async function verifyFound(finding: Promise<CachedKey | undefined>, header: string, secret: string | null): Promise<Authentication> {
    try {
      const key = await finding
      lookupFailing = false
      return verify(key, header, secret)
    } catch (cause) {
      if (!lookupFailing) log.warn({ err: cause }, 'keys cannot be looked up; who presents one is told to try again')
      lookupFailing = true
      return 'unknown'
    }
  }

  function findAndVerify(keyId: string, header: string, secret: string | null): Authentication | Promise<Authentication> {
    const found = keys.find(keyId)
    return found instanceof Promise ? verifyFound(found, header, secret) : verify(found, header, secret)
  }

  return (authorization, timestamp) => {
    if (authorization === undefined) return 'missing_bearer'
    const isStale = timestamp !== undefined && !isCurrent(timestamp, nowSec(clock))
    const knownId = isStale ? undefined : verified.get(authorization)
    if (knownId !== undefined) return findAndVerify(knownId, authorization, null)
    const value = bearerValue(authorization)
    if (value === undefined) return 'missing_bearer'
    const colon = value.indexOf(':')
    if (colon === -1) return 'malformed_bearer'
    if (isStale) return 'stale_timestamp'
    const keyId = value.slice(0, colon)
    const secret = value.slice(colon + 1)
    return KEY_ID.test(keyId) ? findAndVerify(keyId, authorization, secret) : verify(undefined, authorization, secret)
  }
}

/** What follows the scheme; undefined when the scheme is another one. Servers cut the blanks behind an empty value, so that the scheme alone is one. */
function bearerValue(authorization: string): string | undefined {
  if (authorization.startsWith('Bearer ')) return authorization.slice('Bearer '.length).trim()
  const match = /^bearer(?:\s+(.*))?$/i.exec(authorization)
  return match === null ? undefined : (match[1] ?? '')
}

/** Unix seconds, a fraction allowed and cut. Text that is no time is not within the tolerance of any. */
function isCurrent(timestamp: string, nowSec: number): boolean {
  const match = /^(\d{1,12})(?:\.\d+)?$/.exec(timestamp.trim())
  return match !== null && Math.abs(Number(match[1]) - nowSec) <= TIMESTAMP_TOLERANCE_SEC
}
