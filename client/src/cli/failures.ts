// Error messages and exit codes of the command line.

import { displayText } from '../display.ts'
import {
  ContractFailure, ExchangeError, GatewayError, NotFinal, ProofFailure, RateLimited, RefusedToSign, TransactionExpired, Unauthorized, UnexpectedAnswer,
  UnknownOutcome, Unreachable, UNUSUAL_FEE,
} from '../errors.ts'
import { UsageError } from './usage-error.ts'

/** The exit codes and their meanings. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'success',
  1: 'unexpected error',
  2: 'invalid command line, environment or name; nothing was traded',
  3: 'no response, or not from such a gateway',
  4: 'rejected by the gateway',
  5: 'API key missing or not accepted',
  6: 'rejected by the network or by a contract of the exchange',
  7: 'not signed: the prepared transaction does not match the request',
  8: 'signed and submitted, outcome unknown: see finish --help',
  9: 'not proven: the gateway\'s log does not hold, see audit --help',
  130: 'interrupted by Ctrl-C',
}

/** The user pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** The reader closed the output, as `head` does. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

export interface Failure {
  readonly exitCode: number
  readonly kind: string
  readonly message: string
  readonly hint: string | null
  readonly requestId: string | null
  /** More fields for programs to match on. */
  readonly more: Readonly<Record<string, unknown>>
}

/** Advice for contract errors that traders see. */
const CONTRACT_HINTS: Readonly<Record<string, string>> = {
  Paused: 'Opening positions is paused. Cancelling works, and closing too on contracts of generation 2.',
  PositionTooSmall: 'Too little would remain. Close less of the position, or all of it.',
  InsufficientMargin: 'Too little collateral would remain. Remove less.',
  PositionNotFound: '`positions` lists your open positions.',
  NotPositionOwner: '`positions` lists your open positions.',
  InvalidLeverage: '`limits ASSET` shows the allowed leverage.',
  InsufficientCollateral: 'Use more collateral. `limits ASSET` shows the minimum.',
  PositionTooLarge: 'Use less collateral or leverage. `limits ASSET` shows the maximum size.',
  PriceStale: 'The oracle price is too old to open a position. Try again in a moment.',
  PriceDeviationTooHigh: 'The price moved too far from the last accepted one. Try again in a few minutes.',
  InsufficientLiquidity: 'The pool cannot back this size now. `limits ASSET` shows what is left.',
  OpenInterestCapExceeded: 'This side of the market is at its cap. `limits ASSET` shows what is left.',
  InsufficientBalance: '`account` shows your balances.',
  OrderNotFound: '`orders` lists your resting orders.',
  OrderNotPending: 'The order was already executed or cancelled.',
  NotOrderOwner: '`orders` lists your resting orders.',
  OrderAlreadyExists: 'The position already has such an order. Cancel that one first.',
  AcceptablePriceExceeded: 'The price moved past your worst price. Try again, or allow more with --slippage.',
  AssetRiskNotConfigured: 'This asset is not open for trading.',
  AssetHalted: 'Opening positions of this asset is halted. Closing works.',
  Frozen: 'The exchange is frozen. Only cancelling orders and adding collateral work.',
  NetsToZero: 'It offsets your positions in the other direction. Close those, or open a larger one.',
  SkewCapExceeded: 'This side of the market is too large already. `limits ASSET` shows what is left.',
  WithdrawCooldownActive: 'Withdrawing is possible again some time after the last deposit.',
  SlippageExceeded: 'The price moved. Allow more with --slippage, or try again.',
  InvalidTriggerPrice: 'The trigger price is 0 or on the wrong side of the price.',
  InvalidLimitPrice: 'The limit price does not fit the trigger price.',
  CrossMarginInsufficientBalance: 'Deposit first: `do deposit_cross_margin amount=…`.',
  CrossMarginInsufficientFreeMargin: '`account` shows your free margin.',
  CrossMarginOrderNotSupported: 'Cross positions cannot have such orders.',
}

/** Errors whose bodies have only a code: what each means, and what to do about it. */
const GATEWAY_ERRORS: ReadonlyMap<string, readonly [meaning: string, advice?: string]> = new Map(Object.entries({
  unknown_transaction: ['Neither the gateway nor the network has this transaction', 'Check the hash. This does not prove that it failed.'],
  order_not_found: ['No order has this id, or its ledger is not indexed yet', '`orders history` lists your orders.'],
  key_not_found: ['You have no such key, or it is already revoked', '`key list` lists your keys.'],
  vault_not_found: ['No vault has this id', '`vaults` lists them.'],
  unknown_code: ['Nobody has registered this referral code', 'Check the spelling. Upper and lower case differ.'],
  no_code: ['This address has not registered a referral code'],
  export_not_available: ['This day cannot be downloaded', '`export list` lists the days.'],
  export_in_progress: ['The file of this day is being generated', 'Try again in a minute.'],
  not_yet: ['The gateway has not indexed this ledger yet', 'Try again in a moment.'],
  key_limit_reached: ['The account has the maximum number of keys', '`key revoke KEY-ID` revokes one.'],
  not_in_beta: ['Only accounts of the early access can create keys'],
  region_restricted: ['Trading is not available in your region', 'Everything else is.'],
  rpc_error: ['The gateway cannot reach the network now', 'Try again in a moment.'],
  'Not Found': ['The gateway has no such endpoint', 'Check the address (--url, URL). The gateway may be older than this program.'],
}))

/** The message, hint and exit code of an error. */
export function describeFailure(error: unknown): Failure {
  const base = { requestId: null, hint: null, more: {} }
  if (error instanceof UsageError) return { ...base, exitCode: 2, kind: 'usage', message: error.message, hint: error.hint }
  if (error instanceof Interrupted) return { ...base, exitCode: 130, kind: 'interrupted', message: 'Interrupted by Ctrl-C.' }
  if (error instanceof UnknownOutcome) {
    const message = `The outcome of transaction ${error.transaction.hash} is unknown.`
    const hint = 'Save the line below and pass it to `finish` on its standard input, which never trades twice. Do not trade again before.'
    return { ...base, exitCode: 8, kind: 'unknown_outcome', message, hint, more: { transaction: error.transaction } }
  }
  if (error instanceof NotFinal) {
    const { hash, status, message } = error
    const hint = status === 'PREPARED' ? 'It was not submitted. If it never is, it expires.' : `Run \`finish ${hash}\` later. Do not trade again before.`
    return { ...base, exitCode: 8, kind: 'not_final', message, hint, more: { hash, status } }
  }
  if (error instanceof TransactionExpired) {
    return { ...base, exitCode: 6, kind: 'transaction_expired', message: error.message, more: { hash: error.hash } }
  }
  if (error instanceof RefusedToSign) {
    const isFee = error.differences.every(({ what }) => what === UNUSUAL_FEE)
    const hint = isFee
      ? 'Nothing was signed. Repeat the command later. If the fee stays and other programs pay it too, add --accept-unusual-fee.'
      : 'The gateway prepared a different transaction. Nothing was signed. Do not use this gateway until you know why.'
    return { ...base, exitCode: 7, kind: 'refused_to_sign', message: error.message, hint, more: { differences: error.differences } }
  }
  if (error instanceof ProofFailure) {
    const { message, fault, evidence } = error
    const hint = evidence.length > 1 ? 'Keep the two checkpoints, which --json prints: they are signed evidence.'
      : 'Compare with a second node before you accuse the gateway.'
    return { ...base, exitCode: 9, kind: `not_proven_${fault}`, message, hint, more: { evidence } }
  }
  if (error instanceof GatewayError) return describeGatewayError(error)
  if (error instanceof Unreachable) {
    const hint = 'Check the address (--url, URL) and that the gateway is running.'
    return { ...base, exitCode: 3, kind: 'unreachable', message: withCause(error), hint, requestId: error.requestId }
  }
  if (error instanceof UnexpectedAnswer) {
    return { ...base, exitCode: 3, kind: 'unexpected_answer', message: error.message, hint: 'Check the address (--url, URL).' }
  }
  if (error instanceof ExchangeError) return { ...base, exitCode: 1, kind: error.name, message: error.message }
  return { ...base, exitCode: 1, kind: 'error', message: error instanceof Error ? error.message : String(error) }
}

/** The error as the host prints it, at the end of messages. */
const HOST_TEXT = / \[Error\(.*\)\]$/

function describeGatewayError(error: GatewayError): Failure {
  const { requestId, hint, code, status } = error
  const message = hint ?? code
  if (error instanceof Unauthorized) {
    const advice = code.endsWith('_timestamp') ? message : 'Check that the key is correct and not revoked. `key new` creates another one.'
    return { exitCode: 5, kind: code, message: `The key was not accepted (${code}).`, hint: advice, requestId, more: { status } }
  }
  if (error instanceof RateLimited) {
    const when = error.retryAfterSec === null ? 'in a minute' : `in ${error.retryAfterSec} s`
    const advice = `Try again ${when}. Calls with an API key have their own limit.`
    return { exitCode: 4, kind: code, message: `Rate limit exceeded (${code}).`, hint: advice, requestId, more: { status } }
  }
  if (error instanceof ContractFailure) {
    const { contractError, hostError, txResultCode, stage, hash } = error
    const cost = {
      simulation: 'Nothing was signed or charged.', submission: 'Nothing was charged.', ledger: 'The transaction failed in a ledger. Its fee was charged.',
    }[stage]
    const sentence = message.replace(HOST_TEXT, '')
    const what = contractError === null ? sentence : `${contractError.name} (contract error ${contractError.code}): ${sentence}`
    const advice = contractError === null ? undefined : CONTRACT_HINTS[contractError.name]
    const more = { status, stage, contractError, hostError, txResultCode, hash }
    return { exitCode: 6, kind: code, message: `${what.replace(/\.$/, '')}. ${cost}`, hint: advice ?? null, requestId, more }
  }
  if (code === 'client_id_in_use') {
    const { hash } = error.body as { readonly hash?: unknown }
    const advice = `Transaction ${String(hash)} has it: \`tx\` shows it. Use a new id for a new trade.`
    return { exitCode: 4, kind: code, message: 'Another transaction has this client id.', hint: advice, requestId, more: { status, hash } }
  }
  if (code === 'scope_missing' || code === 'address_not_allowed' || code === 'cap_exceeded' || code === 'not_a_subset') {
    const { message: sentence = code, error: _error, ...more } = error.body as { readonly message?: string; readonly error?: unknown }
    return { exitCode: 4, kind: code, message: sentence, hint: '`key show` shows what the key may do.', requestId, more: { status, ...more } }
  }
  if (code.startsWith('http_')) {
    const what = `The server responded with ${status}, and not as such a gateway does.`
    return { exitCode: 3, kind: code, message: what, hint: 'Check the address (--url, URL).', requestId, more: { status } }
  }
  if (code === 'ledger_not_indexed') {
    const { first, last } = error.body as { readonly first?: unknown; readonly last?: unknown }
    const range = typeof first === 'number' && typeof last === 'number' ? `Use a ledger from ${first} to ${last}.` : null
    return { exitCode: 4, kind: code, message: 'This ledger is not indexed.', hint: range, requestId, more: { status, first, last } }
  }
  if (code === 'unsupported_asset' || code === 'Unknown asset') {
    const { asset } = error.body as { readonly asset?: unknown }
    return { exitCode: 4, kind: code, message: `Unknown market ${String(asset)}.`, hint: '`markets` lists them.', requestId, more: { status, asset } }
  }
  if (code === 'unsupported_by_deployment') {
    const { field } = error.body as { readonly field?: unknown }
    const what = typeof field === 'string' ? `do not take ${field}` : 'have no such operation'
    const advice = field === 'slippageBps' ? 'Leave out --slippage: these contracts trade at any market price.' : null
    return { exitCode: 4, kind: code, message: `The contracts of this exchange ${what}.`, hint: advice, requestId, more: { status, field } }
  }
  const [meaning, advice = null] = GATEWAY_ERRORS.get(code) ?? []
  const invalid = error.parameter === null ? {} : { parameter: error.parameter }
  // The message of an invalid request names where the value was sent, which is not how it was typed.
  const sentence = meaning ?? message.replace(/^(?:querystring|params|body|headers)\//, '')
  return { exitCode: 4, kind: code, message: `${sentence.replace(/\.$/, '')} (${status} ${code})`, hint: advice, requestId, more: { status, ...invalid } }
}

/** The message with the cause, which `fetch` hides. */
function withCause(error: Unreachable): string {
  const reason = (error.cause as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } } | undefined)?.cause
  const why = reason?.code ?? reason?.message
  return `${error.message.replace(/ \(request \w+\)$/, '')}${typeof why === 'string' ? ` (${why})` : ''}`
}

/** The failure as text. */
export function failureText({ message, hint, requestId, more }: Failure): string {
  const lines = [`error: ${displayText(message)}`]
  if (hint !== null) lines.push(`  hint: ${displayText(hint)}`)
  if (requestId !== null) lines.push(`  request: ${displayText(requestId)}`)
  if (more['transaction'] !== undefined) lines.push(JSON.stringify(more['transaction']))
  return `${lines.join('\n')}\n`
}

/** The failure as one line of JSON. */
export function failureJson({ exitCode, kind, message, hint, requestId, more }: Failure): string {
  return `${JSON.stringify({ error: { kind, message, hint, requestId, exitCode, ...more } })}\n`
}
