// The account that the key speaks for: what it has and is worth, all of one ledger, read again when something happens to it.

import type { AccountState, OpenOrder, Stream } from '../client/src/index.ts'
import { later } from './clock.ts'
import { card, createTable, el, facts, gain, refill, side } from './dom.ts'
import { amount, price, signed, sideOf, UNKNOWN } from './format.ts'
import type { Operation } from './operations.ts'
import type { PageParts } from './page.ts'
import { createPanel } from './panel.ts'

type Position = NonNullable<AccountState['positions']>[number]

export interface AccountView {
  readonly element: HTMLElement
  show(): void
  hide(): void
  /** The numbers of the account's positions and orders, as last read. */
  ids(): { readonly positions: readonly number[]; readonly orders: readonly number[] }
}

export interface AccountOptions extends Pick<PageParts, 'feed' | 'session'> {
  /** Called when somebody wants to do this to a position or an order. */
  readonly onWish: (op: Operation, id: number) => void
}

/** A balance; that an account never had such a thing is no riddle. */
function balance({ balances, unknown }: AccountState, name: keyof AccountState['balances']): string {
  const reason = unknown.find(({ part }) => part === `/balances/${name}`)?.reason
  return reason === 'no_trustline' || reason === 'no_account' ? 'none' : amount(balances[name])
}

/** Several events of one transaction are one reason to read. */
const SETTLE_MS = 400
const ORDER_TYPES: Readonly<Record<OpenOrder['orderType'], string>> = {
  limit: 'Limit', stop_limit: 'Stop-limit', stop_loss: 'Stop-loss', take_profit: 'Take-profit', trailing_stop: 'Trailing stop',
}

export function createAccountView({ feed, session, onWish }: AccountOptions): AccountView {
  let state: AccountState | null = null
  let stream: Stream | null = null
  let listensTo = ''
  let isShown = false
  const balances = el('div')
  const way = el('a', { href: '#/keys' }, 'Connect a wallet and get a key')
  const none = el('p', { class: 'note' }, 'Without a key nothing of an account can be read. ', way, '.')

  function wish(word: string, op: Operation, id: number, what: string): HTMLElement {
    return el('button', { type: 'button', class: 'small', 'data-key': `${op} ${id}`, 'aria-label': `${word} ${what} ${id}`, click: () => onWish(op, id) }, word)
  }

  function actionsOf({ positionId, marginMode }: Position): readonly HTMLElement[] {
    const close = wish('Close', marginMode === 'cross' ? 'close_position_cross' : 'close_position', positionId, 'position')
    // Nothing can be attached to a position under cross margin.
    if (marginMode === 'cross') return [close]
    return [
      close, wish('TP', 'set_take_profit', positionId, 'for position'), wish('SL', 'set_stop_loss', positionId, 'for position'),
      wish('Trail', 'place_trailing_stop', positionId, 'for position'),
    ]
  }

  const positions = createTable<Position>({
    caption: 'Your positions', empty: 'You have no open position.',
    columns: [
      { title: 'Position', cell: ({ positionId }) => String(positionId) },
      { title: 'Market', cell: ({ asset }) => asset },
      { title: 'Side', cell: ({ direction, leverage, marginMode }) => [side(sideOf(direction)), ` ${leverage}×${marginMode === 'cross' ? ' cross' : ''}`] },
      { title: 'Size', isFigure: true, cell: ({ size }) => amount(size) },
      { title: 'Entry', isFigure: true, cell: ({ entryPrice }) => price(entryPrice) },
      { title: 'PnL', isFigure: true, cell: ({ unrealizedPnl }) => gain(signed(unrealizedPnl)) },
      {
        title: 'Liquidation', isFigure: true, isMinor: true,
        cell: ({ marginMode, liquidationPrice }) => (marginMode === 'cross' ? 'of the account' : price(liquidationPrice)),
      },
      { title: 'Act', cell: (row) => el('div', { class: 'row tight' }, ...actionsOf(row)) },
    ],
  })
  const orders = createTable<OpenOrder>({
    caption: 'Your resting orders', empty: 'You have no resting order.',
    columns: [
      { title: 'Order', cell: ({ orderId }) => String(orderId) },
      { title: 'Type', cell: ({ orderType }) => ORDER_TYPES[orderType] ?? orderType },
      { title: 'Market', cell: ({ asset }) => asset },
      { title: 'Side', cell: ({ direction }) => side(sideOf(direction)) },
      { title: 'Position', isFigure: true, isMinor: true, cell: ({ positionId }) => (positionId === null ? 'opens one' : String(positionId)) },
      { title: 'Price', isFigure: true, cell: (row) => `${row.triggerCondition === 'Above' ? '≥' : '≤'} ${price(row.referencePrice)}` },
      { title: 'Act', cell: ({ orderId }) => wish('Cancel', 'cancel_order', orderId, 'order') },
    ],
  })
  const content = el('div', { class: 'stack' }, balances, positions.element, orders.element)

  function render(body: AccountState): void {
    state = body
    const paused = body.limits.tradingPaused
    refill(balances,
      paused === true ? el('p', { class: 'note warn' }, 'Trading is paused: only cancelling and liquidating go on.') : null,
      facts([
        ['USDC', balance(body, 'usdc')], ['XLM', balance(body, 'xlm')], ['LP tokens', balance(body, 'lp')],
        ['Cross margin', amount(body.cross.equity)], ['of it free', amount(body.cross.freeMargin)],
        ['Fee to open', body.fees.takerRate === null ? UNKNOWN : `${(Number(body.fees.takerRate) / 1e5).toFixed(3)} %`],
      ], 'facts inline'))
    positions.put(body.positions ?? [])
    orders.put(body.orders ?? [])
    const missing = [body.positions === null ? 'The positions could not be read whole.' : '', body.orders === null ? 'The orders could not be read whole.' : '']
    unread.textContent = missing.join(' ').trim()
  }
  const unread = el('p', { class: 'note problem' })

  const panel = createPanel({
    feed, session, content, what: 'Your account', read: (client) => client.getAccountState(), render,
    clear() {
      state = null
      for (const part of [balances, unread]) part.replaceChildren()
      positions.put([])
      orders.put([])
    },
  })
  const body = el('div', { class: 'stack' }, content, unread, panel.note)

  /** The account's own events, as long as there is a key; the stream logs in with it. */
  function listen(): void {
    const key = session.key()
    const owner = session.owner()
    const wanted = key === null || owner === null ? '' : `${key.keyId} ${owner}`
    if (wanted === listensTo) return
    stream?.close()
    stream = null
    listensTo = wanted
    if (owner === null || key === null) return
    let cancel = (): void => {}
    stream = session.client().stream()
    stream.on(`account.events.${owner}`, () => {
      cancel()
      cancel = later(SETTLE_MS, () => {
        if (isShown) panel.read()
      })
    })
  }

  function look(): void {
    const hasKey = session.key() !== null
    none.hidden = hasKey
    body.hidden = !hasKey
    listen()
    if (hasKey && isShown) panel.show()
    else panel.hide()
  }

  session.onChange(() => {
    const isOther = state !== null && state.owner !== session.owner()
    if (isOther && session.key() !== null && isShown) panel.read(true)
    look()
  })
  return {
    element: card('account-heading', 'Your account', none, body),
    show() {
      isShown = true
      look()
    },
    hide() {
      isShown = false
      panel.hide()
    },
    ids: () => ({
      positions: state?.positions?.map(({ positionId }) => positionId) ?? [],
      orders: state?.orders?.map(({ orderId }) => orderId) ?? [],
    }),
  }
}
