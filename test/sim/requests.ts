// A request of a client: sent to one process, answered some time later or, when that process dies, never.

import assert from 'node:assert/strict'
import type { Clock } from '../../src/base/clock.ts'
import type { ApiAnswer, ApiCall } from '../support/keys.ts'

/** Whom a request is sent to. */
export interface Server {
  dead(): boolean
  /** Rejects when there is no answer. */
  call(url: string, options: ApiCall): Promise<ApiAnswer>
}

export interface Asked {
  readonly startedMs: number
  readonly server: Server
  /** Null while there is no answer. */
  answer: (ApiAnswer & { readonly atMs: number }) | null
}

export interface Requests {
  /** Sends one. `onAnswer` is called with the answer at the moment that it comes. Resolves then, or when there will be none. */
  send(server: Server, url: string, options: ApiCall, onAnswer: (answer: ApiAnswer, asked: Asked) => void): Promise<void>
  /** What was sent to processes that live and is not answered. */
  open(): readonly Asked[]
  /** Every body that was answered, as text. */
  readonly texts: readonly string[]
  /** Fails with what was wrong with an answer. */
  check(): void
}

export function createRequests(clock: Clock): Requests {
  const all: Asked[] = []
  const texts: string[] = []
  const failures: unknown[] = []

  return {
    texts,
    async send(server, url, options, onAnswer) {
      const asked: Asked = { startedMs: clock.elapsedMs(), server, answer: null }
      all.push(asked)
      let answer: ApiAnswer
      try {
        answer = await server.call(url, options)
      } catch (error) {
        // A dead one is not expected to answer.
        if (!server.dead()) failures.push(error)
        return
      }
      // What a dead process still makes up in memory reaches nobody.
      if (server.dead()) return
      asked.answer = { ...answer, atMs: clock.elapsedMs() }
      texts.push(answer.text)
      try {
        assert.notEqual(answer.status, 500, `${url} was answered with ${answer.text}`)
        onAnswer(answer, asked)
      } catch (error) {
        failures.push(error)
      }
    },
    open: () => all.filter(({ answer, server }) => answer === null && !server.dead()),
    check() {
      if (failures.length > 0) throw failures[0]
    },
  }
}
