// Funding that the account paid and received: what its positions owe now, and what was settled, position by position.

import { useComputed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AccountState, Fill } from '../../client/src/index.ts'
import { FILL_KINDS } from '../activity-text.ts'
import { amount, dateTime } from '../format.ts'
import { PagedTable } from '../pools/activity-list.tsx'
import { useParts } from '../parts.ts'
import { usePages } from '../state/use-pages.ts'
import { idOfFill } from '../trade/use-account-lists.ts'
import { Card, Facts } from '../ui/layout.tsx'
import { ExplorerLink, MarketLink } from '../ui/links.tsx'
import { Profit, Side } from '../ui/text.tsx'
import { sumOf } from './curve.ts'

const ROWS = 200

export function FundingSection({ state }: { readonly state: AccountState | null }) {
  const { account } = useParts()
  const owner = account.owner.value
  const version = account.version.value
  const fills = usePages({
    title: 'Funding', read: (client, cursor) => client.listAccountFills({ limit: ROWS, ...cursor }), rowsOf: (body) => body.fills, idOf: idOfFill,
    dependencies: [owner], isEnabled: owner !== null,
  })
  useEffect(() => {
    if (fills.newest.answer.peek() !== null) void fills.newest.read()
  }, [version])
  const settled = useComputed(() => fills.rows.value.filter(({ kind, funding }) => kind !== 'open' && funding !== '0'))
  const accrued = state?.positions?.map(({ accruedFunding }) => accruedFunding) ?? null
  return (
    <Card title='Funding'>
      <Facts
        inline rows={[
          ['Not settled yet, open positions', <Profit value={accrued === null ? null : received(sumOf(accrued))} />],
          ['Settled, rows below', <Profit value={received(sumOf(settled.value.map(({ funding }) => funding)))} />],
        ]}
      />
      <PagedTable<Fill>
        caption='Settled funding, newest first, in USDC: received with a plus, paid with a minus' pages={{ ...fills, rows: settled }} idOf={idOfFill}
        empty='No funding was settled in the fills that are loaded. A position settles its funding when it is closed, or a part of it.'
        columns={[
          { title: 'Time', cell: ({ ts }) => dateTime(ts) },
          { title: 'Market', cell: ({ asset }) => <MarketLink asset={asset} /> },
          { title: 'Side', cell: ({ direction }) => <Side direction={direction} /> },
          { title: 'Settled by', cell: ({ kind }) => FILL_KINDS[kind] ?? kind },
          { title: 'Size', isNumeric: true, cell: ({ size }) => amount(size) },
          { title: 'Funding', isNumeric: true, cell: ({ funding }) => <Profit value={received(funding)} decimals={4} /> },
          { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
        ]}
      />
    </Card>
  )
}

/** The API counts what is paid as positive. */
function received(funding: string | null): string | null {
  return funding === null ? null : String(-BigInt(funding))
}
