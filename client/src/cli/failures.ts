// What a command that failed says, and what it ends with.

import {
  ContractFailure, ExchangeError, GatewayError, RateLimited, RefusedToSign, Unauthorized, UnexpectedAnswer, UnknownOutcome, Unreachable,
} from '../errors.ts'
import { plain } from './table.ts'
import { UsageError } from './usage-error.ts'

/** What the process ends with. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'something that should not happen',
  2: 'the command line or the environment cannot be acted on; nothing was asked',
  3: 'no answer, or not from such a gateway',
  4: 'the gateway refused it',
  5: 'no key, or one that is not accepted',
  6: 'the network or one of the exchange\'s contracts refused it',
  7: 'not signed: what was prepared is not what was asked for',
  8: 'signed and sent, and what became of it is not known: see finish --help',
  130: 'ended by Ctrl-C',
}

/** The caller pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Nobody reads the output any more. */
export class OutputClosed extends Error {
  override readonly name = 'ReaderGone'
}

export interface Failure {
  readonly exitCode: number
  readonly kind: string
  readonly message: string
  readonly hint: string | null
  readonly requestId: string | null
  /** What else a program may want to match on. */
  readonly more: Readonly<Record<string, unknown>>
}

/** What to do about the contracts' errors that a trader meets. */
const CONTRACT_HINTS: Readonly<Record<string, string>> = {
  Paused: 'Trading is paused: only cancelling works until it goes on.',
  PositionNotFound: '`positions` lists your open ones.',
  NotPositionOwner: '`positions` lists your own.',
  InvalidLeverage: '`limits ASSET` shows which leverage the market takes.',
  InsufficientCollateral: 'Put in more: `limits ASSET` shows the least.',
  PositionTooLarge: 'Take less collateral or leverage: `limits ASSET` shows the most.',
  PriceStale: 'The oracle\'s price is too old to open at. Try again in a moment.',
  PriceDeviationTooHigh: 'The price has moved too far from the last good one. Try again in some minutes.',
  InsufficientLiquidity: 'The pool cannot take it now: `limits ASSET` shows what it can.',
  OpenInterestCapExceeded: 'That side of the market is full: `limits ASSET` shows what is left.',
  InsufficientBalance: '`account` shows what there is.',
  OrderNotFound: '`orders` lists those that rest.',
  OrderNotPending: 'It was executed or cancelled before.',
  NotOrderOwner: '`orders` lists your own.',
  OrderAlreadyExists: 'The position has such an order: cancel that one first.',
  SlippageExceeded: 'The price has moved. Allow more with --slippage, or try again.',
  InvalidTriggerPrice: 'The trigger is on the wrong side of the price, or 0.',
  InvalidLimitPrice: 'The limit does not fit the trigger.',
  CrossMarginInsufficientBalance: 'Put something into the pool first: `do deposit_cross_margin amount=…`.',
  CrossMarginInsufficientFreeMargin: '`account` shows the free margin.',
  CrossMarginOrderNotSupported: 'Orders like this do not hang on cross positions.',
}

/** What an error means to the caller. */
export function describeFailure(error: unknown): Failure {
  const base = { requestId: null, hint: null, more: {} }
  if (error instanceof UsageError) return { ...base, exitCode: 2, kind: 'usage', message: error.message, hint: error.hint }
  if (error instanceof Interrupted) return { ...base, exitCode: 130, kind: 'interrupted', message: 'Ended by Ctrl-C.' }
  if (error instanceof UnknownOutcome) {
    const hint = 'Do not trade again before you know. Keep the line below, and hand it to `finish` on its standard input: that can never trade twice.'
    return { ...base, exitCode: 8, kind: 'unknown_outcome', message: error.message.split(':')[0] ?? '', hint, more: { transaction: error.transaction } }
  }
  if (error instanceof RefusedToSign) {
    const hint = 'The gateway prepared something else than was asked for. Nothing was signed; do not use it before you know why.'
    return { ...base, exitCode: 7, kind: 'refused_to_sign', message: error.message, hint, more: { differences: error.differences } }
  }
  if (error instanceof GatewayError) return describeGatewayError(error)
  if (error instanceof Unreachable) {
    const hint = 'Is this the address (--url, URL), and does the gateway run?'
    return { ...base, exitCode: 3, kind: 'unreachable', message: withCause(error), hint, requestId: error.requestId }
  }
  if (error instanceof UnexpectedAnswer) {
    return { ...base, exitCode: 3, kind: 'unexpected_answer', message: error.message, hint: 'Look at the address: --url, or URL in the environment.' }
  }
  if (error instanceof ExchangeError) return { ...base, exitCode: 1, kind: error.name, message: error.message }
  return { ...base, exitCode: 1, kind: 'error', message: error instanceof Error ? error.message : String(error) }
}

function describeGatewayError(error: GatewayError): Failure {
  const { requestId, hint, code, status } = error
  const message = hint ?? code
  if (error instanceof Unauthorized) {
    const todo = 'Is the key right, and not revoked? `key new` gets another one.'
    return { exitCode: 5, kind: code, message: `The key was not accepted (${code}).`, hint: todo, requestId, more: { status } }
  }
  if (error instanceof RateLimited) {
    const when = error.retryAfterSec === null ? 'in a minute' : `in ${error.retryAfterSec} s`
    const todo = `Try again ${when}. Calls with a key have an allowance of their own.`
    return { exitCode: 4, kind: code, message: `This minute's calls are used up (${code}).`, hint: todo, requestId, more: { status } }
  }
  if (error instanceof ContractFailure) {
    const { contractError, stage, hash } = error
    const paid = { simulation: 'Nothing was signed or charged.', submission: 'Nothing was charged.', ledger: 'It failed in a ledger, and cost its fee.' }[stage]
    const what = contractError === null ? message : `${contractError.name} (contract error ${contractError.code}): ${message}`
    const todo = contractError === null ? undefined : CONTRACT_HINTS[contractError.name]
    const more = { status, stage, contractError, hash }
    return { exitCode: 6, kind: code, message: `${what.replace(/\.$/, '')}. ${paid}`, hint: todo ?? null, requestId, more }
  }
  return { exitCode: 4, kind: code, message: `${message} (${status} ${code})`, hint: null, requestId, more: { status } }
}

/** `fetch` hides why it failed. */
function withCause(error: Unreachable): string {
  const reason = (error.cause as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } } | undefined)?.cause
  const why = reason?.code ?? reason?.message
  return `${error.message.replace(/ \(request \w+\)$/, '')}${typeof why === 'string' ? ` (${why})` : ''}`
}

/** The failure as people read it. */
export function failureText({ message, hint, requestId, more }: Failure): string {
  const lines = [`error: ${plain(message)}`]
  if (hint !== null) lines.push(`  to do: ${plain(hint)}`)
  if (requestId !== null) lines.push(`  request: ${plain(requestId)}`)
  if (more['transaction'] !== undefined) lines.push(JSON.stringify(more['transaction']))
  return `${lines.join('\n')}\n`
}

/** The same for programs, in one line. */
export function failureJson({ exitCode, kind, message, hint, requestId, more }: Failure): string {
  return `${JSON.stringify({ error: { kind, message, hint, requestId, exitCode, ...more } })}\n`
}
