// Order commands, one for each of the ten operations.

import { isOrder, priceBoundOf } from '../calls.ts'
import type { TradeRequest } from '../calls.ts'
import type { Client } from '../client.ts'
import type { Execution } from '../execution.ts'
import { OPERATION_FIELDS } from '../generated/operation-fields.ts'
import type { Traded, TradeOptions } from '../trade.ts'
import type { Argument, Command, Context, Flag } from './command.ts'
import { flagText } from './command.ts'
import { toBps } from './decimal.ts'
import { callOptions, CROSS, directionOf, ENTRY, LEVERAGE, leverageOf } from './exchange-commands.ts'
import { listing } from './table.ts'
import { UsageError } from './usage-error.ts'

/** The options of everything that is signed. */
export const SIGNING_FLAGS: readonly Flag[] = [
  { name: 'dry-run', help: 'check whether the network would accept it now; sign nothing' },
  { name: 'accept-unusual-fee', help: 'sign although the fee is far above the usual one; refused by default' },
  { name: 'client-id', value: 'ID', help: 'your own id of the transaction: repeating the command with it does not trade twice within 24 hours' },
]
const TRADE_FLAGS: readonly Flag[] = [
  ...SIGNING_FLAGS,
  { name: 'wait', value: 'SECONDS', help: 'how long to wait for the keeper to execute a resting order; 0 by default' },
]
const WAIT_MAX_SEC = 3600

/** Makes a trade and prints its result. */
export async function trade(context: Context, unnamed: TradeRequest): Promise<void> {
  const clientId = flagText(context, 'client-id')
  const request = clientId === undefined ? unnamed : { ...unnamed, clientId }
  const { op } = request
  if (context.flags['dry-run'] === true) return dryRun(context, request)
  const seconds = Number(flagText(context, 'wait') ?? '0')
  if (!(seconds >= 0 && seconds <= WAIT_MAX_SEC)) throw new UsageError(`--wait needs a number of seconds, at most ${WAIT_MAX_SEC}.`)
  const client = await context.signingClient(true)
  const { progress } = context
  let bound: bigint | null = null
  const traded = await progress.run('Preparing', () => execute(client, request, {
    signal: context.signal, keeperTimeoutMs: seconds * 1000, acceptUnusualFee: context.flags['accept-unusual-fee'] === true,
    onVerified(transaction) {
      bound = priceBoundOf(request, transaction.call)
    },
    onSigned: () => progress.setMessage('Signed, waiting for a ledger'),
  }).catch(toUsageError))
  context.show(traded, summary(context, traded, /^(?:open|close)_position/.test(op) ? worstPrice(context, bound) : null))
}

type Result = Traded & { readonly execution?: Execution | null }

function execute(client: Client, request: TradeRequest, options: TradeOptions): Promise<Result> {
  switch (request.op) {
    case 'close_position':
    case 'close_position_partial':
      return client.close({ ...request, marginMode: 'isolated' }, options)
    case 'close_position_cross':
      return client.close({ ...request, marginMode: 'cross' }, options)
    default:
      return isOrder(request) && request.op !== 'cancel_order' ? client.place(request, options) : client.trade(request, options)
  }
}

/** The client throws TypeError for an invalid request. */
function toUsageError(error: unknown): never {
  throw error instanceof TypeError ? new UsageError(error.message) : error
}

async function dryRun(context: Context, request: TradeRequest): Promise<void> {
  const client = context.clientWithKey()
  const { body } = await context.progress.run('Preparing', () =>
    isOrder(request) ? client.prepareOrder(request, callOptions(context)) : client.prepareAction(request, callOptions(context)))
  context.show({ request, accepted: true, minResourceFee: body.minResourceFee ?? null }, listing([
    ['dry run', 'the network would accept it now; nothing was signed'],
    ...Object.entries(request).map(([name, value]) =>
      [name, OPERATION_FIELDS[request.op]?.fields[name]?.kind === 'decimal' ? context.format(String(value)) : String(value)] as const),
    ['minimum fee, stroops', body.minResourceFee],
  ]))
}

function worstPrice(context: Context, bound: bigint | null): string | null {
  if (bound === null) return 'none: the contracts take no bound here'
  return bound === 0n ? 'none' : context.format(String(bound))
}

/** `worst`: the worst price of a market open or close; null for other trades. */
function summary(context: Context, { hash, ledger, positionId, order, execution = null }: Result, worst: string | null): string {
  const entries: [string, string | number | null][] = [['transaction', hash], ['ledger', ledger]]
  if (positionId !== null) entries.push(['position', positionId])
  if (worst !== null) entries.push(['worst price', worst])
  if (order !== null) {
    entries.push(['order', order.orderId ?? 'unknown, see `orders`'], ['state', order.state])
    if (order.state === 'cancelled') entries.push(['reason', order.reason])
  }
  if (execution !== null) {
    const { price, size, fee, pnl } = execution
    entries.push(...Object.entries({ price, size, fee, pnl }).map(([name, units]): [string, string] => [name, context.format(units) ?? 'unknown']))
  }
  return listing(entries)
}

/** The value of a required flag. */
function requiredFlag(context: Context, name: string, example: string): string {
  const text = flagText(context, name)
  if (text === undefined) throw new UsageError(`--${name} is missing. Example: --${name} ${example}`)
  return text
}

/** An id, as text: ids are u64 and may exceed a number's precision. */
function idOf(context: Context, name: string): string {
  const text = context.args[name] ?? ''
  if (!/^\d{1,20}$/.test(text)) throw new UsageError(`${name}: ${JSON.stringify(text)} is not an id. Ids are numbers.`)
  return text
}

interface Entry {
  readonly asset: string
  readonly direction: 'Long' | 'Short'
  readonly collateral: string
  readonly leverage: number
}

function entryOf(context: Context): Entry {
  const { ASSET: asset = '', SIDE: side = '', COLLATERAL: collateral = '' } = context.args
  const direction = directionOf(side)
  return { asset: asset.toUpperCase(), direction, collateral: context.parseUnits(collateral, 'COLLATERAL'), leverage: leverageOf(context) }
}

const price = (context: Context, name: string): string => context.parseUnits(requiredFlag(context, name, '92000.50'), `--${name}`)
/** The tolerance of a market trade. Without --slippage the client sets its default where the contracts take a bound. */
function marketSlippageOf(context: Context): { readonly slippageBps?: number } {
  const text = flagText(context, 'slippage')
  return text === undefined ? {} : { slippageBps: toBps(text, '--slippage') }
}
const slippageOf = (context: Context): number => toBps(flagText(context, 'slippage') ?? '1%', '--slippage')

/** The trigger condition of --when, else `byDefault`. */
function triggerConditionOf(context: Context, byDefault: 'Above' | 'Below'): 'Above' | 'Below' {
  const text = flagText(context, 'when')
  const condition = text === undefined ? byDefault : { above: 'Above', below: 'Below' }[text.toLowerCase()] as 'Above' | 'Below' | undefined
  if (condition === undefined) throw new UsageError('--when must be above or below.')
  return condition
}

const POSITION: readonly Argument[] = [{ name: 'POSITION', help: 'the position\'s id, see `positions`' }]
const TRIGGER: Flag = { name: 'trigger', value: 'PRICE', help: 'the price that triggers the order; required' }
const MARKET_SLIPPAGE: Flag = {
  name: 'slippage', value: 'SHARE', help: 'refuse a price further than this from the simulated one; 0.5% by default; needs contracts of generation 2',
}
const SLIPPAGE: Flag = { name: 'slippage', value: 'SHARE', help: 'how far the execution price may be from the trigger; 1% by default' }

async function placeMarket(context: Context): Promise<void> {
  await trade(context, { op: context.flags['cross'] === true ? 'open_position_cross' : 'open_position', ...entryOf(context), ...marketSlippageOf(context) })
}

async function placeLimit(context: Context): Promise<void> {
  const entry = entryOf(context)
  await trade(context, {
    op: 'place_limit_order', ...entry, triggerPrice: price(context, 'trigger'),
    triggerCondition: triggerConditionOf(context, entry.direction === 'Long' ? 'Below' : 'Above'), slippageToleranceBps: slippageOf(context),
  })
}

async function placeStopLimit(context: Context): Promise<void> {
  const entry = entryOf(context)
  await trade(context, {
    op: 'place_stop_limit_order', ...entry, triggerPrice: price(context, 'trigger'), limitPrice: price(context, 'limit'),
    triggerCondition: triggerConditionOf(context, entry.direction === 'Long' ? 'Above' : 'Below'), slippageToleranceBps: slippageOf(context),
  })
}

const placeStop = (op: 'set_stop_loss' | 'set_take_profit') => async (context: Context): Promise<void> => {
  await trade(context, { op, positionId: idOf(context, 'POSITION'), triggerPrice: price(context, 'trigger'), slippageToleranceBps: slippageOf(context) })
}

async function placeTrail(context: Context): Promise<void> {
  const trailingPercentBps = toBps(requiredFlag(context, 'trail', '2%'), '--trail')
  await trade(context, { op: 'place_trailing_stop', positionId: idOf(context, 'POSITION'), trailingPercentBps, slippageToleranceBps: slippageOf(context) })
}

async function close(context: Context): Promise<void> {
  const positionId = idOf(context, 'POSITION')
  const size = flagText(context, 'size')
  if (size !== undefined) {
    if (context.flags['cross'] === true) throw new UsageError('--size works on isolated positions only.')
    if (flagText(context, 'slippage') !== undefined) throw new UsageError('--size takes no --slippage: contracts close a part at the market price.')
    return trade(context, { op: 'close_position_partial', positionId, closeSize: context.parseUnits(size, '--size') })
  }
  const op = context.flags['cross'] === true || await isCross(context, positionId) ? 'close_position_cross' : 'close_position'
  await trade(context, { op, positionId, ...marketSlippageOf(context) })
}

/** Isolated and cross positions are closed by different operations. */
async function isCross(context: Context, positionId: string): Promise<boolean> {
  const { body } = await context.progress.run('Loading the position', () => context.clientWithKey().getAccountState({}, callOptions(context)))
  return body.positions?.find((position) => String(position.positionId) === positionId)?.marginMode === 'cross'
}

async function cancel(context: Context): Promise<void> {
  await trade(context, { op: 'cancel_order', orderId: idOf(context, 'ORDER') })
}

const RESTING_NOTE = 'The order rests until the price triggers it and the keeper executes it, or until it is cancelled.'

export const TRADE_COMMANDS: readonly Command[] = [
  {
    name: 'place market', summary: 'Opens a position now, at the oracle price.', arguments: ENTRY,
    flags: [LEVERAGE, CROSS, MARKET_SLIPPAGE, ...TRADE_FLAGS],
    details: ['The position\'s size is collateral times leverage.'], examples: ['place market BTC long 100 --leverage 5'], run: placeMarket,
  },
  {
    name: 'place limit', summary: 'Places an order that opens a position when the price reaches the trigger.', arguments: ENTRY, details: [RESTING_NOTE],
    flags: [
      LEVERAGE, TRIGGER, { name: 'when', value: 'WHEN', help: 'trigger above or below the price; below for longs and above for shorts by default' }, SLIPPAGE,
      ...TRADE_FLAGS,
    ],
    examples: ['place limit BTC long 100 --leverage 5 --trigger 90000'], run: placeLimit,
  },
  {
    name: 'place stop-limit', summary: 'Places an order that becomes a limit order when the price reaches the trigger.', arguments: ENTRY,
    details: [RESTING_NOTE],
    flags: [
      LEVERAGE, TRIGGER, { name: 'limit', value: 'PRICE', help: 'the price of the limit order; required' },
      { name: 'when', value: 'WHEN', help: 'trigger above or below the price; above for longs and below for shorts by default' }, SLIPPAGE, ...TRADE_FLAGS,
    ],
    examples: ['place stop-limit BTC long 100 --leverage 5 --trigger 95000 --limit 95100'], run: placeStopLimit,
  },
  {
    name: 'place stop-loss', summary: 'Closes a position when the price moves against it to the trigger.', arguments: POSITION,
    flags: [TRIGGER, SLIPPAGE, ...TRADE_FLAGS],
    details: [RESTING_NOTE], examples: ['place stop-loss 7 --trigger 88000'], run: placeStop('set_stop_loss'),
  },
  {
    name: 'place take-profit', summary: 'Closes a position when the price moves in its favour to the trigger.', arguments: POSITION,
    flags: [TRIGGER, SLIPPAGE, ...TRADE_FLAGS],
    details: [RESTING_NOTE], examples: ['place take-profit 7 --trigger 99000'], run: placeStop('set_take_profit'),
  },
  {
    name: 'place trailing-stop', summary: 'Closes a position when the price falls back from its best.', arguments: POSITION, details: [RESTING_NOTE],
    flags: [{ name: 'trail', value: 'SHARE', help: 'distance from the best price, like 2%; required' }, SLIPPAGE, ...TRADE_FLAGS],
    examples: ['place trailing-stop 7 --trail 2%'], run: placeTrail,
  },
  {
    name: 'close', summary: 'Closes a position or a part of it now, isolated or cross.', arguments: POSITION,
    flags: [
      { ...CROSS, help: 'the position is a cross position; looked up if omitted' },
      { name: 'size', value: 'USDC', help: 'close only this much of the size; isolated positions on contracts of generation 2' }, MARKET_SLIPPAGE,
      ...SIGNING_FLAGS,
    ],
    examples: ['close 7', 'close 7 --slippage 2%', 'close 7 --size 250'], run: close,
  },
  {
    name: 'cancel', summary: 'Cancels a resting order.', arguments: [{ name: 'ORDER', help: 'the order\'s id, see `orders`' }], flags: SIGNING_FLAGS,
    details: ['Works while trading is paused, too.'], examples: ['cancel 3'], run: cancel,
  },
]
