// The page of one trader vault: value, own shares, deposit and withdrawal, curves, and its complete history.

import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { AccountHoldings, PoolState, TraderVault, VaultSample, VaultTrade } from '../../client/src/index.ts'
import { amount, dateTime, percent, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { useAccountList } from '../state/use-account-list.ts'
import { useFreshPrice } from '../state/use-price.ts'
import { useMinLedger } from '../state/use-min-ledger.ts'
import { usePages } from '../state/use-pages.ts'
import { useResource } from '../state/use-resource.ts'
import type { Sender } from '../trade/send.ts'
import { useSender } from '../trade/use-sender.ts'
import { Card, Choice, Facts, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { LineChart } from '../ui/line-chart.tsx'
import { TraderLink } from '../ui/links.tsx'
import { Name, Profit } from '../ui/text.tsx'
import { AccountPrompt } from '../wallet/wallet-section.tsx'
import { drawdownBps, drawdowns, isSecondGeneration, pointsOf, realisedCurve, roomForOthers, sharePrice, sharesFor, usdcFor } from './figures.ts'
import type { ShareBasis } from './figures.ts'
import { FlowForm } from './flow-form.tsx'
import type { Flow } from './flow-form.tsx'
import { LeaderSection } from './leader-section.tsx'
import { equityOf, samplesAtCost } from './vault-equity.ts'
import type { VaultEquity } from './vault-equity.ts'
import { VaultActivity } from './vault-activity.tsx'

const TRADES_PER_PAGE = 100
/** All of it, in basis points. */
const PERCENT_BPS = 10_000n
const SAMPLES = 1_000

export function VaultView({ id }: { readonly id: number }) {
  const { account } = useParts()
  const [sender, leaderSender] = [useSender(), useSender()]
  const minLedger = useMinLedger([sender, leaderSender], () => {
    void read.read()
    void trades.newest.read()
  })
  const read = useResource('Vault', (client) => client.getVault({ id }, minLedger()))
  const pool = useResource('Pool', (client) => client.getPool()).answer.value?.body ?? null
  const holdings = useAccountList('Your shares', (client) => client.getAccountHoldings({ vaults: String(id) })).answer.value?.body ?? null
  const trades = usePages<VaultTrade, { readonly trades: readonly VaultTrade[]; readonly hasMore: boolean; readonly nextCursor: string | null }>({
    title: 'Trades', read: (client, cursor) => client.listVaultTrades({ id, limit: TRADES_PER_PAGE, ...cursor }, minLedger()), rowsOf: (body) => body.trades,
    idOf: (trade) => trade.id, dependencies: [],
  })
  const vault = read.answer.value?.body ?? null
  const freshPrice = useFreshPrice()
  const equity = vault === null ? null : equityOf({ cash: vault.totalUsdc, expected: vault.openPositions }, trades.rows.value, freshPrice)
  if (vault === null) {
    return (
      <div class='stack'>
        <PageHeading>{`Vault ${id}`}</PageHeading>
        {read.problemCode.value === 'vault_not_found'
          ? <p>{`This exchange has no vault ${id}. Check the link, or choose one of `}<a href='#/vaults'>all vaults</a>.</p>
          : <><ReadNote resource={read} /><p><a href='#/vaults'>All vaults</a></p></>}
      </div>
    )
  }
  return (
    <div class='stack'>
      <PageHeading><Name text={vault.name} /></PageHeading>
      <p class='note'><a href='#/vaults'>All vaults</a></p>
      <div class='halves'>
        <div class='stack'>
          <Card title='Figures'>
            <Fresh resource={read}><Figures vault={vault} holdings={holdings} equity={equity} /></Fresh>
            <AccountPrompt what='your shares and their value' />
            <ReadNote resource={read} />
          </Card>
          <Card title='Deposit and withdraw'>
            <VaultFlows vault={vault} holdings={holdings} pool={pool} equity={equity} sender={sender} />
          </Card>
          {account.owner.value === vault.leader && (
            <LeaderSection vault={vault} trades={trades.rows.value} isSecond={pool !== null && isSecondGeneration(pool)} sender={leaderSender} />
          )}
        </div>
        <div class='stack'>
          <Card title='Performance'><Curves vault={vault} trades={trades.rows.value} hasOlder={trades.hasMore.value} /></Card>
          <Card title='History'><VaultActivity id={id} trades={trades} /></Card>
        </div>
      </div>
    </div>
  )
}

/** Returns the basis of exchanging shares. Null while it is unknown. */
function basisOf(vault: TraderVault, holdings: AccountHoldings | null, isSecond: boolean): ShareBasis | null {
  const shares = BigInt(vault.circulatingShares)
  const full = holdings?.vaults[0]?.fullValue ?? null
  if (full !== null) return { value: BigInt(full), shares }
  return isSecond ? null : { value: BigInt(vault.totalUsdc), shares }
}

interface FiguresOptions {
  readonly vault: TraderVault
  readonly holdings: AccountHoldings | null
  /** Estimated from the trades; null while unknown. */
  readonly equity: VaultEquity | null
}

/** The contracts' own value where they have one, else the estimate. */
function valueOf({ vault, holdings, equity }: FiguresOptions): { readonly value: bigint | null; readonly isEstimate: boolean } {
  const full = holdings?.vaults[0]?.fullValue ?? null
  if (full !== null) return { value: BigInt(full), isEstimate: false }
  return { value: equity?.value ?? null, isEstimate: vault.openPositions > 0 }
}

function Figures(options: FiguresOptions) {
  const { vault, holdings } = options
  const { value, isEstimate } = valueOf(options)
  const shares = BigInt(vault.circulatingShares)
  const basis: ShareBasis | null = value === null ? null : { value, shares }
  const about = isEstimate ? ' (estimate)' : ''
  const own = holdings?.vaults[0]?.shares ?? null
  return (
    <>
      <Facts
        inline rows={[
          [`Equity, USDC${about}`, amount(value === null ? null : value.toString())],
          ['Cash outside of positions, USDC', amount(vault.totalUsdc)],
          [`Value per share, USDC${about}`, amount(basis === null ? null : sharePrice(basis).toString(), 4)],
          [`Drawdown${about}`, basis === null ? UNKNOWN : percent(drawdownBps(sharePrice(basis), BigInt(vault.hwmNav)))],
          ['Closed PnL, USDC', <Profit value={vault.closedTradePnl} />],
          [vault.apyKind === 'inception' ? 'Return since the start' : 'APY', percent(vault.apyBps)],
          ['Open positions', vault.openPositions], ['Trades', vault.tradeCount], ['Depositors', vault.depositorCount],
          ['Leader\'s profit share', percent(vault.profitShareBps)], ['Paid to the leader, USDC', amount(vault.realizedPnl)],
          ['High-water mark per share, USDC', amount(vault.hwmNav, 4)],
          ['Deposit and withdrawal fees', 'none'],
          ['Leader', <TraderLink address={vault.leader} />], ['Leader\'s shares', amount(vault.leaderShares)],
          ['State', vault.paused ? 'Paused' : 'Active'], ['Created', dateTime(vault.createdAt)],
        ]}
      />
      {isEstimate && (
        <p class='note'>
          Equity is cash, collateral and PnL of open positions at live prices, before funding and fees, without collateral of the leader's resting orders.
        </p>
      )}
      {own !== null && (
        <Facts
          inline rows={[
            ['Your shares', amount(own)],
            [`Value of your shares, USDC${about}`, amount(basis === null ? null : usdcFor(BigInt(own), basis).toString())],
          ]}
        />
      )}
    </>
  )
}

interface VaultFlowsOptions {
  readonly vault: TraderVault
  readonly holdings: AccountHoldings | null
  readonly pool: PoolState | null
  readonly equity: VaultEquity | null
  readonly sender: Sender
}

function VaultFlows({ vault, holdings, pool, equity, sender }: VaultFlowsOptions) {
  const { account } = useParts()
  const isSecond = pool !== null && isSecondGeneration(pool)
  const basis = basisOf(vault, holdings, isSecond)
  const usdc = account.state.answer.value?.body.balances.usdc ?? null
  const own = holdings?.vaults[0]?.shares ?? null
  const isLeader = account.owner.value === vault.leader
  const deposit: Flow = {
    label: 'Amount', unit: 'USDC', available: usdc === null ? null : BigInt(usdc), expectedUnit: 'shares',
    expected: (sum) => (basis === null ? null : sharesFor(sum, basis)),
    terms: (sum) => (basis === null ? null : depositTerms(sum, basis)),
    limit: isLeader || basis === null ? null : leaderLimit(BigInt(vault.leaderShares), basis),
    blocked: vault.paused ? 'The vault is paused: it takes no deposits.' : null,
    steps: (sum, minOut) => [{ title: 'Deposit', request: () => ({ op: 'deposit_vault', vaultId: vault.id, amount: sum, ...bound(minOut) }) }],
  }
  const cash = BigInt(vault.totalUsdc)
  const withdrawal: Flow = {
    label: 'Shares', unit: 'shares', available: own === null ? null : BigInt(own), expectedUnit: 'USDC',
    expected: (count) => (basis === null ? null : usdcFor(count, basis)),
    terms: () => (basis === null ? null : atPrice(basis)),
    limit: basis === null || basis.value <= cash ? null : {
      most: sharesFor(cash, basis), reason: `The vault has ${amount(vault.totalUsdc)} USDC outside of its open positions. Withdraw less, or later.`,
    },
    // From the second generation on, a pause does not stop withdrawals.
    blocked: vault.paused && !isSecond ? 'The vault is paused: it pays nothing out.' : null,
    steps: (shares, minOut) => [{ title: 'Withdraw', request: () => ({ op: 'withdraw_vault', vaultId: vault.id, shares, ...bound(minOut) }) }],
  }
  return (
    <>
      {pool !== null && !isSecond && vault.openPositions > 0 && basis !== null && <p class='note warn'>{cashNote(vault, basis, equity)}</p>}
      <FlowForm purpose='Depositing' deposit={deposit} withdrawal={withdrawal} hasBound={isSecond} sender={sender} />
    </>
  )
}

const atPrice = (basis: ShareBasis): string => `at ${amount(sharePrice(basis).toString(), 4)} USDC per share`

function depositTerms(sum: bigint, basis: ShareBasis): string {
  const shares = sharesFor(sum, basis)
  const partBps = Number(shares * PERCENT_BPS / (basis.shares + shares))
  return `${atPrice(basis)}, ${percent(partBps)} of the vault`
}

/** Says what an exchange of shares leaves out where the contracts count the cash alone. */
function cashNote({ openPositions }: TraderVault, basis: ShareBasis, equity: VaultEquity | null): string {
  const positions = openPositions === 1 ? 'the open position' : `the ${openPositions} open positions`
  const worth = equity === null ? '' : `, though it is worth about ${amount(sharePrice({ ...basis, value: equity.value }).toString(), 4)}`
  return `The contracts count cash alone: a share costs and pays ${amount(sharePrice(basis).toString(), 4)} USDC${worth}. `
    + `A withdrawal now gives up its part of ${positions}.`
}

const bound = (minOut: string | undefined): { readonly minOut?: string } => (minOut === undefined ? {} : { minOut })

function leaderLimit(leaderShares: bigint, basis: ShareBasis): Flow['limit'] {
  const most = roomForOthers(leaderShares, basis)
  return { most, reason: `The leader must keep 5% of the shares, so the vault takes at most ${amount(most.toString())} USDC more from others.` }
}

const CURVES = [['value', 'Value per share'], ['drawdown', 'Drawdown'], ['realised', 'Realised PnL']] as const
type CurveName = typeof CURVES[number][0]
const NO_ROWS: readonly VaultSample[] = []
const NO_SAMPLES = 'No values yet. The first is stored within five minutes.'

function Curves({ vault, trades, hasOlder }: { readonly vault: TraderVault; readonly trades: readonly VaultTrade[]; readonly hasOlder: boolean }) {
  const curve = useSignal<CurveName>('value')
  const history = useResource('History', (client) => client.listVaultHistory({ id: vault.id, limit: SAMPLES }), [vault.id], { isManual: true })
  const samples = history.answer.value?.body.samples ?? NO_ROWS
  const prices = useMemo(() => pointsOf(samplesAtCost(samples, trades, hasOlder), (sample) => sharePrice(sample).toString()), [samples, trades, hasOlder])
  const falls = useMemo(() => drawdowns(prices), [prices])
  const sampled = { empty: NO_SAMPLES, isLoading: history.answer.value === null }
  const realised = useMemo(() => realisedCurve(trades, vault.closedTradePnl), [trades, vault.closedTradePnl])
  return (
    <>
      <Choice
        label='Curve' options={CURVES} value={curve.value} onChoose={(name) => {
          curve.value = name
        }}
      />
      <Fresh resource={history}>
        {curve.value === 'value' && <LineChart key='value' title='Value per share' unit='USDC' decimals={4} points={prices} {...sampled} />}
        {curve.value === 'drawdown' && <LineChart key='drawdown' title='Drawdown' unit='%' decimals={2} points={falls} {...sampled} />}
        {curve.value === 'realised' && (
          <LineChart key='realised' title='Realised PnL' unit='USDC' decimals={2} points={realised} hasZero empty='No trade was closed yet.' />
        )}
      </Fresh>
      <p class='note'>
        {curve.value === 'realised' ? 'USDC, from the trades that are listed below.'
          : 'Cash and the collateral of open positions, without their PnL until they are closed, and without collateral of orders that rested then. '
            + 'One value per five minutes.'}
      </p>
      <ReadNote resource={history} />
    </>
  )
}
