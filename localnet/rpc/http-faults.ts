// What the faults of the way to the node do to an HTTP answer.

import type { Clock } from '../../src/base/clock.ts'
import type { TriggeredFault } from '../faults.ts'
import type { FaultValues } from '../fault-kinds.ts'
import { ConnectionCut, CORS_HEADERS, emptyResponse, textResponse } from './http-response.ts'
import type { HttpResponse } from './http-response.ts'

/** An HTTP request on its way to the node: the answer it would get, the clock, and the caller's patience. */
export interface FaultableRequest {
  readonly respond: () => Promise<HttpResponse>
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
}

type Effect = (journey: FaultableRequest, values: FaultValues) => Promise<HttpResponse>

const PROXY_PAGE = '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Please wait.</body></html>'

const EFFECTS: Readonly<Record<string, Effect>> = {
  async http_status({ respond: answer }, values) {
    if (values['executed'] === true) await answer()
    const retryAfterSec = Number(values['retryAfterSec'])
    const bare = emptyResponse(Number(values['status']))
    return retryAfterSec > 0 ? { ...bare, headers: { ...bare.headers, 'retry-after': String(retryAfterSec) } } : bare
  },
  async rate_limited(_journey, values) {
    const limited = textResponse(429, '<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n</html>\r\n')
    return { ...limited, headers: { ...limited.headers, 'content-type': 'text/html', 'retry-after': String(values['retryAfterSec']) } }
  },
  async timeout({ respond: answer, clock, signal }, values) {
    if (values['executed'] === true) await answer()
    await clock.sleep(Number(values['ms']), signal)
    throw new ConnectionCut()
  },
  async slow({ respond: answer, clock, signal }, values) {
    await clock.sleep(Number(values['ms']), signal)
    return answer()
  },
  async connection_reset({ respond: answer }, values) {
    if (values['executed'] === true) await answer()
    throw new ConnectionCut()
  },
  async html_200({ respond: answer }, values) {
    if (values['executed'] === true) await answer()
    return { status: 200, headers: { ...CORS_HEADERS, 'content-type': 'text/html; charset=utf-8' }, body: PROXY_PAGE }
  },
  async torn_json({ respond: answer }, values) {
    const whole = await answer()
    if (whole.body === null) return whole
    return { ...whole, body: whole.body.slice(0, Math.floor((whole.body.length * Number(values['keepPercent'])) / 100)) }
  },
  async empty_204({ respond: answer }, values) {
    if (values['executed'] === true) await answer()
    return emptyResponse(204)
  },
}

/** True for a fault of the way to the node. */
export function isHttpFault(fault: TriggeredFault): boolean {
  return EFFECTS[fault.name] !== undefined
}

/** Sends a request through the faults that meet it, the first armed outermost. Rejects with ConnectionCut when the connection is lost. */
export async function respondWithFaults(triggered: readonly TriggeredFault[], journey: FaultableRequest): Promise<HttpResponse> {
  const [fault, ...rest] = triggered
  if (fault === undefined) return journey.respond()
  const effect = EFFECTS[fault.name]
  const answer = (): Promise<HttpResponse> => respondWithFaults(rest, journey)
  return effect === undefined ? answer() : effect({ ...journey, respond: answer }, fault.values)
}
