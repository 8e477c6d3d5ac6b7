// The leaderboard.

import { useState } from 'preact/hooks'
import { useResource } from '../state/use-resource.ts'
import { amount } from '../format.ts'
import { Card, Choice, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { Table } from '../ui/table.tsx'
import { TraderLink } from '../ui/links.tsx'
import { Profit } from '../ui/text.tsx'

type Sort = 'pnl' | 'volume'
const SORTS = [['pnl', 'PnL'], ['volume', 'Volume']] as const
const ROWS = 100

export function LeadersPage() {
  const [sort, setSort] = useState<Sort>('pnl')
  const leaders = useResource('Leaderboard', (client) => client.listLeaders({ sort, limit: ROWS }), [sort])
  const rows = (leaders.answer.value?.body.leaders ?? []).map((entry, index) => ({ ...entry, rank: index + 1 }))
  return (
    <div class='stack'>
      <PageHeading>Leaderboard</PageHeading>
      <Card title='Traders'>
        <Choice label='Sort by' options={SORTS} value={sort} onChoose={setSort} />
        <Fresh resource={leaders}>
          <Table
            isNarrow caption='Traders by lifetime PnL or volume, in USDC' empty='No trades yet.' rows={rows} keyOf={({ trader }) => trader}
            isLoading={leaders.answer.value === null}
            columns={[
              { title: 'Rank', cell: ({ rank }) => rank },
              { title: 'Trader', cell: ({ trader }) => <TraderLink address={trader} length={8} /> },
              { title: 'Realised PnL', isNumeric: true, cell: ({ pnl }) => <Profit value={pnl} /> },
              { title: 'Volume', isNumeric: true, cell: ({ volume }) => amount(volume, 0) },
            ]}
          />
        </Fresh>
        <ReadNote resource={leaders} />
      </Card>
    </div>
  )
}
