// Applies faults of the connection and of proxies to an HTTP response.

import type { Clock } from '../../src/base/clock.ts'
import type { TriggeredFault } from '../faults.ts'
import type { FaultValues } from '../fault-kinds.ts'
import { ConnectionCut, CORS_HEADERS, emptyResponse, textResponse } from './http-response.ts'
import type { HttpResponse } from './http-response.ts'

/** A request that faults can affect. */
export interface FaultableRequest {
  readonly respond: () => Promise<HttpResponse>
  readonly clock: Clock
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal | undefined
}

type Effect = (request: FaultableRequest, values: FaultValues) => Promise<HttpResponse>

const PROXY_PAGE = '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Please wait.</body></html>'

const EFFECTS: Readonly<Record<string, Effect>> = {
  async http_status({ respond }, values) {
    if (values['executed'] === true) await respond()
    const retryAfterSec = Number(values['retryAfterSec'])
    const bare = emptyResponse(Number(values['status']))
    return retryAfterSec > 0 ? { ...bare, headers: { ...bare.headers, 'retry-after': String(retryAfterSec) } } : bare
  },
  async rate_limited(_request, values) {
    const limited = textResponse(429, '<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n</html>\r\n')
    return { ...limited, headers: { ...limited.headers, 'content-type': 'text/html', 'retry-after': String(values['retryAfterSec']) } }
  },
  async timeout({ respond, clock, signal }, values) {
    if (values['executed'] === true) await respond()
    await clock.sleep(Number(values['ms']), signal)
    throw new ConnectionCut()
  },
  async slow({ respond, clock, signal }, values) {
    await clock.sleep(Number(values['ms']), signal)
    return respond()
  },
  async connection_reset({ respond }, values) {
    if (values['executed'] === true) await respond()
    throw new ConnectionCut()
  },
  async html_200({ respond }, values) {
    if (values['executed'] === true) await respond()
    return { status: 200, headers: { ...CORS_HEADERS, 'content-type': 'text/html; charset=utf-8' }, body: PROXY_PAGE }
  },
  async torn_json({ respond }, values) {
    const whole = await respond()
    if (whole.body === null) return whole
    return { ...whole, body: whole.body.slice(0, Math.floor((whole.body.length * Number(values['keepPercent'])) / 100)) }
  },
  async empty_204({ respond }, values) {
    if (values['executed'] === true) await respond()
    return emptyResponse(204)
  },
}

/** True for a fault of the connection or a proxy. */
export function isHttpFault(fault: TriggeredFault): boolean {
  return EFFECTS[fault.name] !== undefined
}

/** Responds with the faults that affect the request, the first armed outermost. Rejects with ConnectionCut when a fault cuts the connection. */
export async function respondWithFaults(triggered: readonly TriggeredFault[], request: FaultableRequest): Promise<HttpResponse> {
  const [fault, ...rest] = triggered
  if (fault === undefined) return request.respond()
  const effect = EFFECTS[fault.name]
  const respond = (): Promise<HttpResponse> => respondWithFaults(rest, request)
  return effect === undefined ? respond() : effect({ ...request, respond }, fault.values)
}
