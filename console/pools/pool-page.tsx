// The liquidity pool, the counterparty of every trade: its state, own LP tokens, deposit and withdrawal, curves and history.

import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { AccountHoldings, AccountState, PoolSample, PoolState } from '../../client/src/index.ts'
import { nowMs } from '../clock.ts'
import { amount, dateTime, percent, timeOfDay, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { useAccountList } from '../state/use-account-list.ts'
import { usePages } from '../state/use-pages.ts'
import { useResource } from '../state/use-resource.ts'
import type { TicketStep } from '../trade/ticket.ts'
import { useSender } from '../trade/use-sender.ts'
import { Card, Choice, Facts, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { LineChart } from '../ui/line-chart.tsx'
import { AccountPrompt } from '../wallet/wallet-section.tsx'
import { PagedTable } from './activity-list.tsx'
import { countdown, drawdowns, isSecondGeneration, pointsOf, sharesFor, usdcFor, withoutFee } from './figures.ts'
import type { ShareBasis } from './figures.ts'
import { FlowForm } from './flow-form.tsx'
import type { Flow } from './flow-form.tsx'

/** An approval is valid for about an hour of ledgers. */
const APPROVAL_LEDGERS = 720
const SAMPLES_PER_PAGE = 288

export function PoolPage() {
  const { account, feed } = useParts()
  const sender = useSender()
  const read = useResource('Pool', (client) => client.getPool())
  const holdings = useAccountList('Your deposits', (client) => client.getAccountHoldings({})).answer.value?.body ?? null
  const samples = usePages<PoolSample, { readonly samples: readonly PoolSample[]; readonly hasMore: boolean; readonly nextCursor: string | null }>({
    title: 'Pool history', read: (client, cursor) => client.listPoolHistory({ limit: SAMPLES_PER_PAGE, ...cursor }), rowsOf: (body) => body.samples,
    idOf: ({ time }) => time, dependencies: [],
  })
  const pool = read.answer.value?.body ?? null
  const state = account.state.answer.value?.body ?? null
  const version = account.version.value
  useEffect(() => {
    if (read.answer.peek() !== null) void read.read()
  }, [version])
  return (
    <div class='stack'>
      <PageHeading>Liquidity pool</PageHeading>
      <p class='note'>The pool is the counterparty of every trade: it earns what traders lose and the fees, and pays what traders win.</p>
      <div class='halves'>
        <div class='stack'>
          <Card title='Figures'>
            <Fresh resource={read}>{pool !== null && <Figures pool={pool} holdings={holdings} lp={state?.balances.lp ?? null} />}</Fresh>
            <AccountPrompt what='your LP tokens and their value' />
            <ReadNote resource={read} />
          </Card>
          <Card title='Deposit and withdraw'>
            {pool === null ? <p class='note'>The pool is loading…</p> : (
              <FlowForm purpose='Depositing' {...flowsOf({ pool, holdings, state }, feed.now.value)} hasBound={isSecondGeneration(pool)} sender={sender} />
            )}
          </Card>
        </div>
        <div class='stack'>
          <Card title='Performance'><Curves samples={samples.rows.value} isLoading={samples.newest.answer.value === null} /></Card>
          <Card title='History'>
            <PagedTable<PoolSample>
              caption='The pool every five minutes, newest first, in USDC' empty='No samples yet. The first is taken within five minutes.' pages={samples}
              idOf={({ time }) => time}
              columns={[
                { title: 'Time', cell: ({ time }) => dateTime(time) },
                { title: 'LP token price', isNumeric: true, cell: ({ lpPrice }) => amount(lpPrice, 6) },
                { title: 'Assets under management', isNumeric: true, cell: ({ aum }) => amount(aum, 0) },
                { title: 'Deposits', isNumeric: true, cell: ({ deposits }) => amount(deposits) },
                { title: 'Withdrawals', isNumeric: true, cell: ({ withdrawals }) => amount(withdrawals) },
              ]}
            />
          </Card>
        </div>
      </div>
    </div>
  )
}

function feesOf({ depositFeeBps, withdrawFeeBps }: PoolState): string {
  return depositFeeBps === null || withdrawFeeBps === null ? UNKNOWN : `${percent(depositFeeBps)} deposit, ${percent(withdrawFeeBps)} withdrawal`
}

function Figures({ pool, holdings, lp }: { readonly pool: PoolState; readonly holdings: AccountHoldings | null; readonly lp: string | null }) {
  const basis = basisOf(pool)
  const cap = holdings?.pool.depositCap ?? null
  const cooldown = holdings?.pool.withdrawCooldownSec ?? null
  return (
    <>
      <Facts
        inline rows={[
          ['Assets under management, USDC', amount(pool.aum)], ['LP token price, USDC', amount(pool.lpPrice, 6)], ['LP tokens', amount(pool.lpSupply)],
          ['Reserved for traders, USDC', amount(pool.reservedPayout)],
          ['Highest reserved part', pool.caps.reservedBps === null ? UNKNOWN : percent(pool.caps.reservedBps)],
          ['Available for new positions, USDC', amount(pool.headroom.total, 0)], ['Fees', feesOf(pool)],
          ...(pool.bufferBalance === null ? [] : [['Insurance buffer, USDC', amount(pool.bufferBalance)] as const]),
          ...(cap === null ? [] : [['Cap of your deposits, USDC', amount(cap)] as const]),
          ...(cooldown === null || cooldown === 0 ? [] : [['Wait after a deposit', `${Math.round(cooldown / SEC_PER_MIN)} min`] as const]),
          ['State', pool.paused === null ? UNKNOWN : pool.paused ? 'Paused' : 'Active'],
        ]}
      />
      {lp !== null && (
        <Facts
          inline rows={[
            ['Your LP tokens', amount(lp)], ['Their value, USDC', basis === null ? UNKNOWN : amount(usdcFor(BigInt(lp), basis).toString())],
          ]}
        />
      )}
    </>
  )
}

const SEC_PER_MIN = 60

function basisOf({ aum, lpSupply }: PoolState): ShareBasis | null {
  return aum === null || lpSupply === null ? null : { value: BigInt(aum), shares: BigInt(lpSupply) }
}

interface Known {
  readonly pool: PoolState
  readonly holdings: AccountHoldings | null
  readonly state: AccountState | null
}

function flowsOf(known: Known, now: number): { readonly deposit: Flow; readonly withdrawal: Flow } {
  return { deposit: depositOf(known), withdrawal: withdrawalOf(known, Math.max(now, nowMs()) / 1000) }
}

function depositOf({ pool, holdings, state }: Known): Flow {
  const basis = basisOf(pool)
  const usdc = state?.balances.usdc ?? null
  const cap = holdings?.pool.depositCap ?? null
  const room = cap === null ? null : BigInt(cap) - BigInt(holdings?.pool.deposited ?? 0)
  const hasNoTrustline = state?.unknown.some(({ part, reason }) => part === '/balances/lp' && reason === 'no_trustline') === true
  return {
    label: 'Amount', unit: 'USDC', available: usdc === null ? null : BigInt(usdc), expectedUnit: 'LP tokens',
    expected: (sum) => (basis === null || pool.depositFeeBps === null ? null : sharesFor(withoutFee(sum, pool.depositFeeBps), basis)),
    limit: room === null ? null : { most: room, reason: `Your deposits are capped: ${amount(room.toString())} USDC are left.` },
    blocked: pool.paused === true ? 'The pool is paused: it takes no deposits.'
      : hasNoTrustline ? 'Your account has no trustline to the LP token. Add it in your wallet, then reload this page.' : null,
    steps: (sum, minOut) => [{ title: 'Deposit', request: () => ({ op: 'deposit_liquidity', amount: sum, ...bound(minOut) }) }],
  }
}

const bound = (minOut: string | undefined): { readonly minOut?: string } => (minOut === undefined ? {} : { minOut })

function withdrawalOf({ pool, holdings, state }: Known, nowSec: number): Flow {
  const basis = basisOf(pool)
  const lp = state?.balances.lp ?? null
  const fee = pool.withdrawFeeBps
  return {
    label: 'LP tokens', unit: 'LP tokens', available: lp === null ? null : BigInt(lp), expectedUnit: 'USDC',
    expected: (count) => (basis === null || fee === null ? null : withoutFee(usdcFor(count, basis), fee)),
    limit: basis === null ? null : freeLimit(pool, basis),
    blocked: blockedUntil(pool, holdings, nowSec),
    steps: (lpAmount, minOut): readonly TicketStep[] => {
      const expirationLedger = pool.ledger + APPROVAL_LEDGERS
      return [
        {
          title: 'Approve the LP tokens', note: 'The pool may then take these LP tokens, which the withdrawal does.',
          request: () => ({ op: 'approve_liquidity_withdrawal', lpAmount, expirationLedger }),
        },
        {
          title: 'Withdraw', ifNotSent: () => `Nothing was withdrawn. The approval ends at ledger ${expirationLedger}.`,
          request: () => ({ op: 'withdraw_liquidity', lpAmount, ...bound(minOut) }),
        },
      ]
    },
  }
}

/** The pool keeps what it reserves for open positions. */
function freeLimit({ usdcBalance, reservedPayout, shortfallReserve }: PoolState, basis: ShareBasis): Flow['limit'] {
  if (usdcBalance === null || reservedPayout === null) return null
  const left = BigInt(usdcBalance) - BigInt(reservedPayout) - BigInt(shortfallReserve ?? 0)
  const free = left < 0n ? 0n : left
  return { most: sharesFor(free, basis), reason: `The pool reserves USDC for open positions. ${amount(free.toString())} USDC can be withdrawn now.` }
}

function blockedUntil(pool: PoolState, holdings: AccountHoldings | null, nowSec: number): string | null {
  // From the second generation on, a pause does not stop withdrawals.
  if (pool.paused === true && !isSecondGeneration(pool)) return 'The pool is paused: it pays nothing out.'
  const at = holdings?.pool.withdrawableAt ?? null
  const left = at === null ? '' : countdown(at - nowSec)
  return at === null || left === '' ? null : `You can withdraw in ${left}, at ${timeOfDay(at)}: the pool waits after each deposit.`
}

const CURVES = [['price', 'LP token price'], ['drawdown', 'Drawdown'], ['aum', 'Assets under management']] as const
type CurveName = typeof CURVES[number][0]

function Curves({ samples, isLoading }: { readonly samples: readonly PoolSample[]; readonly isLoading: boolean }) {
  const curve = useSignal<CurveName>('price')
  const points = useMemo(() => ({
    price: pointsOf(samples, ({ lpPrice }) => lpPrice),
    drawdown: drawdowns(pointsOf(samples, ({ lpPrice }) => lpPrice)),
    aum: pointsOf(samples, ({ aum }) => aum),
  }), [samples])
  const isPercent = useComputed(() => curve.value === 'drawdown')
  const decimals = { price: 6, drawdown: 2, aum: 0 }[curve.value]
  return (
    <>
      <Choice
        label='Curve' options={CURVES} value={curve.value} onChoose={(name) => {
          curve.value = name
        }}
      />
      <LineChart
        key={curve.value} title={CURVES.find(([name]) => name === curve.value)?.[1] ?? ''} unit={isPercent.value ? '%' : 'USDC'}
        decimals={decimals} points={points[curve.value]} isLoading={isLoading}
        empty='No values yet. The first is stored within five minutes.'
      />
      <p class='note'>The price counts the unrealised profit of all traders. One value per five minutes, as far as the history below is loaded.</p>
    </>
  )
}
