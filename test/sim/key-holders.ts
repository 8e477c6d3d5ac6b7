// A simulated client's use of API keys, with checks of every response: a challenge works once, an acknowledged key works until it is revoked, and a revoked key
// never works again.

import assert from 'node:assert/strict'
import type { Keypair } from '@stellar/stellar-sdk'
import type { Clock } from '../../src/base/clock.ts'
import { KEY_TTL_MS } from '../../src/keys/key-cache.ts'
import { CHALLENGE_TTL_MS, MAX_KEYS_PER_OWNER } from '../../src/limits.ts'
import type { IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { signChallenge } from '../support/keys.ts'
import type { Requests, Server } from './requests.ts'

/** A key that was issued with 201. */
export interface HeldKey {
  readonly key: IssuedKey
  /** Times at which the revocation was first requested and acknowledged; null before. */
  revokeRequestedMs: number | null
  revokedMs: number | null
}

/** A challenge and its claims. */
interface Challenge {
  readonly hex: string
  readonly server: Server
  readonly atMs: number
  /** Claims that were sent, and keys that they returned. */
  sent: number
  issued: number
  /** True if a later challenge has replaced it. */
  replaced: boolean
}

export interface KeyHolder {
  readonly address: string
  /** Acknowledged keys, oldest first. */
  readonly keys: readonly HeldKey[]
  /** Claims without a conclusive response: each may have stored a key. */
  unconfirmedClaims(): number
  /** Requests a challenge and claims it at the same or another process. */
  obtain(at: Server, claimAt: Server): Promise<void>
  /** Claims the last challenge again. */
  replay(at: Server): Promise<void>
  /** Calls an endpoint with the `pick`th key. */
  use(at: Server, pick: number): Promise<void>
  revoke(at: Server, pick: number): Promise<void>
}

interface KeyHolderParts {
  readonly wallet: Keypair
  readonly requests: Requests
  readonly clock: Clock
  /** True when faults excuse no response any more. */
  readonly isCalm: () => boolean
  /** True when wall clocks are stepped: then a challenge may expire early. */
  readonly timeSteps: boolean
}

export function createKeyHolder(parts: KeyHolderParts): KeyHolder {
  const { wallet, requests, clock, isCalm } = parts
  const address = wallet.publicKey()
  const keys: HeldKey[] = []
  const challenges: Challenge[] = []
  let claims = 0
  let settled = 0

  function claim(challenge: Challenge, at: Server): Promise<void> {
    const isFirst = challenge.sent === 0
    challenge.sent += 1
    claims += 1
    const body = { address, challenge: challenge.hex, signature: signChallenge({ challengeHex: challenge.hex, signer: wallet }) }
    return requests.send(at, '/v1/keys', { method: 'POST', body }, (response) => {
      if (response.status === 201) {
        challenge.issued += 1
        settled += 1
        assert.equal(challenge.issued, 1, 'a challenge was accepted twice')
        keys.push({ key: response.body as unknown as IssuedKey, revokeRequestedMs: null, revokedMs: null })
      } else if (response.status === 401) {
        settled += 1
        const isValid = isFirst && at === challenge.server && !challenge.replaced && !parts.timeSteps && clock.elapsedMs() - challenge.atMs < CHALLENGE_TTL_MS
        assert.ok(!isValid, 'a valid claim was rejected')
      } else if (response.status === 409) {
        settled += 1
        assert.ok(claims >= MAX_KEYS_PER_OWNER, 'a claim was rejected below the limit of keys')
      } else {
        assert.ok(response.status === 503 && !isCalm(), `a claim returned ${response.status} ${response.text}`)
      }
    })
  }

  function picked(pick: number): HeldKey | undefined {
    return keys.length === 0 ? undefined : keys[pick % keys.length]
  }

  /** Checks whether a call with this key may have this status; returns whether the key was accepted. */
  function isAccepted(held: HeldKey, status: number, startedMs: number, text: string): boolean {
    if (status === 401) {
      assert.ok(held.revokeRequestedMs !== null, 'a key was rejected without a revocation')
      return false
    }
    if (status === 503) {
      assert.ok(!isCalm(), `503 without a fault: ${text}`)
      return false
    }
    const revokedForMs = held.revokedMs === null ? -1 : startedMs - held.revokedMs
    assert.ok(revokedForMs < KEY_TTL_MS, `a key still worked ${revokedForMs} ms after its revocation was acknowledged`)
    return true
  }

  return {
    address, keys,
    unconfirmedClaims: () => claims - settled,
    async obtain(at, claimAt) {
      let challenge: Challenge | undefined
      await requests.send(at, '/v1/keys/challenge', { method: 'POST', body: { address } }, (response) => {
        assert.equal(response.status, 200, response.text)
        for (const earlier of challenges) if (earlier.server === at) earlier.replaced = true
        const { challengeHex } = response.body as unknown as KeyChallenge
        challenge = { hex: challengeHex, server: at, atMs: clock.elapsedMs(), sent: 0, issued: 0, replaced: false }
        challenges.push(challenge)
      })
      if (challenge !== undefined) await claim(challenge, claimAt)
    },
    async replay(at) {
      const challenge = challenges.at(-1)
      if (challenge !== undefined) await claim(challenge, at)
    },
    async use(at, pick) {
      const held = picked(pick)
      if (held === undefined) return
      await requests.send(at, '/v1/account/me', { key: held.key }, ({ status, text }, { startedMs }) => {
        if (isAccepted(held, status, startedMs, text)) assert.equal(status, 200, text)
      })
    },
    async revoke(at, pick) {
      const held = picked(pick)
      if (held === undefined) return
      held.revokeRequestedMs ??= clock.elapsedMs()
      await requests.send(at, `/v1/keys/${held.key.keyId}`, { method: 'DELETE', key: held.key }, ({ status, text }, { startedMs }) => {
        if (isAccepted(held, status, startedMs, text)) assert.ok(status === 200 || status === 404, text)
        if (status === 503) return
        // Revoked by this call, or by an earlier one whose response was lost.
        held.revokedMs ??= clock.elapsedMs()
      })
    },
  }
}
