// The list of trader vaults, and the page of one of them.

import { useSignal } from '@preact/signals'
import type { AccountHoldings, TraderVault } from '../../client/src/index.ts'
import { amount, percent, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { useAccountList } from '../state/use-account-list.ts'
import { useMinLedger } from '../state/use-min-ledger.ts'
import { usePages } from '../state/use-pages.ts'
import { useFreshPrice } from '../state/use-price.ts'
import { useResource } from '../state/use-resource.ts'
import { Outcome } from '../trade/outcome.tsx'
import type { Sender } from '../trade/send.ts'
import { useDisconnected } from '../trade/use-market.ts'
import { useSender } from '../trade/use-sender.ts'
import { Card, PageHeading } from '../ui/layout.tsx'
import { TraderLink } from '../ui/links.tsx'
import { Table } from '../ui/table.tsx'
import { Name, Profit } from '../ui/text.tsx'
import { AccountPrompt, WalletPrompt } from '../wallet/wallet-section.tsx'
import { PagedTable } from './activity-list.tsx'
import { drawdownBps, sharePrice, usdcFor } from './figures.ts'
import { equityOf } from './vault-equity.ts'
import { VaultView } from './vault-view.tsx'

/** The holdings of one request. */
const VAULTS_PER_PAGE = 20

export function VaultsPage({ path: [id] }: { readonly path: readonly string[] }) {
  return id !== undefined && /^\d{1,9}$/.test(id) ? <VaultView key={id} id={Number(id)} /> : <VaultList />
}

function VaultList() {
  const { account } = useParts()
  const sender = useSender()
  const minLedger = useMinLedger([sender], () => void vaults.newest.read())
  const vaults = usePages({
    title: 'Vaults', read: (client, cursor) => client.listVaults({ limit: VAULTS_PER_PAGE, ...cursor }, minLedger()), rowsOf: (body) => body.vaults,
    idOf: ({ id }) => id, dependencies: [],
  })
  const equities = useEquities(vaults.rows.value)
  const ids = vaults.rows.value.slice(0, VAULTS_PER_PAGE).map(({ id }) => id).join(',')
  return (
    <div class='stack'>
      <PageHeading>Vaults</PageHeading>
      <p class='note'>A vault's leader trades with the funds of its depositors. The <a href='#/pool'>liquidity pool</a> is the counterparty of every trade.</p>
      {ids !== '' && account.owner.value !== null && <OwnShares key={ids} ids={ids} vaults={vaults.rows.value} />}
      <AccountPrompt what='your shares' />
      <Card title='Trader vaults'>
        <PagedTable<TraderVault>
          caption='Trader vaults, newest first, in USDC, with open positions at live prices' empty='No vaults yet.' pages={vaults} idOf={({ id }) => id}
          columns={[
            { title: 'Vault', cell: ({ id, name }) => <a href={`#/vaults/${id}`}><Name text={name} /></a> },
            { title: 'Equity', isNumeric: true, cell: (vault) => amount(equities(vault)?.toString() ?? null, 0) },
            { title: 'Cash', isNumeric: true, isMinor: true, cell: ({ totalUsdc }) => amount(totalUsdc, 0) },
            { title: 'Closed PnL', isNumeric: true, cell: ({ closedTradePnl }) => <Profit value={closedTradePnl} /> },
            { title: 'APY', isNumeric: true, isMinor: true, cell: ({ apyBps }) => percent(apyBps) },
            { title: 'Drawdown', isNumeric: true, isMinor: true, cell: (vault) => drawdownOf(vault, equities(vault)) },
            { title: 'Depositors', isNumeric: true, isMinor: true, cell: ({ depositorCount }) => depositorCount },
            { title: 'Open positions', isNumeric: true, cell: ({ openPositions }) => openPositions },
            { title: 'State', cell: ({ paused }) => (paused ? 'Paused' : 'Active') },
            { title: 'Leader', isMinor: true, cell: ({ leader }) => <TraderLink address={leader} /> },
          ]}
        />
      </Card>
      <CreateVault sender={sender} />
    </div>
  )
}

/** Vaults with open positions whose trades are read for their equity; that of others is unknown. */
const EQUITIES_MAX = 10
const TRADES_PER_VAULT = 200
const UNREAD = { requestId: null, ledger: null, seq: null, isStale: false, next: null }

/** Returns the equity of a vault; null while unknown. Only those with open positions need their trades. */
function useEquities(vaults: readonly TraderVault[]): (vault: TraderVault) => bigint | null {
  const priceOf = useFreshPrice()
  const traded = vaults.filter(({ openPositions }) => openPositions > 0).slice(0, EQUITIES_MAX)
  const trades = useResource('Trades of the vaults', async (client) => {
    const answers = await Promise.all(traded.map(({ id }) => client.listVaultTrades({ id, limit: TRADES_PER_VAULT })))
    return { ...UNREAD, ...answers[0], body: new Map(traded.map(({ id }, index) => [id, answers[index]?.body.trades ?? []])) }
  }, [traded.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join(',')], { isEnabled: traded.length > 0, isManual: true })
  const known = trades.answer.value?.body
  return ({ id, totalUsdc, openPositions }) => equityOf({ cash: totalUsdc, expected: openPositions }, known?.get(id) ?? [], priceOf)?.value ?? null
}

function drawdownOf({ circulatingShares, hwmNav }: TraderVault, equity: bigint | null): string {
  return equity === null ? UNKNOWN : percent(drawdownBps(sharePrice({ value: equity, shares: BigInt(circulatingShares) }), BigInt(hwmNav)))
}

/** The account's shares in the newest vaults; nothing without any. */
function OwnShares({ ids, vaults }: { readonly ids: string; readonly vaults: readonly TraderVault[] }) {
  const holdings = useAccountList('Your shares', (client) => client.getAccountHoldings({ vaults: ids })).answer.value?.body
  const owned = (holdings?.vaults ?? []).filter(({ shares }) => shares !== null && shares !== '0')
  if (owned.length === 0) return null
  const vaultOf = (vaultId: number): TraderVault | undefined => vaults.find(({ id }) => id === vaultId)
  return (
    <Card title='Your shares'>
      <Table
        isNarrow caption='Shares of this account' empty='' rows={owned} keyOf={({ vaultId }) => vaultId}
        columns={[
          { title: 'Vault', cell: ({ vaultId }) => <a href={`#/vaults/${vaultId}`}><Name text={vaultOf(vaultId)?.name ?? String(vaultId)} /></a> },
          { title: 'Shares', isNumeric: true, cell: ({ shares }) => amount(shares) },
          { title: 'Value, USDC', isNumeric: true, cell: (holding) => valueOf(holding, vaultOf(holding.vaultId)) },
        ]}
      />
    </Card>
  )
}

function valueOf({ shares, fullValue }: AccountHoldings['vaults'][number], vault: TraderVault | undefined): string {
  if (vault === undefined || shares === null) return UNKNOWN
  const value = usdcFor(BigInt(shares), { value: BigInt(fullValue ?? vault.totalUsdc), shares: BigInt(vault.circulatingShares) })
  return `${amount(value.toString())}${fullValue === null && vault.openPositions > 0 ? ' (cash only)' : ''}`
}

const NAME_BYTES_MAX = 64

function CreateVault({ sender }: { readonly sender: Sender }) {
  const { session, account } = useParts()
  const name = useSignal('')
  const blocked = useDisconnected()
  const bytes = new TextEncoder().encode(name.value).length
  const problem = bytes > NAME_BYTES_MAX ? `A name has at most ${NAME_BYTES_MAX} bytes; this one has ${bytes}.` : null

  function submit(event: Event): void {
    event.preventDefault()
    if (blocked !== null || problem !== null || name.value.trim() === '' || session.wallet() === null || account.owner.value === null) return
    void sender.send([{ title: 'Create the vault', request: () => ({ op: 'create_vault', name: name.value.trim() }) }])
  }

  return (
    <details class='card'>
      <summary>Create a vault</summary>
      <form onSubmit={submit}>
        <p class='note'>
          You lead the vault: you trade with its funds, and get a part of the profit. You must hold at least 5% of its shares, so deposit first.
        </p>
        <div class='field'>
          <label for='vault-name'>Name</label>
          <input
            id='vault-name' type='text' autocomplete='off' value={name} aria-invalid={problem !== null} aria-describedby='vault-name-problem'
            onInput={(event) => {
              name.value = event.currentTarget.value
              sender.clear()
            }}
          />
          <p class='problem' id='vault-name-problem'>{problem}</p>
        </div>
        <WalletPrompt purpose='Creating a vault' />
        {blocked !== null && <p class='note problem'>{blocked}</p>}
        <div class='row'><button type='submit' aria-disabled={blocked !== null || sender.isBusy()}>Review</button></div>
        <Outcome sender={sender} />
      </form>
    </details>
  )
}
