// The account of the API key: balances, margin, positions and orders, all from one ledger, read again after each of the account's events.

import type { AccountState, Stream } from '../client/src/index.ts'
import { createOrdersTable, createPositionsTable } from './account-tables.ts'
import type { ActionListener } from './account-tables.ts'
import { after } from './clock.ts'
import { card, el, facts, setChildren } from './dom.ts'
import { amount, UNKNOWN } from './format.ts'
import type { PageParts } from './page.ts'
import { createPanel } from './panel.ts'
import type { Session } from './session.ts'

export interface AccountView {
  readonly element: HTMLElement
  show(): void
  hide(): void
  /** Shows the actions of the positions again. */
  updateActions(): void
  /** IDs of the account's positions and orders, as last read. */
  ids(): { readonly positions: readonly number[]; readonly orders: readonly number[] }
}

export interface AccountOptions extends Pick<PageParts, 'feed' | 'session'> {
  readonly onAction: ActionListener
  /** Whether the contracts are of generation 2. */
  readonly isGeneration2: () => boolean
}

export function createAccountView({ feed, session, onAction, isGeneration2 }: AccountOptions): AccountView {
  let state: AccountState | null = null
  let isShown = false
  const summary = el('div')
  const positions = createPositionsTable(onAction, isGeneration2)
  const orders = createOrdersTable(onAction)
  const problem = el('p', { class: 'note problem' })
  const content = el('div', { class: 'stack' }, summary, positions.element, orders.element)
  const noKey = el('p', { class: 'note' }, 'An API key is needed to read your account. ', el('a', { href: '#/keys' }, 'Connect a wallet and get a key'), '.')

  const panel = createPanel({
    feed, session, content, title: 'Your account', read: (client) => client.getAccountState(),
    render(account) {
      state = account
      setChildren(summary, ...accountSummary(account))
      positions.setRows(account.positions ?? [])
      orders.setRows(account.orders ?? [])
      problem.textContent = problemText(account)
    },
    clear() {
      state = null
      for (const part of [summary, problem]) part.replaceChildren()
      positions.setRows([])
      orders.setRows([])
    },
  })
  const withKey = el('div', { class: 'stack' }, content, problem, panel.note)
  const events = createEventSubscription(session, () => {
    if (isShown) panel.read()
  })

  function update(): void {
    const hasKey = session.key() !== null
    noKey.hidden = hasKey
    withKey.hidden = !hasKey
    events.update()
    if (hasKey && isShown) panel.show()
    else panel.hide()
  }

  session.onChange(() => {
    const isOtherAccount = state !== null && state.owner !== session.owner()
    if (isOtherAccount && session.key() !== null && isShown) panel.read(true)
    update()
  })
  return {
    element: card('account-heading', 'Your account', noKey, withKey),
    show() {
      isShown = true
      update()
    },
    hide() {
      isShown = false
      panel.hide()
    },
    updateActions: () => positions.setRows(state?.positions ?? []),
    ids: () => ({
      positions: state?.positions?.map(({ positionId }) => positionId) ?? [],
      orders: state?.orders?.map(({ orderId }) => orderId) ?? [],
    }),
  }
}

const PAUSED = 'Trading is paused. No position can be opened. Orders can still be cancelled.'

function accountSummary(account: AccountState): readonly (HTMLElement | null)[] {
  const { cross, fees, limits } = account
  return [
    limits.tradingPaused === true ? el('p', { class: 'note warn' }, PAUSED) : null,
    facts([
      ['USDC', balance(account, 'usdc')], ['XLM', balance(account, 'xlm')], ['LP tokens', balance(account, 'lp')],
      ['Cross margin equity', amount(cross.equity)], ['Free margin', amount(cross.freeMargin)],
      ['Opening fee', fees.takerRate === null ? UNKNOWN : `${(Number(fees.takerRate) / 1e5).toFixed(3)}%`],
    ], 'facts inline'),
  ]
}

/** An account without a trustline or without a ledger entry has a balance of zero, unlike one that could not be read. */
function balance({ balances, unknown }: AccountState, name: keyof AccountState['balances']): string {
  const reason = unknown.find(({ part }) => part === `/balances/${name}`)?.reason
  return reason === 'no_trustline' || reason === 'no_account' ? 'none' : amount(balances[name])
}

function problemText({ positions, orders }: AccountState): string {
  const unread = [positions === null ? 'positions' : '', orders === null ? 'orders' : ''].filter((name) => name !== '')
  return unread.length === 0 ? '' : `The gateway could not read all of your ${unread.join(' and ')}.`
}

/** Several events of one transaction cause one read. */
const SETTLE_MS = 400

/** Subscribes to the account's events while there is an API key. Call `update` after each change of the session. */
function createEventSubscription(session: Session, onEvent: () => void): { update(): void } {
  let stream: Stream | null = null
  let subscribed = ''
  let cancelRead = (): void => {}

  return {
    update() {
      const key = session.key()
      const owner = session.owner()
      const wanted = key === null || owner === null ? '' : `${key.keyId} ${owner}`
      if (wanted === subscribed) return
      stream?.close()
      stream = null
      subscribed = wanted
      if (wanted === '') return
      stream = session.client().stream()
      stream.on(`account.events.${owner}`, () => {
        cancelRead()
        cancelRead = after(SETTLE_MS, onEvent)
      })
    },
  }
}
