// The complete lists of a trader vault: trades, deposits, withdrawals and the leader's profit shares.

import { useSignal } from '@preact/signals'
import type { Answer, Client, VaultFlow, VaultTrade } from '../../client/src/index.ts'
import { amount, dateTime, price } from '../format.ts'
import { usePages } from '../state/use-pages.ts'
import type { Pages } from '../state/use-pages.ts'
import { Choice } from '../ui/layout.tsx'
import { ExplorerLink, MarketLink, TraderLink } from '../ui/links.tsx'
import { Profit, Side } from '../ui/text.tsx'
import { PagedTable } from './activity-list.tsx'

const LISTS = [['trades', 'Trades'], ['deposits', 'Deposits'], ['withdrawals', 'Withdrawals'], ['claims', 'Profit shares']] as const
type ListName = typeof LISTS[number][0]
const FLOW_ROWS = 50

export function VaultActivity({ id, trades }: { readonly id: number; readonly trades: Pages<VaultTrade> }) {
  const list = useSignal<ListName>('trades')
  return (
    <>
      <Choice
        label='List' options={LISTS} value={list.value} onChoose={(name) => {
          list.value = name
        }}
      />
      {list.value === 'trades' && <TradeTable trades={trades} />}
      {list.value === 'deposits' && <FlowTable key='deposits' id={id} title='Deposits' read={readDeposits} />}
      {list.value === 'withdrawals' && <FlowTable key='withdrawals' id={id} title='Withdrawals' read={readWithdrawals} />}
      {list.value === 'claims' && <FlowTable key='claims' id={id} title='Profit shares paid to the leader' read={readClaims} />}
    </>
  )
}

function TradeTable({ trades }: { readonly trades: Pages<VaultTrade> }) {
  return (
    <PagedTable<VaultTrade>
      caption='Trades of the vault, newest first, in USDC' empty='No trades yet.' pages={trades} idOf={({ id }) => id}
      columns={[
        { title: 'Time', cell: ({ ts }) => dateTime(ts) },
        { title: 'Type', cell: ({ action }) => (action === 'open' ? 'Open' : 'Close') },
        { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
        { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
        { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
        { title: 'Price', isNumeric: true, cell: (trade) => price(trade.price) },
        { title: 'Position', isNumeric: true, isMinor: true, cell: ({ positionId }) => positionId },
        { title: 'Collateral', isNumeric: true, cell: ({ action, collateral }) => (action === 'open' ? amount(collateral) : '') },
        { title: 'PnL', isNumeric: true, cell: ({ action, pnl }) => (action === 'open' ? '' : <Profit value={pnl} />) },
        { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
      ]}
    />
  )
}

type FlowReader = (client: Client, input: { readonly id: number; readonly limit: number; readonly cursor?: string }) => Promise<Answer<FlowBody>>

interface FlowBody {
  readonly rows: readonly VaultFlow[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

const readDeposits: FlowReader = async (client, input) => {
  const answer = await client.listVaultDeposits(input)
  return { ...answer, body: { ...answer.body, rows: answer.body.deposits } }
}
const readWithdrawals: FlowReader = async (client, input) => {
  const answer = await client.listVaultWithdraws(input)
  return { ...answer, body: { ...answer.body, rows: answer.body.withdraws } }
}
const readClaims: FlowReader = async (client, input) => {
  const answer = await client.listVaultFeeClaims(input)
  return { ...answer, body: { ...answer.body, rows: answer.body.feeClaims } }
}

function FlowTable({ id, title, read }: { readonly id: number; readonly title: string; readonly read: FlowReader }) {
  const flows = usePages<VaultFlow, FlowBody>({
    title, read: (client, cursor) => read(client, { id, limit: FLOW_ROWS, ...cursor }), rowsOf: ({ rows }) => rows, idOf: (row) => row.id, dependencies: [id],
  })
  return (
    <PagedTable<VaultFlow>
      caption={`${title}, newest first`} empty='Nothing yet.' pages={flows} idOf={(row) => row.id}
      columns={[
        { title: 'Time', cell: ({ ts }) => dateTime(ts) },
        { title: 'Account', cell: ({ principal }) => <TraderLink address={principal} /> },
        { title: 'USDC', isNumeric: true, cell: (row) => amount(row.amount) },
        { title: 'Shares', isNumeric: true, cell: ({ shares }) => (shares === undefined ? '' : amount(shares)) },
        { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
      ]}
    />
  )
}
