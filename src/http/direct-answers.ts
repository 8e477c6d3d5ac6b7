// Answers requests whose complete response is in memory, before the framework routes them: routing, hooks and the conversion of headers would cost a fifth
// of the answer (docs/decisions/direct-answers.md). Ids, callers, rate limits, CORS and etags come from the same functions. The framework gets the rest.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Admission, Admissions } from './rate-admission.ts'
import type { Caller } from './caller.ts'
import type { Cors } from './cors.ts'
import type { HostCheck } from './host-check.ts'
import type { HttpObserver } from './observe.ts'
import type { Outcome } from './rate-limit.ts'
import type { RequestIds } from './request-id.ts'
import { matchesEtag, rateLimitHeaders, SECURITY_HEADERS } from './response.ts'
import type { PreparedResponse } from './response.ts'
import { repeatedHeader } from './single-headers.ts'

/** The response as it is now. Undefined if a handler must compute it. */
export type ReadPrepared = () => PreparedResponse | undefined

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface DirectAnswers {
  /** Answers GET requests for exactly this URL. */
  add(url: string, read: ReadPrepared): void
  /** Answers the request, or passes it to `framework`. */
  handle(request: IncomingMessage, response: ServerResponse, framework: Handler): void
  /** Returns the admission that was decided for a request before it was passed on. */
  admissionOf(request: IncomingMessage): Admission | undefined
}

export interface DirectAnswerParts {
  readonly admissions: Admissions
  readonly newId: RequestIds
  readonly cors: Cors
  readonly hostCheck: HostCheck
  readonly isDraining: () => boolean
  readonly observer: HttpObserver | null
  readonly clock: Clock
}

export function createDirectAnswers(parts: DirectAnswerParts): DirectAnswers {
  const { admissions, newId, cors, hostCheck, isDraining, observer, clock } = parts
  const routes = new Map<string, ReadPrepared>()
  const passedOn = new WeakMap<IncomingMessage, Admission>()

  /** True if the framework would do nothing with this request but run the handler. */
  function isOrdinary({ headers, rawHeaders }: IncomingMessage): boolean {
    return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined &&
      headers['accept-signature'] === undefined &&
      repeatedHeader(rawHeaders) === undefined && hostCheck(headers) === undefined && !isDraining()
  }

  function send(request: IncomingMessage, response: ServerResponse, { requestId, caller, outcome }: Admission, prepared: PreparedResponse): void {
    const headers: Record<string, string> = {
      'x-request-id': requestId,
      ...SECURITY_HEADERS,
      ...cors.headersFor(request),
      ...rateLimitHeaders(caller.tier, outcome),
      ...prepared.headers,
    }
    const ifNoneMatch = request.headers['if-none-match']
    if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, prepared.etag)) {
      response.writeHead(304, headers).end()
      return
    }
    headers['content-type'] = prepared.type
    headers['content-length'] = prepared.length
    response.writeHead(200, headers).end(prepared.text)
  }

  function observe(observed: HttpObserver, { method = '', url = '' }: IncomingMessage, response: ServerResponse, startedMs: number): void {
    response.on('finish', () => {
      observed.onResponse({ method, route: url, status: response.statusCode, seconds: (clock.elapsedMs() - startedMs) / 1000 })
    })
  }

  return {
    add: (url, read) => void routes.set(url, read),
    admissionOf: (request) => passedOn.get(request),
    handle(request, response, framework) {
      const { method = '', url = '' } = request
      const read = method === 'GET' ? routes.get(url) : undefined
      if (read === undefined || !isOrdinary(request)) return framework(request, response)
      const requestId = newId(request.headers)
      const startedMs = observer === null ? 0 : clock.elapsedMs()
      const onCount = (caller: Caller, outcome: Outcome): void => {
        const admission: Admission = { requestId, caller, outcome }
        const prepared = outcome.allowed ? tryRead(read) : undefined
        if (prepared === undefined) {
          passedOn.set(request, admission)
          framework(request, response)
          return
        }
        if (observer !== null) observe(observer, request, response, startedMs)
        send(request, response, admission, prepared)
      }
      admissions.identify(request, true, (caller) => admissions.count(caller, 'read', (outcome) => onCount(caller, outcome)))
    },
  }
}

/** The framework's handler reads again, and reports the error. */
function tryRead(read: ReadPrepared): PreparedResponse | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
