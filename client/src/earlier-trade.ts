// Checks that an earlier transaction with the client id of a request did what the request asks for. Used when a program repeats a request after a crash.

import { isResting } from './calls.ts'
import type { TradeRequest } from './calls.ts'
import { pause } from './clock.ts'
import type { Clock } from './clock.ts'
import { GatewayError } from './errors.ts'
import type { Order } from './generated/resources.ts'
import type { CallOptions } from './http.ts'
import type { Endpoints } from './rest.ts'
import type { FinishedTransaction } from './transactions.ts'

type Fields = Readonly<Record<string, string | number | boolean | undefined>>

const DIRECTIONS: Fields = { Long: 0, Short: 1 }
const TIMES_IN_FORCE = ['gtc', 'ioc', 'post_only']

/** The hash of the transaction that holds the client id, if that is the error. */
export function holderOf(error: unknown): string | null {
  if (!(error instanceof GatewayError) || error.code !== 'client_id_in_use') return null
  const { hash } = error.body as { readonly hash?: unknown }
  return typeof hash === 'string' ? hash : null
}

/** True only if every field of the request is known to be that of the transaction. False for operations whose fields are not indexed, like deposits. */
export async function isSameTrade(
  request: TradeRequest, transaction: FinishedTransaction, { endpoints, clock }: { readonly endpoints: Endpoints; readonly clock: Clock }, options: CallOptions,
): Promise<boolean> {
  if (transaction.op !== request.op) return false
  const { op: _op, clientId: _clientId, ...fields } = request as Fields
  const { positionId, ledger, hash } = transaction
  if (isResting(request)) {
    const orderId = await readOrderId()
    return orderId !== null && hasFields(await readTerms(orderId, ledger), fields)
  }
  if (request.op === 'cancel_order') return hasFields({ orderId: transaction.orderId }, fields)
  if (request.op === 'close_position' || request.op === 'close_position_cross') return hasFields({ positionId }, fields)
  if (request.op !== 'open_position') return false
  const [{ body: { fills } }, { body: { ledger: movements } }] = await Promise.all([
    endpoints.listAccountFills({ limit: PAGE }, { ...options, minLedger: ledger }),
    endpoints.listAccountLedger({ limit: PAGE, kind: 'open' }, { ...options, minLedger: ledger }),
  ])
  const fill = fills.find(({ txHash, kind }) => txHash === hash && kind === 'open')
  const paid = movements.find(({ txHash, balanceOf }) => txHash === hash && balanceOf === 'wallet')?.amount
  if (fill === undefined || fill.size === null || paid === undefined || paid === null) return false
  const { asset, direction } = fill
  const collateral = -BigInt(paid)
  if (collateral <= 0n) return false
  return hasFields({ asset, direction, collateral: String(collateral), leverage: String(BigInt(fill.size) / collateral) }, fields)

  /** The order that the transaction placed. The gateway learns its id some seconds later where no event reports it; null: not in time. */
  async function readOrderId(): Promise<number | null> {
    let { orderId } = transaction
    for (let read = 1; orderId === null && read < ID_READS_MAX; read++) {
      await pause(clock, POLL_MS, options.signal)
      orderId = (await endpoints.getTransaction({ hash }, options)).body.orderId
    }
    return orderId
  }

  /** The order's terms, which the gateway reads from the ledger some seconds after its placement. */
  async function readTerms(id: number, minLedger: number): Promise<Readonly<Record<string, unknown>>> {
    for (let read = 1; ; read++) {
      const { body } = await endpoints.getOrder({ orderId: id }, { ...options, minLedger })
      if (body.slippageToleranceBps !== null || read === READS_MAX) return termsOf(body)
      await pause(clock, POLL_MS, options.signal)
    }
  }
}

/** A repetition after a crash follows soon, so the transaction is among the newest. */
const PAGE = 200
const READS_MAX = 10
/** The gateway searches for orders without an event every ten seconds. */
const ID_READS_MAX = 30
const POLL_MS = 1_000

/** An order's terms, with the names and values of requests. */
function termsOf(order: Order): Readonly<Record<string, unknown>> {
  const timeInForce = order.timeInForce === null ? -1 : TIMES_IN_FORCE.indexOf(order.timeInForce)
  return { ...order, timeInForce: timeInForce === -1 ? null : timeInForce }
}

function hasFields(known: Readonly<Record<string, unknown>>, wanted: Fields): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    if (value === undefined) return true
    const expected = name === 'direction' ? DIRECTIONS[String(value)] : value
    const actual = known[name]
    return (typeof actual === 'string' || typeof actual === 'number' || typeof actual === 'boolean') && String(actual) === String(expected)
  })
}
