// What people do with keys in a simulation, and what must hold of each answer: a challenge works once, an acknowledged key works until it is revoked, and a
// revoked one never again.

import assert from 'node:assert/strict'
import type { Keypair } from '@stellar/stellar-sdk'
import type { Clock } from '../../src/base/clock.ts'
import { KEY_TTL_MS } from '../../src/keys/key-cache.ts'
import { CHALLENGE_TTL_MS } from '../../src/limits.ts'
import type { IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { signChallenge } from '../support/keys.ts'
import type { Requests, Server } from './requests.ts'

/** A key that was answered with 201. */
export interface HeldKey {
  readonly key: IssuedKey
  /** When its owner first asked for its end, and when that was acknowledged; null: not yet. */
  revokeRequestedMs: number | null
  revokedMs: number | null
}

/** A challenge as its wallet has it. */
interface Challenge {
  readonly hex: string
  readonly server: Server
  readonly atMs: number
  /** Claims of it that were sent, and what came of them. */
  sent: number
  issued: number
  /** True once a later challenge has taken its place. */
  replaced: boolean
}

/** Somebody with a wallet. */
export interface KeyHolder {
  readonly address: string
  /** Keys that were acknowledged, in this order. */
  readonly keys: readonly HeldKey[]
  /** Claims whose end is not known: each may have left a row. */
  unconfirmedClaims(): number
  /** Asks for a challenge and claims it, there or at the other process. */
  obtain(at: Server, claimAt: Server): Promise<void>
  /** Claims the last challenge once more. */
  replay(at: Server): Promise<void>
  /** Calls with a key, the `pick`th. */
  use(at: Server, pick: number): Promise<void>
  revoke(at: Server, pick: number): Promise<void>
}

export interface KeyHolderParts {
  readonly wallet: Keypair
  readonly requests: Requests
  readonly clock: Clock
  /** True when nothing goes wrong any more: then an answer must be the right one. */
  readonly isCalm: () => boolean
  /** True when the time of day of processes is stepped: then a challenge may be void before its time. */
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
    return requests.send(at, '/v1/keys', { method: 'POST', body }, (answer) => {
      if (answer.status === 201) {
        challenge.issued += 1
        settled += 1
        assert.equal(challenge.issued, 1, 'a challenge was good for two keys')
        keys.push({ key: answer.body as unknown as IssuedKey, revokeRequestedMs: null, revokedMs: null })
      } else if (answer.status === 401) {
        settled += 1
        const isGood = isFirst && at === challenge.server && !challenge.replaced && !parts.timeSteps && clock.elapsedMs() - challenge.atMs < CHALLENGE_TTL_MS
        assert.ok(!isGood, 'a good claim was refused')
      } else {
        assert.ok(answer.status === 503 && !isCalm(), `a claim was answered with ${answer.status} ${answer.text}`)
      }
    })
  }

  function picked(pick: number): HeldKey | undefined {
    return keys.length === 0 ? undefined : keys[pick % keys.length]
  }

  /** Judges what became of a call with this key; true when it was let through. */
  function isLetThrough(held: HeldKey, status: number, startedMs: number, text: string): boolean {
    if (status === 401) {
      assert.ok(held.revokeRequestedMs !== null, 'a key that was acknowledged, and that nobody revoked, is refused')
      return false
    }
    if (status === 503) {
      assert.ok(!isCalm(), `503 although nothing is wrong: ${text}`)
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
      await requests.send(at, '/v1/keys/challenge', { method: 'POST', body: { address } }, (answer) => {
        assert.equal(answer.status, 200, answer.text)
        for (const earlier of challenges) if (earlier.server === at) earlier.replaced = true
        const { challengeHex } = answer.body as unknown as KeyChallenge
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
        if (isLetThrough(held, status, startedMs, text)) assert.equal(status, 200, text)
      })
    },
    async revoke(at, pick) {
      const held = picked(pick)
      if (held === undefined) return
      held.revokeRequestedMs ??= clock.elapsedMs()
      await requests.send(at, `/v1/keys/${held.key.keyId}`, { method: 'DELETE', key: held.key }, ({ status, text }, { startedMs }) => {
        if (isLetThrough(held, status, startedMs, text)) assert.ok(status === 200 || status === 404, text)
        if (status === 503) return
        // By now it is revoked, by this call or by an earlier one whose answer was lost: a key that is refused tells that, too.
        held.revokedMs ??= clock.elapsedMs()
      })
    },
  }
}
