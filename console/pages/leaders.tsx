// The leaderboard: the best traders of a period or of all time, and the user's own place.

import { useState } from 'preact/hooks'
import type { LeaderboardEntry } from '../../client/src/index.ts'
import { useParts } from '../parts.ts'
import { useResource } from '../state/use-resource.ts'
import { amount } from '../format.ts'
import { Card, Choice, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { Table } from '../ui/table.tsx'
import { TraderLink } from '../ui/links.tsx'
import { Change, Profit } from '../ui/text.tsx'

type Sort = 'pnl' | 'volume'
type Period = 'day' | 'week' | 'month' | 'all'
const SORTS = [['pnl', 'PnL'], ['volume', 'Volume']] as const
const PERIODS: readonly (readonly [Period, string])[] = [['day', '24 h'], ['week', '7 days'], ['month', '30 days'], ['all', 'All time']]
const OF_ALL_TIME = 'The return is PnL by traded volume.'
const OF_PERIOD = 'The return is PnL by the margin of the positions that were opened in the period, and n/a if none was.'
const ROWS = 100
/** A quotient of integers keeps this many decimals of a percentage. */
const PERCENT_E4 = 1_000_000n
const E4 = 10_000

export function LeadersPage() {
  const { session } = useParts()
  const [sort, setSort] = useState<Sort>('pnl')
  const [period, setPeriod] = useState<Period>('all')
  const leaders = useResource('Leaderboard', (client) =>
    client.listLeaders({ sort, limit: ROWS, ...(period === 'all' ? {} : { period }) }), [sort, period])
  const owner = session.owner()
  const body = leaders.answer.value?.body ?? null
  const rows = body?.leaders ?? []
  return (
    <div class='stack'>
      <PageHeading>Leaderboard</PageHeading>
      <Card title='Traders'>
        <div class='row'>
          <Choice label='Period' options={PERIODS} value={period} onChoose={setPeriod} />
          <Choice label='Sort by' options={SORTS} value={sort} onChoose={setSort} />
        </div>
        {owner !== null && body !== null && <OwnPlace owner={owner} rows={rows} sort={sort} period={period} />}
        <Fresh resource={leaders}>
          <Table
            isNarrow caption='Traders by realised PnL or volume, in USDC' rows={rows} keyOf={({ trader }) => trader} isLoading={body === null}
            empty={period === 'all' ? 'No trades yet.' : 'Nobody has traded in this period.'}
            columns={[
              { title: 'Rank', cell: ({ rank }) => rank },
              { title: 'Trader', cell: ({ trader }) => <><TraderLink address={trader} length={8} />{trader === owner && <> <b class='count'>you</b></>}</> },
              { title: 'Realised PnL', isNumeric: true, cell: ({ pnl }) => <Profit value={pnl} /> },
              {
                title: period === 'all' ? 'Return on volume' : 'Return', isNumeric: true, isMinor: period === 'all',
                cell: (entry) => <Return entry={entry} />,
              },
              { title: 'Volume', isNumeric: true, cell: ({ volume }) => amount(volume, 0) },
              { title: 'Trades', isNumeric: true, isMinor: true, cell: ({ trades }) => trades },
            ]}
          />
        </Fresh>
        <p class='note'>{`PnL by price, without fees, funding and liquidations. ${period === 'all' ? OF_ALL_TIME : OF_PERIOD}`}</p>
        <ReadNote resource={leaders} />
      </Card>
    </div>
  )
}

/** PnL in percent of the margin, or of the volume of all time. */
function Return({ entry: { pnl, volume, margin } }: { readonly entry: LeaderboardEntry }) {
  const capital = margin === undefined ? volume : margin
  if (capital === '0') return <>n/a</>
  return <Change percent={capital === null ? null : Number(BigInt(pnl) * PERCENT_E4 / BigInt(capital)) / E4} />
}

/** The user's place, which may be beyond the rows. */
function OwnPlace({ owner, rows, sort, period }: {
  readonly owner: string
  readonly rows: readonly LeaderboardEntry[]
  readonly sort: Sort
  readonly period: Period
}) {
  const listed = rows.find(({ trader }) => trader === owner)
  const isBeyond = period === 'all' && listed === undefined
  const place = useResource('Your rank', (client) => client.getLeaderRank({ trader: owner, sort }), [owner, sort], { isEnabled: isBeyond })
  const isFull = rows.length === ROWS
  if (listed !== undefined) return <p>{`You: rank ${listed.rank}.`}</p>
  if (period !== 'all') return <p>{isFull ? `You are not among the best ${ROWS} of this period.` : 'You have not traded in this period.'}</p>
  const found = place.answer.value?.body
  if (found === undefined) return <ReadNote resource={place} />
  if (found.entry === null) return <p>You are not ranked, because you have not traded.</p>
  return <p>{found.rank === null ? 'You are behind the places that are counted.' : `You: rank ${found.rank} of ${found.total}.`}</p>
}
