// Transactions, orders in every state, and fills of the account.

import { displayText } from '../display.ts'
import type { Fill, Order, Transaction } from '../generated/resources.ts'
import type { Column } from './table.ts'
import { timeOf } from './time.ts'
import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { AT_LEDGER_FLAG, atLedgerOf, callOptions, firstRows, LIMIT_FLAG, limitOf, PAGE_MAX, sideOf } from './exchange-commands.ts'
import { listing, table } from './table.ts'
import { UsageError } from './usage-error.ts'

export const HASH_PATTERN = /^[0-9a-f]{64}$/
const STATUSES = ['pending', 'executed', 'cancelled'] as const
const ORDER_ID = /^\d{1,15}$/

async function tx(context: Context): Promise<void> {
  const text = context.args['TRANSACTION'] ?? ''
  const isClientId = context.flags['by-client-id'] === true
  const hash = text.toLowerCase()
  if (!isClientId && !HASH_PATTERN.test(hash)) {
    throw new UsageError(`${JSON.stringify(text)} is not a transaction hash.`, 'With --by-client-id the argument is your own id.')
  }
  const { transactions } = context.clientWithKey()
  const transaction = await context.progress.run('Loading the transaction', () =>
    isClientId ? transactions.find({ clientId: text }, callOptions(context)) : transactions.get(hash, callOptions(context)))
  context.show(transaction, transactionText(transaction))
}

/** A transaction as names and values. */
function transactionText(transaction: Transaction): string {
  const { hash, status, op, clientId, ledger, ts, expiresAt, contractError, hostError, txResultCode, orderId, positionId, outcome, events } = transaction
  const optional: [string, string | number | null][] = [
    ['client id', clientId], ['ledger', ledger], ['time (UTC)', timeOf(ts)], ['order', orderId], ['position', positionId],
    ['error', contractError === null ? null : `${contractError.name} (contract error ${contractError.code})`],
    ['host error', hostError === null ? null : `${hostError.type} ${hostError.code}`], ['result', txResultCode],
    ['order\'s outcome', outcome === null ? null : `${outcome.status} in ledger ${outcome.ledger}`],
    ['events', events === null || events.length === 0 ? null : events.map(({ topic }) => topic).join(', ')],
  ]
  const isOpen = status === 'PREPARED' || status === 'PENDING'
  return listing([
    ['transaction', hash], ['status', status], ['operation', op], ...(isOpen ? [['expires (UTC)', timeOf(expiresAt)] as const] : []),
    ...optional.filter(([, value]) => value !== null),
  ])
}

function endText({ status, ended }: Order): string {
  return status === 'cancelled' && ended !== null ? `cancelled (${ended.reason})` : status
}

function historyColumns(context: Context): Column<Order>[] {
  return [
    { title: 'order', align: 'right', text: ({ orderId }) => orderId }, { title: 'type', text: ({ orderType }) => orderType },
    { title: 'asset', text: ({ asset }) => asset }, { title: 'side', text: ({ direction }) => sideOf(direction) },
    { title: 'size', align: 'point', text: ({ size, execution }) => context.format(execution?.size ?? size) },
    { title: 'trigger', align: 'point', text: ({ referencePrice, triggerPrice }) => context.format(referencePrice ?? triggerPrice) },
    { title: 'status', text: endText }, { title: 'fill price', align: 'point', text: ({ execution }) => context.format(execution?.price) },
    { title: 'fee', align: 'point', text: ({ execution }) => context.format(execution?.fee) },
    { title: 'pnl', align: 'point', text: ({ execution }) => context.format(execution?.pnl) },
    { title: 'placed (UTC)', text: ({ placed }) => timeOf(placed?.ts) }, { title: 'ended (UTC)', text: ({ ended }) => timeOf(ended?.ts) },
  ]
}

async function history(context: Context): Promise<void> {
  const limit = limitOf(context)
  const statusText = flagText(context, 'status')
  const status = STATUSES.find((one) => one === statusText)
  if (statusText !== undefined && status === undefined) throw new UsageError(`--status must be one of ${STATUSES.join(', ')}.`)
  const asset = flagText(context, 'asset')?.toUpperCase()
  const filters = { ...(status === undefined ? {} : { status }), ...(asset === undefined ? {} : { asset }) }
  const input = { limit: Math.min(limit, PAGE_MAX), ...filters, ...atLedgerOf(context) }
  const list = context.clientWithKey().rows('listAccountOrderHistory', input, callOptions(context))
  const rows = await context.progress.run('Loading orders', () => firstRows(list, limit))
  context.show({ orders: rows }, table(historyColumns(context), rows, 'No orders.'))
}

async function watchOrder(context: Context): Promise<void> {
  const text = context.args['ORDER'] ?? ''
  if (!ORDER_ID.test(text)) throw new UsageError(`ORDER: ${JSON.stringify(text)} is not an id. Ids are numbers.`)
  const { orders } = context.client()
  for await (const order of orders.watch(Number(text), { signal: context.signal })) context.showLine(order, changeText(context, order))
}

function changeText(context: Context, order: Order): string {
  const { orderId, orderType, asset, placed, ended, execution } = order
  const time = timeOf(ended?.ts ?? placed?.ts) ?? '–'
  const price = (value: string | null | undefined): string => context.format(value) ?? '–'
  const filled = execution === null ? ''
    : `  ${price(execution.size)} at ${price(execution.price)}  fee ${price(execution.fee)}  pnl ${price(execution.pnl)}  position ${execution.positionId}`
  return displayText(`${time}  order ${orderId}  ${orderType ?? 'unknown type'} ${asset ?? ''}  ${endText(order)}${filled}`)
}

async function fills(context: Context): Promise<void> {
  const limit = limitOf(context)
  const list = context.clientWithKey().rows('listAccountFills', { limit: Math.min(limit, PAGE_MAX), ...atLedgerOf(context) }, callOptions(context))
  const rows = await context.progress.run('Loading fills', () => firstRows(list, limit))
  const amount = (title: string, text: (row: Fill) => string | null): Column<Fill> => ({ title, align: 'point', text: (row) => context.format(text(row)) })
  context.show({ fills: rows }, table([
    { title: 'time (UTC)', text: ({ ts }) => timeOf(ts) }, { title: 'kind', text: ({ kind }) => kind }, { title: 'asset', text: ({ asset }) => asset },
    { title: 'side', text: ({ direction }) => sideOf(direction) }, amount('price', ({ price }) => price), amount('size', ({ size }) => size),
    amount('pnl', ({ pnl }) => pnl), amount('fee', ({ fee }) => fee), amount('funding', ({ funding }) => funding), amount('payout', ({ payout }) => payout),
    { title: 'position', align: 'right', text: ({ positionId }) => positionId }, { title: 'order', align: 'right', text: ({ orderId }) => orderId },
  ], rows, 'No fills.'))
}

export const LIFE_COMMANDS: readonly Command[] = [
  {
    name: 'tx', summary: 'A transaction: its state, errors, events, order and position.',
    arguments: [{ name: 'TRANSACTION', help: 'its hash, or your own id with --by-client-id' }],
    flags: [{ name: 'by-client-id', help: 'the argument is the id that --client-id gave the transaction' }],
    details: ['EXPIRED means that the network can never apply it, so that it is safe to trade again.'],
    examples: ['tx 3389e9f0…', 'tx grid-17 --by-client-id'], run: tx,
  },
  {
    name: 'orders watch', summary: 'Prints an order now and after each of its changes, until it has ended.',
    arguments: [{ name: 'ORDER', help: 'the order\'s id' }], details: ['With --json each line is the order as `GET /v1/orders/{orderId}` returns it.'],
    examples: ['orders watch 17'], run: watchOrder,
  },
  {
    name: 'orders history', summary: 'The account\'s orders in every state, newest first, with what their execution did.',
    flags: [
      { name: 'status', value: 'STATUS', help: STATUSES.join(', ') }, { name: 'asset', value: 'ASSET', help: 'only orders of this asset' }, LIMIT_FLAG,
      AT_LEDGER_FLAG,
    ],
    examples: ['orders history --status executed'], run: history,
  },
  {
    name: 'fills', summary: 'Every change of the account\'s positions, newest first: price, size, PnL, fee, funding and payout.',
    flags: [LIMIT_FLAG, AT_LEDGER_FLAG],
    examples: ['fills --limit 5'], run: fills,
  },
]
