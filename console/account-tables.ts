// Tables of the account's positions and orders, with a button for each action.

import type { AccountState, OpenOrder } from '../client/src/index.ts'
import { createTable, el, profit, sideLabel } from './dom.ts'
import type { Table } from './dom.ts'
import { amount, price, sideOf, signed } from './format.ts'
import type { Operation } from './operations.ts'

export type AccountPosition = NonNullable<AccountState['positions']>[number]

/** Called when the user chooses an action for a position or order. */
export type ActionListener = (op: Operation, id: number) => void

const ORDER_TYPES: Readonly<Record<OpenOrder['orderType'], string>> = {
  limit: 'Limit', stop_limit: 'Stop-limit', stop_loss: 'Stop-loss', take_profit: 'Take-profit', trailing_stop: 'Trailing stop',
}

/** `isGeneration2`: whether the contracts are, which then takes effect with the next rows. */
export function createPositionsTable(onAction: ActionListener, isGeneration2: () => boolean): Table<AccountPosition> {
  return createTable<AccountPosition>({
    caption: 'Your positions', empty: 'You have no open positions.',
    columns: [
      { title: 'Position', cell: ({ positionId }) => String(positionId) },
      { title: 'Market', cell: ({ asset }) => asset },
      {
        title: 'Side',
        cell: ({ direction, leverage, marginMode }) => [sideLabel(sideOf(direction)), ` ${leverage}×${marginMode === 'cross' ? ' cross' : ''}`],
      },
      { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
      { title: 'Entry', isNumeric: true, cell: ({ entryPrice }) => price(entryPrice) },
      { title: 'PnL', isNumeric: true, cell: ({ unrealizedPnl }) => profit(signed(unrealizedPnl)) },
      {
        title: 'Liquidation', isNumeric: true, isMinor: true,
        cell: ({ marginMode, liquidationPrice }) => (marginMode === 'cross' ? 'by account' : price(liquidationPrice)),
      },
      { title: 'Actions', cell: (position) => el('div', { class: 'row tight' }, ...positionActions(position, isGeneration2(), onAction)) },
    ],
  })
}

export function createOrdersTable(onAction: ActionListener): Table<OpenOrder> {
  return createTable<OpenOrder>({
    caption: 'Your open orders', empty: 'You have no open orders.',
    columns: [
      { title: 'Order', cell: ({ orderId }) => String(orderId) },
      { title: 'Type', cell: ({ orderType }) => ORDER_TYPES[orderType] ?? orderType },
      { title: 'Market', cell: ({ asset }) => asset },
      { title: 'Side', cell: ({ direction }) => sideLabel(sideOf(direction)) },
      { title: 'Position', isNumeric: true, isMinor: true, cell: ({ positionId }) => (positionId === null ? 'new' : String(positionId)) },
      { title: 'Price', isNumeric: true, cell: (order) => `${order.triggerCondition === 'Above' ? '≥' : '≤'} ${price(order.referencePrice)}` },
      {
        title: 'Actions',
        cell: ({ orderId }) => actionButton('Cancel', `Cancel order ${orderId}`, `cancel_order ${orderId}`, () => onAction('cancel_order', orderId)),
      },
    ],
  })
}

function positionActions({ positionId, marginMode }: AccountPosition, isGeneration2: boolean, onAction: ActionListener): readonly HTMLElement[] {
  const button = (text: string, label: string, op: Operation): HTMLElement =>
    actionButton(text, `${label} position ${positionId}`, `${op} ${positionId}`, () => onAction(op, positionId))
  const isCross = marginMode === 'cross'
  const close = button('Close', 'Close', isCross ? 'close_position_cross' : 'close_position')
  // Generation 1 accepts no attached orders for cross positions, and only generation 2 closes isolated positions in part.
  if (isCross && !isGeneration2) return [close]
  return [
    close, ...(isGeneration2 && !isCross ? [button('Part', 'Close part of', 'close_position_partial')] : []),
    button('TP', 'TP for', 'set_take_profit'), button('SL', 'SL for', 'set_stop_loss'), button('Trail', 'Trail for', 'place_trailing_stop'),
  ]
}

function actionButton(text: string, label: string, key: string, click: () => void): HTMLElement {
  return el('button', { type: 'button', class: 'small', 'data-key': key, 'aria-label': label, click }, text)
}
