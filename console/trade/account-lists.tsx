// The account's past: fills, order history and cash movements, each with a button that appends older rows.

import type { ComponentChildren } from 'preact'
import type { CashMovement, Fill, Order } from '../../client/src/index.ts'
import { END_REASONS, FILL_KINDS, ORDER_TYPES } from '../activity-text.ts'
import { amount, dateTime, price, UNKNOWN } from '../format.ts'
import type { Pages } from '../state/use-pages.ts'
import { Fresh, ReadNote } from '../ui/layout.tsx'
import { Older } from '../ui/pager.tsx'
import { Table } from '../ui/table.tsx'
import type { Column } from '../ui/table.tsx'
import { ExplorerLink, MarketLink } from '../ui/links.tsx'
import { Profit, Side } from '../ui/text.tsx'
import { idOfFill, idOfMovement } from './use-account-lists.ts'
import type { AccountLists } from './use-account-lists.ts'

export function Fills({ fills }: Pick<AccountLists, 'fills'>) {
  return (
    <PastRows<Fill>
      pages={fills} name='fills' caption='Your fills, newest first' empty='No fills yet.' idOf={idOfFill}
      columns={[
        { title: 'Time', cell: ({ ts }) => dateTime(ts) },
        { title: 'Type', cell: ({ kind }) => FILL_KINDS[kind] ?? kind },
        { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
        { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
        { title: 'Price', isNumeric: true, cell: (fill) => price(fill.price) },
        { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
        { title: 'PnL', isNumeric: true, cell: ({ kind, pnl }) => (kind === 'open' ? '' : <Profit value={pnl} />) },
        { title: 'Fee', isNumeric: true, isMinor: true, cell: ({ fee }) => amount(fee) },
        { title: 'Funding', isNumeric: true, isMinor: true, cell: ({ funding }) => amount(funding) },
        { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
      ]}
    />
  )
}

export function OrderHistory({ orders }: Pick<AccountLists, 'orders'>) {
  return (
    <PastRows<Order>
      pages={orders} name='orders' caption='Your orders, newest first' empty='No orders yet.' idOf={({ orderId }) => orderId}
      columns={[
        { title: 'Order', cell: ({ orderId }) => orderId },
        { title: 'Placed', cell: ({ placed }) => (placed === null ? UNKNOWN : dateTime(placed.ts)) },
        { title: 'Type', cell: ({ orderType }) => (orderType === null ? UNKNOWN : ORDER_TYPES[orderType] ?? orderType) },
        { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
        { title: 'Trigger', isNumeric: true, cell: ({ triggerPrice }) => price(triggerPrice) },
        { title: 'State', cell: stateOf },
        { title: 'Executed at', isNumeric: true, cell: ({ execution }) => (execution === null ? '' : price(execution.price)) },
        {
          title: 'PnL', isNumeric: true, isMinor: true,
          cell: ({ execution }) => (execution === null || execution.pnl === null ? '' : <Profit value={execution.pnl} />),
        },
        { title: 'Transaction', isMinor: true, cell: (order) => <OrderTransaction order={order} /> },
      ]}
    />
  )
}

/** The transaction that ended the order, else the one that placed it. */
function OrderTransaction({ order: { placed, ended } }: { readonly order: Order }) {
  const hash = (ended ?? placed)?.txHash
  return hash === undefined || hash === null ? <>{UNKNOWN}</> : <ExplorerLink page='tx' id={hash} />
}

function stateOf({ status, ended }: Order): string {
  return status === 'cancelled' && ended !== null ? `cancelled: ${END_REASONS[ended.reason] ?? ended.reason}` : status
}

/** Purposes of movements of cash. */
export const CASH_KINDS: Readonly<Record<string, string>> = {
  open: 'Position opened', close: 'Position closed', liquidation: 'Liquidation', order_escrow: 'Order placed', order_refund: 'Order refunded',
  keeper_reward: 'Keeper reward', cross_deposit: 'Cross deposit', cross_withdraw: 'Cross withdrawal', lp_deposit: 'Pool deposit',
  lp_withdraw: 'Pool withdrawal',
  vault_deposit: 'Vault deposit', vault_withdraw: 'Vault withdrawal', fees_claimed: 'Fees claimed', referral_claim: 'Referral claim', other: 'Other',
}

export function Cash({ movements }: { readonly movements: AccountLists['cash'] }) {
  return (
    <PastRows<CashMovement>
      pages={movements} name='movements' caption='Movements of your USDC, newest first' empty='No movements yet.' idOf={idOfMovement}
      columns={[
        { title: 'Time', cell: ({ ts }) => dateTime(ts) },
        { title: 'Type', cell: ({ kind }) => CASH_KINDS[kind] ?? kind },
        { title: 'Amount', isNumeric: true, cell: (movement) => <Profit value={movement.amount} /> },
        { title: 'Of', cell: ({ balanceOf }) => (balanceOf === 'wallet' ? 'Wallet' : 'Cross margin') },
        { title: 'Position', isNumeric: true, isMinor: true, cell: ({ positionId }) => positionId ?? '' },
        { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
      ]}
    >
      <p class='note'>The <a href='#/portfolio'>portfolio</a> exports the whole cash ledger.</p>
    </PastRows>
  )
}

function PastRows<Row>({ pages, name, caption, empty, idOf, columns, children }: {
  readonly pages: Pages<Row>
  /** Name of the rows, in the plural. */
  readonly name: string
  readonly caption: string
  readonly empty: string
  readonly idOf: (row: Row) => number | string
  readonly columns: readonly Column<Row>[]
  readonly children?: ComponentChildren
}) {
  return (
    <>
      <Fresh resource={pages.newest}>
        <Table caption={caption} empty={empty} isLoading={pages.newest.answer.value === null} rows={pages.rows.value} keyOf={idOf} columns={columns} />
      </Fresh>
      <Older pages={pages} name={name} />
      {children}
      <ReadNote resource={pages.newest} />
    </>
  )
}
