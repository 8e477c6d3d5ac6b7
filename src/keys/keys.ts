// API keys: issued against a wallet's signature, listed and revoked by their owner (specification, "Authentication" and "API key").

import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { CHALLENGE_TTL_MS, KEYS_LISTED_MAX } from '../limits.ts'
import type { ApiKey, BetaStatus, IssuedKey, KeyChallenge, KeyTier } from '../resources/api-key.ts'
import type { Queryable, Store } from '../store/store.ts'
import type { Allowlist } from './allowlist.ts'
import { createAuthentication } from './authentication.ts'
import type { Authenticate } from './authentication.ts'
import { createMemoryChallenges } from './challenges.ts'
import type { ChallengeStore } from './challenges.ts'
import { createKeyCache } from './key-cache.ts'
import { insertKey, listKeys, revokeKey } from './records.ts'
import { provesOwnership } from './signed-challenge.ts'

/** A claim of an address, as POST /v1/keys takes it. */
export interface Claim {
  readonly address: string
  readonly challenge: string
  /** Base64 of the signed envelope. */
  readonly signature: string
  readonly label: string | null
}

export interface Keys extends AsyncDisposable {
  readonly authenticate: Authenticate
  /** Who may be issued a key; without an address, whether everyone may. */
  betaStatus(address: string | null): BetaStatus
  /** A new challenge, in the place of the one that was pending for the address. */
  requestChallenge(address: string): Promise<KeyChallenge>
  /**
   * Issues a key for a proven address, or says why not. The allowlist is asked first; whatever comes after uses up the address's challenge. Resolves after the
   * key's commit.
   */
  issue(claim: Claim): Promise<IssuedKey | 'not_in_beta' | 'invalid_signature'>
  /** The owner's keys, newest first, the revoked ones included. */
  list(owner: string): Promise<ApiKey[]>
  /** Revokes an active key of the owner; false when there is none of this id. It is refused here from then on, and elsewhere as soon as the bell is heard. */
  revoke(owner: string, keyId: string): Promise<boolean>
  /** True when the key is revoked, for whoever authenticated with it a while ago; false while that cannot be told. Never rejects. */
  isRevoked(keyId: string): boolean | Promise<boolean>
}

export interface KeysParts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly networkPassphrase: string
  readonly allowlist: Allowlist
  /** Where challenges wait; in memory unless instances share something. */
  readonly challenges?: ChallengeStore
}

export function createKeys(parts: KeysParts): Keys {
  const { store, clock, random, log, networkPassphrase, allowlist, challenges = createMemoryChallenges() } = parts
  const known = createKeyCache({ store, clock, log })
  // A replica may not have the newest key yet.
  const primary: Queryable = store.engine === 'embedded' ? store.read : store.write

  async function isProven(claim: Claim): Promise<boolean> {
    const pending = await challenges.take(claim.address)
    if (pending === undefined || clock.nowMs() >= pending.expiresAtMs || pending.challengeHex !== claim.challenge) return false
    const { address, signature: envelope } = claim
    return provesOwnership({ envelope, address, challengeHex: pending.challengeHex, networkPassphrase })
  }

  return {
    authenticate: createAuthentication({ keys: known, clock, log }),
    betaStatus(address) {
      return { gated: allowlist.gated, allowed: !allowlist.gated || (address !== null && allowlist.allows(address)) }
    },
    async requestChallenge(address) {
      const challengeHex = Buffer.from(random.bytes(32)).toString('hex')
      const expiresAt = clock.nowMs() + CHALLENGE_TTL_MS
      await challenges.put(address, challengeHex, expiresAt)
      return { challengeHex, expiresAt }
    },
    async issue(claim) {
      if (!allowlist.allows(claim.address)) return 'not_in_beta'
      if (!(await isProven(claim))) return 'invalid_signature'
      return issueKey(store.write, { owner: claim.address, tier: 'standard', label: claim.label, clock, random })
    },
    async list(owner) {
      const rows = await listKeys(primary, owner, KEYS_LISTED_MAX)
      return rows.map((row) => ({ ...row, lastUsedAt: laterOf(row.lastUsedAt, known.lastUsedAtMs(row.keyId)) }))
    },
    async revoke(owner, keyId) {
      try {
        const done = await revokeKey(store.write, { keyId, owner, revokedAtMs: clock.nowMs() })
        if (done) known.markRevoked(keyId)
        return done
      } catch (cause) {
        // It may have been committed all the same.
        known.invalidate(keyId)
        throw cause
      }
    },
    isRevoked(keyId) {
      const found = known.find(keyId)
      if (!(found instanceof Promise)) return found?.revoked ?? true
      return found.then((key) => key?.revoked ?? true, () => false)
    },
    [Symbol.asyncDispose]: () => known[Symbol.asyncDispose](),
  }
}

/** Writes a new key and returns it with its secret, which is nowhere else. Resolves after the commit. */
export async function issueKey(
  db: Queryable,
  key: { readonly owner: string; readonly tier: KeyTier; readonly label: string | null; readonly clock: Clock; readonly random: Random },
): Promise<IssuedKey> {
  const { owner, tier, label, clock, random } = key
  const keyId = `nk_${Buffer.from(random.bytes(12)).toString('hex')}`
  const secret = Buffer.from(random.bytes(32)).toString('hex')
  const createdAt = clock.nowMs()
  await insertKey(db, { keyId, owner, tier, label, secretSha256: hash('sha256', secret, 'buffer'), createdAtMs: createdAt })
  return { keyId, secret, tier, owner, createdAt }
}

function laterOf(writtenMs: number | null, seenMs: number | undefined): number | null {
  if (writtenMs === null || seenMs === undefined) return writtenMs ?? seenMs ?? null
  return Math.max(writtenMs, seenMs)
}
