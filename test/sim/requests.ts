// A request of a client: sent to one process, answered some time later or, when that process dies, never.

import assert from 'node:assert/strict'
import type { Clock } from '../../src/base/clock.ts'
import type { ApiResponse, ApiCall } from '../support/keys.ts'

/** Whom a request is sent to. */
export interface Server {
  isDead(): boolean
  /** Rejects when there is no answer. */
  call(url: string, options: ApiCall): Promise<ApiResponse>
}

export interface SentRequest {
  readonly startedMs: number
  readonly server: Server
  /** Null while there is no answer. */
  answer: (ApiResponse & { readonly atMs: number }) | null
}

export interface Requests {
  /** Sends one. `onAnswer` is called with the answer at the moment that it comes. Resolves then, or when there will be none. */
  send(server: Server, url: string, options: ApiCall, onAnswer: (answer: ApiResponse, asked: SentRequest) => void): Promise<void>
  /** What was sent to processes that live and is not answered. */
  open(): readonly SentRequest[]
  /** Every body that was answered, as text. */
  readonly texts: readonly string[]
  /** Fails with what was wrong with an answer. */
  check(): void
}

export function createRequests(clock: Clock): Requests {
  const all: SentRequest[] = []
  const texts: string[] = []
  const failures: unknown[] = []

  return {
    texts,
    async send(server, url, options, onAnswer) {
      const asked: SentRequest = { startedMs: clock.elapsedMs(), server, answer: null }
      all.push(asked)
      let answer: ApiResponse
      try {
        answer = await server.call(url, options)
      } catch (error) {
        // A dead one is not expected to answer.
        if (!server.isDead()) failures.push(error)
        return
      }
      // What a dead process still makes up in memory reaches nobody.
      if (server.isDead()) return
      asked.answer = { ...answer, atMs: clock.elapsedMs() }
      texts.push(answer.text)
      try {
        assert.notEqual(answer.status, 500, `${url} was answered with ${answer.text}`)
        onAnswer(answer, asked)
      } catch (error) {
        failures.push(error)
      }
    },
    open: () => all.filter(({ answer, server }) => answer === null && !server.isDead()),
    check() {
      if (failures.length > 0) throw failures[0]
    },
  }
}
