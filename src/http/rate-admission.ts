// Identifies the sender of a request and applies its rate limit. Asynchronous only if a key must be looked up or counts are shared.

import type { IncomingMessage } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Caller, ResolveCaller } from './caller.ts'
import { createFirstDecisions } from './limited-addresses.ts'
import type { HttpObserver } from './observe.ts'
import type { Outcome } from './rate-limit.ts'
import type { RequestKind, RequestLimits } from './request-limits.ts'

/** A request that was identified and counted. */
export interface Admission {
  readonly requestId: string
  readonly caller: Caller
  readonly outcome: Outcome
}

export interface Admissions {
  identify(request: IncomingMessage, authenticated: boolean, onCaller: (caller: Caller) => void): void
  count(caller: Caller, kind: RequestKind, onOutcome: (outcome: Outcome) => void): void
}

export interface AdmissionParts {
  readonly resolveCaller: ResolveCaller
  readonly requestLimits: RequestLimits
  readonly observer: HttpObserver | null
  readonly clock: Clock
}

export function createAdmissions({ resolveCaller, requestLimits, observer, clock }: AdmissionParts): Admissions {
  const isFirst = createFirstDecisions(clock)
  return {
    identify(request, authenticated, onCaller) {
      const resolved = resolveCaller(request, authenticated)
      if (resolved instanceof Promise) void resolved.then(onCaller)
      else onCaller(resolved)
    },
    count(caller, kind, onOutcome) {
      const onCount = (outcome: Outcome): void => {
        observer?.onRateLimitDecision(caller.tier, outcome.allowed, isFirst(caller.network.bucket, outcome.allowed))
        onOutcome(outcome)
      }
      const taken = requestLimits.take(caller, kind)
      if (taken instanceof Promise) void taken.then(onCount)
      else onCount(taken)
    },
  }
}
