// The PnL of an account over a range: the curve, the sums, and the same values as a table.

import { useEffect, useState } from 'preact/hooks'
import type { PnlPoint, TraderProfile } from '../../client/src/index.ts'
import { after } from '../clock.ts'
import { amount, dateTime, signed, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { useResource } from '../state/use-resource.ts'
import { Card, Choice, Facts, Fresh, ReadNote } from '../ui/layout.tsx'
import { LineChart } from '../ui/line-chart.tsx'
import { Table } from '../ui/table.tsx'
import { Profit } from '../ui/text.tsx'
import { curveOf, requestOf, sumOf } from './curve.ts'
import type { CurveRange, CurveRequest } from './curve.ts'

const RANGES: readonly (readonly [CurveRange, string])[] = [['day', 'Day'], ['week', 'Week'], ['month', 'Month'], ['all', 'All']]
/** The gateway learns fees and funding a few seconds after a trade. */
const REREAD_MS = 3_000
/** Those that it did not learn by then are of transactions that the nodes no longer had. */
const LEARNED_WITHIN_SEC = 300

/** `profile` is null while it is not known. */
export function PnlSection({ address, profile }: { readonly address: string; readonly profile: TraderProfile | null }) {
  const { feed } = useParts()
  const [range, setRange] = useState<CurveRange>('all')
  const firstSec = profile?.firstTradeAt ?? null
  const hasTraded = profile !== null && firstSec !== null
  const pnl = useResource('PnL', async (client) => {
    const request = requestOf(range, { nowSec: feed.serverTimeSec(), firstSec: firstSec ?? 0 })
    const { interval, from, to } = request
    const answer = await client.getTraderPnl({ address, interval, from, to })
    return { ...answer, body: { ...answer.body, request } }
  }, [address, range, firstSec], { isEnabled: hasTraded })
  const body = pnl.answer.value?.body ?? null
  useEffect(() => (body !== null && isWaiting(body.points, body.request) ? after(REREAD_MS, () => void pnl.read()) : undefined), [body])
  if (profile !== null && !hasTraded) return <Card title='PnL'><p class='empty'>No trades yet. The curve begins with the first trade.</p></Card>
  return (
    <Card title='PnL'>
      <Choice label='Range of the PnL' options={RANGES} value={range} onChoose={setRange} />
      {body !== null && (
        <Fresh resource={pnl}>
          <Sums points={body.points} />
          <PnlCurve points={body.points} request={body.request} />
          {body.gaps.length > 0 && <p class='note warn'>{`The history lacks ${body.gaps.length} ranges of ledgers, so the values may be incomplete.`}</p>}
          <PointTable points={body.points} />
        </Fresh>
      )}
      <ReadNote resource={pnl} />
    </Card>
  )
}

/** True if a value that is not known yet is recent enough to become known. */
function isWaiting(points: readonly PnlPoint[], { to, intervalSec }: CurveRequest): boolean {
  return points.some(({ ts, fees, funding }) => (fees === null || funding === null) && ts + intervalSec > to - LEARNED_WITHIN_SEC)
}

function Sums({ points }: { readonly points: readonly PnlPoint[] }) {
  const sum = (name: 'realizedPnl' | 'fees' | 'funding'): string | null => sumOf(points.map((point) => point[name]))
  const [realized, fees, funding] = [sum('realizedPnl'), sum('fees'), sum('funding')]
  const net = realized === null || fees === null || funding === null ? null : String(BigInt(realized) - BigInt(fees) - BigInt(funding))
  return (
    <Facts
      inline
      rows={[
        ['Realised PnL by price', <Profit value={realized} />], ['Fees paid', amount(fees)], ['Funding paid', amount(funding)],
        ['PnL after fees and funding', <Profit value={net} />],
      ]}
    />
  )
}

function PnlCurve({ points, request }: { readonly points: readonly PnlPoint[]; readonly request: CurveRequest }) {
  const curve = curveOf(points, { intervalSec: request.intervalSec, toSec: request.to })
  if (curve === null) return <p class='note'>The PnL of this range is not known yet.</p>
  const { unknownFromSec } = curve
  return (
    <>
      <LineChart
        title='PnL after fees and funding' unit='USDC' decimals={2} points={curve.points} textOf={({ exact }) => signed(exact)} range={curve} hasZero
        empty='No values yet.'
      />
      {unknownFromSec !== null && <p class='note'>{`Fees or funding after ${dateTime(unknownFromSec)} are not known yet, so the curve ends there.`}</p>}
    </>
  )
}

/** Intervals without a trade are left out. */
function PointTable({ points }: { readonly points: readonly PnlPoint[] }) {
  const [isOpen, setIsOpen] = useState(false)
  const rows = points.filter(({ realizedPnl, fees, funding }) => [realizedPnl, fees, funding].some((value) => value !== '0')).toReversed()
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>PnL as a table</summary>
      {isOpen && (
        <Table
          caption='PnL by interval, newest first, in USDC; intervals without a change are left out' empty='No change in this range.'
          rows={rows} keyOf={({ ts }) => ts}
          columns={[
            { title: 'Start', cell: ({ ts }) => dateTime(ts) },
            { title: 'Realised PnL', isNumeric: true, cell: ({ realizedPnl }) => <Profit value={realizedPnl} /> },
            { title: 'Fees', isNumeric: true, cell: ({ fees }) => amount(fees) },
            { title: 'Funding', isNumeric: true, cell: ({ funding }) => amount(funding) },
            { title: 'Running total', isNumeric: true, cell: ({ cumulative }) => (cumulative === null ? UNKNOWN : <Profit value={cumulative} />) },
          ]}
        />
      )}
    </details>
  )
}
