// Requests of simulated clients. A request gets a response, or none when its process is killed.

import assert from 'node:assert/strict'
import type { Clock } from '../../src/base/clock.ts'
import type { ApiResponse, ApiCall } from '../support/keys.ts'

/** A process that serves requests. */
export interface Server {
  isDead(): boolean
  /** Rejects without a response. */
  call(url: string, options: ApiCall): Promise<ApiResponse>
}

interface SentRequest {
  readonly startedMs: number
  readonly server: Server
  /** Null while the request is open. */
  response: ApiResponse | null
}

export interface Requests {
  /** Sends a request and calls `onResponse` as soon as it has a response. Resolves then, or when there will be none. */
  send(server: Server, url: string, options: ApiCall, onResponse: (response: ApiResponse, request: SentRequest) => void): Promise<void>
  /** Open requests at running processes. */
  open(): readonly SentRequest[]
  /** The bodies of all responses. */
  readonly texts: readonly string[]
  /** Runs a check whose failure `check` throws. */
  attempt(work: () => void): void
  /** Throws the first wrong response. */
  check(): void
}

export function createRequests(clock: Clock): Requests {
  const all: SentRequest[] = []
  const texts: string[] = []
  const failures: unknown[] = []

  return {
    texts,
    async send(server, url, options, onResponse) {
      const request: SentRequest = { startedMs: clock.elapsedMs(), server, response: null }
      all.push(request)
      let response: ApiResponse
      try {
        response = await server.call(url, options)
      } catch (error) {
        // A killed process may not respond.
        if (!server.isDead()) failures.push(error)
        return
      }
      // A response that a killed process computes in memory is not sent.
      if (server.isDead()) return
      request.response = response
      texts.push(response.text)
      try {
        assert.notEqual(response.status, 500, `${url} returned ${response.text}`)
        onResponse(response, request)
      } catch (error) {
        failures.push(error)
      }
    },
    attempt(work) {
      try {
        work()
      } catch (error) {
        failures.push(error)
      }
    },
    open: () => all.filter(({ response, server }) => response === null && !server.isDead()),
    check() {
      if (failures.length > 0) throw failures[0]
    },
  }
}
