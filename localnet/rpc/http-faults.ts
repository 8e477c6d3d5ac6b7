// What the faults of the way to the node do to an HTTP answer.

import type { Clock } from '../../src/base/clock.ts'
import type { Strike } from '../faults.ts'
import type { FaultValues } from '../fault-kinds.ts'
import { ConnectionCut, CORS_HEADERS, emptyAnswer, textAnswer } from './http-answer.ts'
import type { HttpAnswer } from './http-answer.ts'

/** An HTTP request on its way to the node: the answer it would get, the clock, and the caller's patience. */
export interface Journey {
  readonly answer: () => Promise<HttpAnswer>
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
}

type Effect = (journey: Journey, values: FaultValues) => Promise<HttpAnswer>

const PROXY_PAGE = '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Please wait.</body></html>'

const EFFECTS: Readonly<Record<string, Effect>> = {
  async http_status({ answer }, values) {
    if (values['executed'] === true) await answer()
    const retryAfterSec = Number(values['retryAfterSec'])
    const bare = emptyAnswer(Number(values['status']))
    return retryAfterSec > 0 ? { ...bare, headers: { ...bare.headers, 'retry-after': String(retryAfterSec) } } : bare
  },
  async rate_limited(_journey, values) {
    const limited = textAnswer(429, '<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n</html>\r\n')
    return { ...limited, headers: { ...limited.headers, 'content-type': 'text/html', 'retry-after': String(values['retryAfterSec']) } }
  },
  async timeout({ answer, clock, signal }, values) {
    if (values['executed'] === true) await answer()
    await clock.sleep(Number(values['ms']), signal)
    throw new ConnectionCut()
  },
  async slow({ answer, clock, signal }, values) {
    await clock.sleep(Number(values['ms']), signal)
    return answer()
  },
  async connection_reset({ answer }, values) {
    if (values['executed'] === true) await answer()
    throw new ConnectionCut()
  },
  async html_200({ answer }, values) {
    if (values['executed'] === true) await answer()
    return { status: 200, headers: { ...CORS_HEADERS, 'content-type': 'text/html; charset=utf-8' }, body: PROXY_PAGE }
  },
  async torn_json({ answer }, values) {
    const whole = await answer()
    if (whole.body === null) return whole
    return { ...whole, body: whole.body.slice(0, Math.floor((whole.body.length * Number(values['keepPercent'])) / 100)) }
  },
  async empty_204({ answer }, values) {
    if (values['executed'] === true) await answer()
    return emptyAnswer(204)
  },
}

/** True for a fault of the way to the node. */
export function isHttpFault(strike: Strike): boolean {
  return EFFECTS[strike.name] !== undefined
}

/** Sends a request through the faults that meet it, the first armed outermost. Rejects with ConnectionCut when the connection is lost. */
export async function journeyThroughFaults(strikes: readonly Strike[], journey: Journey): Promise<HttpAnswer> {
  const [strike, ...rest] = strikes
  if (strike === undefined) return journey.answer()
  const effect = EFFECTS[strike.name]
  const answer = (): Promise<HttpAnswer> => journeyThroughFaults(rest, journey)
  return effect === undefined ? answer() : effect({ ...journey, answer }, strike.values)
}
