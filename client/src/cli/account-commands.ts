// The caller's account: balances, positions, resting orders and events.

import { displayText } from '../display.ts'
import type { AccountState, OpenOrder } from '../generated/resources.ts'
import { toPercent } from './decimal.ts'
import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { AT_LEDGER_FLAG, atLedgerOf, callOptions, firstRows, LIMIT_FLAG, limitOf, sideOf } from './exchange-commands.ts'
import { listing, table } from './table.ts'
import { timeOf } from './time.ts'

type Position = NonNullable<AccountState['positions']>[number]

async function stateOf(context: Context): Promise<AccountState> {
  return (await context.progress.run('Loading the account', () => context.clientWithKey().getAccountState({}, callOptions(context)))).body
}

function positionTable(context: Context, rows: readonly Position[]): string {
  return table([
    { title: 'position', align: 'right', text: ({ positionId }) => positionId }, { title: 'asset', text: ({ asset }) => asset },
    { title: 'side', text: ({ direction }) => sideOf(direction) }, { title: 'margin', text: ({ marginMode }) => marginMode },
    { title: 'size', align: 'point', text: ({ size }) => context.format(size) }, { title: 'leverage', align: 'right', text: ({ leverage }) => leverage },
    { title: 'entry price', align: 'point', text: ({ entryPrice }) => context.format(entryPrice) },
    { title: 'price', align: 'point', text: ({ price }) => context.format(price) },
    { title: 'pnl', align: 'point', text: ({ unrealizedPnl }) => context.format(unrealizedPnl) },
    { title: 'funding', align: 'point', text: ({ accruedFunding }) => context.format(accruedFunding) },
    { title: 'liquidation', align: 'point', text: ({ liquidationPrice }) => context.format(liquidationPrice) },
  ], rows, 'No open positions.')
}

/** The condition that triggers an order. */
function triggerText(context: Context, { triggerCondition, referencePrice, triggerPrice, trailingPercentBps }: OpenOrder): string {
  const price = context.format(referencePrice ?? triggerPrice)
  const trail = trailingPercentBps === null ? '' : ` (trail ${toPercent(String(trailingPercentBps * 1000))})`
  return `${triggerCondition.toLowerCase()} ${price ?? '–'}${trail}`
}

function orderTable(context: Context, rows: readonly OpenOrder[]): string {
  return table([
    { title: 'order', align: 'right', text: ({ orderId }) => orderId }, { title: 'type', text: ({ orderType }) => orderType },
    { title: 'asset', text: ({ asset }) => asset }, { title: 'side', text: ({ direction }) => sideOf(direction) },
    { title: 'position', align: 'right', text: ({ positionId }) => positionId }, { title: 'size', align: 'point', text: ({ size }) => context.format(size) },
    { title: 'trigger', text: (order) => triggerText(context, order) },
    { title: 'limit', align: 'point', text: ({ limitPrice }) => context.format(limitPrice) },
    { title: 'slippage', align: 'right', text: ({ slippageToleranceBps }) => toPercent(String(slippageToleranceBps * 1000)) },
    { title: 'placed (UTC)', text: ({ createdAt }) => timeOf(createdAt) },
  ], rows, 'No resting orders.')
}

/** A line for each reason why a resting order cannot be executed. */
function noteWarnings(context: Context, rows: readonly OpenOrder[]): void {
  for (const { orderId, warnings = [] } of rows) for (const { message } of warnings) context.note(`Order ${orderId}: ${message}`)
}

const UNAVAILABLE = 'not available now\n'

/** Reasons why a balance is zero rather than unknown. */
const NO_BALANCE: Readonly<Record<string, string>> = { no_account: 'none: the account does not exist yet', no_trustline: 'none: no trustline' }
/** Reasons why a figure is unknown. Other reasons say that there is none. */
const UNREAD: Readonly<Record<string, string>> = {
  entry_unreadable: 'the node did not return its ledger entry', token_unreadable: 'the token contract could not be read',
  price_unreadable: 'the price could not be read', price_of_another_ledger: 'the price is of another ledger', not_told: 'the node did not return it',
}

async function account(context: Context): Promise<void> {
  const state = await stateOf(context)
  const { balances, cross, fees } = state
  const balance = (name: 'usdc' | 'lp' | 'xlm'): string | null =>
    NO_BALANCE[state.unknown.find(({ part }) => part === `/balances/${name}`)?.reason ?? ''] ?? context.format(balances[name])
  const rate = (value: string | null): string => (value === null ? '–' : toPercent(value))
  const text = [
    listing([
      ['account', state.owner], ['ledger', `${state.ledger} (${timeOf(state.ledgerCloseTs) ?? '–'} UTC)`], ['USDC', balance('usdc')],
      ['LP tokens', balance('lp')], ['XLM', balance('xlm')], ['cross pool', context.format(cross.pool)],
      ['cross equity', context.format(cross.equity)], ['cross free margin', context.format(cross.freeMargin)],
      ['volume, 14 days', context.format(fees.volume)], ['fees', `taker ${rate(fees.takerRate)}, maker ${rate(fees.makerRate)}`],
    ]),
    state.positions === null ? `Positions: ${UNAVAILABLE}` : positionTable(context, state.positions),
    state.orders === null ? `Orders: ${UNAVAILABLE}` : orderTable(context, state.orders),
  ]
  context.show(state, text.join('\n'))
  noteWarnings(context, state.orders ?? [])
  for (const { part, reason } of state.unknown) if (UNREAD[reason] !== undefined) context.note(`${part} is unknown now: ${UNREAD[reason]}.`)
}

async function positions(context: Context): Promise<void> {
  const { owner, ledger, ledgerCloseTs, positions: rows } = await stateOf(context)
  context.show({ owner, ledger, ledgerCloseTs, positions: rows }, rows === null ? `Positions: ${UNAVAILABLE}` : positionTable(context, rows))
}

async function orders(context: Context): Promise<void> {
  const { body } = await context.progress.run('Loading orders', () => context.clientWithKey().listAccountOpenOrders({}, callOptions(context)))
  context.show(body, orderTable(context, body.orders))
  noteWarnings(context, body.orders)
}

async function events(context: Context): Promise<void> {
  const wantedTopic = flagText(context, 'topic')
  const limit = limitOf(context)
  const input = { limit: Math.min(limit, 200), ...(wantedTopic === undefined ? {} : { topic: wantedTopic }), ...atLedgerOf(context) }
  const list = context.clientWithKey().rows('listAccountEvents', input, callOptions(context))
  const rows = await context.progress.run('Loading events', () => firstRows(list, limit))
  context.show({ events: rows }, table([
    { title: 'time (UTC)', text: ({ ledgerCloseTs }) => timeOf(ledgerCloseTs) }, { title: 'ledger', align: 'right', text: ({ ledger }) => ledger },
    { title: 'topic', text: ({ topic }) => topic }, { title: 'fields', text: ({ payload }) => payloadText(context, payload) },
  ], rows, 'No events.'))
}

/** Fields of events that can be digit strings but are neither amounts, prices nor rates: counts, ids, and texts that users choose. */
const COUNTS: ReadonlySet<string> = new Set(['hoursElapsed', 'orderId', 'positionId', 'code', 'name'])

/** An event's fields as one line, without long values. */
export function payloadText(context: Pick<Context, 'format'>, payload: unknown): string {
  const textOf = (name: string, value: unknown): string => {
    if (typeof value !== 'string') return JSON.stringify(value)
    return /^-?\d+$/.test(value) && !COUNTS.has(name) ? context.format(value) ?? value : value
  }

  if (typeof payload !== 'object' || payload === null) return displayText(JSON.stringify(payload ?? null))
  return Object.entries(payload).filter(([, value]) => typeof value !== 'string' || value.length < 56)
    .map(([name, value]) => `${name} ${textOf(name, value)}`).join(', ')
}

export const ACCOUNT_COMMANDS: readonly Command[] = [
  { name: 'account', summary: 'The account\'s balances, margin, positions and orders.', examples: ['account', 'account --json'], run: account },
  { name: 'positions', summary: 'The account\'s open positions.', examples: ['positions'], run: positions },
  { name: 'orders', summary: 'The account\'s resting orders.', examples: ['orders --json'], run: orders },
  {
    name: 'events', summary: 'The account\'s events, newest first.',
    flags: [{ name: 'topic', value: 'TOPIC', help: 'only events of this topic, like position_closed' }, LIMIT_FLAG, AT_LEDGER_FLAG],
    examples: ['events --topic order_executed'], run: events,
  },
]
