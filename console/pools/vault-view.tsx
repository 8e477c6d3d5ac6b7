// The page of one trader vault: value, own shares, deposit and withdrawal, curves, and its complete history.

import { useComputed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { AccountHoldings, PoolState, TraderVault, VaultSample, VaultTrade } from '../../client/src/index.ts'
import { amount, dateTime, percent } from '../format.ts'
import { useParts } from '../parts.ts'
import { useAccountList } from '../state/use-account-list.ts'
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
import { VaultActivity } from './vault-activity.tsx'

const TRADES_PER_PAGE = 100
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
            <Fresh resource={read}><Figures vault={vault} holdings={holdings} /></Fresh>
            <AccountPrompt what='your shares and their value' />
            <ReadNote resource={read} />
          </Card>
          <Card title='Deposit and withdraw'>
            <VaultFlows vault={vault} holdings={holdings} pool={pool} sender={sender} />
          </Card>
          {account.owner.value === vault.leader && (
            <LeaderSection vault={vault} trades={trades.rows.value} isSecond={pool !== null && isSecondGeneration(pool)} sender={leaderSender} />
          )}
        </div>
        <div class='stack'>
          <Card title='Performance'><Curves vault={vault} trades={trades.rows.value} /></Card>
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

function Figures({ vault, holdings }: { readonly vault: TraderVault; readonly holdings: AccountHoldings | null }) {
  const holding = holdings?.vaults[0]
  const shares = BigInt(vault.circulatingShares)
  const full = holding?.fullValue ?? null
  const basis: ShareBasis = { value: BigInt(full ?? vault.totalUsdc), shares }
  const scope = full === null ? 'cash only' : 'with open positions'
  const own = holding?.shares ?? null
  const drawdown = full === null ? vault.drawdownBps : drawdownBps(sharePrice(basis), BigInt(vault.hwmNav))
  return (
    <>
      <Facts
        inline rows={[
          ...(full === null ? [] : [['Value with open positions, USDC', amount(full)] as const]),
          ['Cash without open positions, USDC', amount(vault.totalUsdc)],
          [`Value per share, USDC (${scope})`, amount(sharePrice(basis).toString(), 4)],
          [`Drawdown (${scope})`, percent(drawdown)],
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
      {own !== null && (
        <Facts
          inline rows={[
            ['Your shares', amount(own)], [`Value of your shares, USDC (${scope})`, amount(usdcFor(BigInt(own), basis).toString())],
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
  readonly sender: Sender
}

function VaultFlows({ vault, holdings, pool, sender }: VaultFlowsOptions) {
  const { account } = useParts()
  const isSecond = pool !== null && isSecondGeneration(pool)
  const basis = basisOf(vault, holdings, isSecond)
  const usdc = account.state.answer.value?.body.balances.usdc ?? null
  const own = holdings?.vaults[0]?.shares ?? null
  const isLeader = account.owner.value === vault.leader
  const deposit: Flow = {
    label: 'Amount', unit: 'USDC', available: usdc === null ? null : BigInt(usdc), expectedUnit: 'shares',
    expected: (sum) => (basis === null ? null : sharesFor(sum, basis)),
    limit: isLeader || basis === null ? null : leaderLimit(BigInt(vault.leaderShares), basis),
    blocked: vault.paused ? 'The vault is paused: it takes no deposits.' : null,
    steps: (sum, minOut) => [{ title: 'Deposit', request: () => ({ op: 'deposit_vault', vaultId: vault.id, amount: sum, ...bound(minOut) }) }],
  }
  const cash = BigInt(vault.totalUsdc)
  const withdrawal: Flow = {
    label: 'Shares', unit: 'shares', available: own === null ? null : BigInt(own), expectedUnit: 'USDC',
    expected: (count) => (basis === null ? null : usdcFor(count, basis)),
    limit: basis === null || basis.value <= cash ? null : {
      most: sharesFor(cash, basis), reason: `The vault has ${amount(vault.totalUsdc)} USDC outside of its open positions. Withdraw less, or later.`,
    },
    // From the second generation on, a pause does not stop withdrawals.
    blocked: vault.paused && !isSecond ? 'The vault is paused: it pays nothing out.' : null,
    steps: (shares, minOut) => [{ title: 'Withdraw', request: () => ({ op: 'withdraw_vault', vaultId: vault.id, shares, ...bound(minOut) }) }],
  }
  return <FlowForm purpose='Depositing' deposit={deposit} withdrawal={withdrawal} hasBound={isSecond} sender={sender} />
}

const bound = (minOut: string | undefined): { readonly minOut?: string } => (minOut === undefined ? {} : { minOut })

function leaderLimit(leaderShares: bigint, basis: ShareBasis): Flow['limit'] {
  const most = roomForOthers(leaderShares, basis)
  return { most, reason: `The leader must keep 5% of the shares, so the vault takes at most ${amount(most.toString())} USDC more from others.` }
}

const CURVES = [['value', 'Value per share'], ['drawdown', 'Drawdown'], ['realised', 'Realised PnL']] as const
type CurveName = typeof CURVES[number][0]
const NO_SAMPLES = 'No values yet. The first is stored within five minutes.'

function Curves({ vault, trades }: { readonly vault: TraderVault; readonly trades: readonly VaultTrade[] }) {
  const curve = useSignal<CurveName>('value')
  const history = useResource('History', (client) => client.listVaultHistory({ id: vault.id, limit: SAMPLES }), [vault.id], { isManual: true })
  const samples = useComputed<readonly VaultSample[]>(() => history.answer.value?.body.samples ?? [])
  const prices = useComputed(() => pointsOf(samples.value, (sample) => sample.sharePrice))
  const falls = useComputed(() => drawdowns(prices.value))
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
        {curve.value === 'value' && <LineChart key='value' title='Value per share' unit='USDC' decimals={4} points={prices.value} {...sampled} />}
        {curve.value === 'drawdown' && <LineChart key='drawdown' title='Drawdown' unit='%' decimals={2} points={falls.value} {...sampled} />}
        {curve.value === 'realised' && (
          <LineChart key='realised' title='Realised PnL' unit='USDC' decimals={2} points={realised} hasZero empty='No trade was closed yet.' />
        )}
      </Fresh>
      <p class='note'>
        {curve.value === 'realised' ? 'USDC, from the trades that are listed below.'
          : 'Cash only: collateral in open positions counts as spent until they are closed. One value per five minutes.'}
      </p>
      <ReadNote resource={history} />
    </>
  )
}
