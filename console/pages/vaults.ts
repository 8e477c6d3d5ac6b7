// The vaults of traders and the liquidity pool, each with its performance.

import type { PoolSample, PoolState, TraderVault, VaultTrade } from '../../client/src/index.ts'
import { createLineChart } from '../chart.ts'
import { address, card, createTable, el, facts, nameOf, profit, setChildren } from '../dom.ts'
import { amount, dateTime, percent, short, signed, UNKNOWN } from '../format.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'
import { vaultCurve } from '../vault-curve.ts'

const TRADES = 200
const SAMPLES = 576
const TABLE_ROWS = 20

export function createVaultsPage({ feed, session }: PageParts): Page {
  let selected: number | null = null
  let vaults: readonly TraderVault[] = []

  const list = createTable<TraderVault>({
    caption: 'Trader vaults, newest first, in USDC', empty: 'No vaults yet.',
    columns: [
      {
        title: 'Vault',
        cell: ({ id, name }) => el('a', { href: `#/vaults/${id}`, 'data-key': id, 'aria-current': id === selected ? 'true' : false }, nameOf(name)),
      },
      { title: 'Value excluding positions', isNumeric: true, cell: ({ totalUsdc }) => amount(totalUsdc, 0) },
      { title: 'Closed PnL', isNumeric: true, cell: ({ closedTradePnl }) => profit(signed(closedTradePnl)) },
      { title: 'APY', isNumeric: true, isMinor: true, cell: ({ apyBps }) => percent(apyBps) },
      { title: 'Drawdown', isNumeric: true, isMinor: true, cell: ({ drawdownBps }) => percent(drawdownBps) },
      { title: 'Depositors', isNumeric: true, isMinor: true, cell: ({ depositorCount }) => String(depositorCount) },
      { title: 'Open positions', isNumeric: true, cell: ({ openPositions }) => String(openPositions) },
      { title: 'State', cell: ({ paused }) => (paused ? 'Paused' : 'Active') },
      { title: 'Leader', isMinor: true, cell: ({ leader }) => el('a', { href: `#/trader/${leader}` }, address(leader, short(leader))) },
    ],
  })
  const heading = el('h2', {}, 'Vault')
  const figures = el('div')
  const curve = createLineChart(2)
  const trades = createTable<VaultTrade>({
    caption: `The vault's newest ${TABLE_ROWS} trades`, empty: 'No trades yet.',
    columns: [
      { title: 'Time', cell: ({ ts }) => dateTime(ts) },
      { title: 'Type', cell: ({ action }) => (action === 'open' ? 'Open' : 'Close') },
      { title: 'Position', isNumeric: true, cell: ({ positionId }) => positionId },
      { title: 'Collateral', isNumeric: true, cell: ({ action, collateral }) => (action === 'open' ? amount(collateral) : '') },
      { title: 'PnL', isNumeric: true, cell: ({ action, pnl }) => (action === 'open' ? '' : pnl === null ? UNKNOWN : profit(signed(pnl))) },
    ],
  })
  const curveBox = el('div', {}, el('h3', {}, 'Realised profit and loss, USDC'), curve.element)
  const vaultContent = el('div', { class: 'stack' }, figures, curveBox, trades.element)
  const pool = createPoolSection({ feed, session })

  const listPanel = createPanel({
    feed, session, content: list.element, title: 'Vaults',
    read: (client) => client.listVaults({ limit: 200 }),
    render(body) {
      vaults = body.vaults
      const isFirst = selected === null
      // Starts with the most active vault.
      selected ??= vaults.toSorted((a, b) => b.tradeCount - a.tradeCount)[0]?.id ?? null
      list.setRows(vaults)
      updateVault()
      if (isFirst && selected !== null) vaultPanel.read(true)
    },
  })
  const vaultPanel = createPanel({
    feed, session, content: vaultContent, title: 'Vault trades', isManual: true,
    read: (client) => client.listVaultTrades({ id: selected ?? 0, limit: TRADES }),
    render(body) {
      const points = vaultCurve(body.trades, vaults.find(({ id }) => id === selected)?.closedTradePnl ?? null)
      curve.setPoints(points)
      curveBox.hidden = points.length === 0
      const last = points.at(-1)
      const current = last === undefined ? '' : `, now ${last.value.toFixed(2)} USDC`
      curve.setLabel(`Line chart of the vault's realised profit and loss: ${points.length} points${current}. The table below lists the newest trades.`)
      trades.setRows(body.trades.slice(0, TABLE_ROWS))
    },
    clear() {
      curve.setPoints([])
      trades.setRows([])
    },
  })

  function updateVault(): void {
    const vault = vaults.find(({ id }) => id === selected)
    setChildren(heading, vault === undefined ? 'Vault' : nameOf(vault.name))
    setChildren(figures, vault === undefined ? el('p', { class: 'note' }, 'Vault not found.') : facts([
      ['Shares outstanding', amount(vault.circulatingShares)], ['High-water mark per share', amount(vault.hwmNav, 4)],
      ['Leader\'s profit share', percent(vault.profitShareBps)],
      ['Paid to the leader', amount(vault.realizedPnl)], ['Trades', String(vault.tradeCount)], ['Created', dateTime(vault.createdAt)],
    ], 'facts inline'))
  }

  return {
    title: 'Vaults',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'Vaults'),
      card('vaults-heading', 'Trader vaults', list.element, listPanel.note),
      card('vault-heading', heading, vaultContent, vaultPanel.note),
      pool.element),
    show([path]) {
      const next = path !== undefined && /^\d{1,9}$/.test(path) ? Number(path) : selected
      if (next !== selected) {
        selected = next
        list.setRows(vaults)
        updateVault()
        vaultPanel.read(true)
      }
      listPanel.show()
      vaultPanel.show()
      pool.show()
    },
    hide() {
      listPanel.hide()
      vaultPanel.hide()
      pool.hide()
    },
  }
}

function feesOf({ depositFeeBps, withdrawFeeBps }: PoolState): string {
  return depositFeeBps === null || withdrawFeeBps === null ? UNKNOWN : `${percent(depositFeeBps)} deposit, ${percent(withdrawFeeBps)} withdrawal`
}

/** The pool is the counterparty of every trade. */
function createPoolSection({ feed, session }: Pick<PageParts, 'feed' | 'session'>): { readonly element: HTMLElement; show(): void; hide(): void } {
  const figures = el('div')
  const curve = createLineChart(6)
  const table = createTable<PoolSample>({
    caption: 'Newest samples of the pool', empty: 'No samples yet. The first is taken within five minutes.',
    columns: [
      { title: 'Time', cell: ({ time }) => dateTime(time) },
      { title: 'LP token price', isNumeric: true, cell: ({ lpPrice }) => amount(lpPrice, 6) },
      { title: 'Assets under management', isNumeric: true, cell: ({ aum }) => amount(aum, 0) },
    ],
  })
  const state = createPanel({
    feed, session, content: figures, title: 'Pool',
    read: (client) => client.getPool(),
    render: (body) => setChildren(figures, facts([
      ['Assets under management, USDC', amount(body.aum, 0)], ['LP token price, USDC', amount(body.lpPrice, 6)],
      ['Reserved for traders', amount(body.reservedPayout, 0)],
      ['Available for new positions', amount(body.headroom.total, 0)], ['Fees', feesOf(body)],
      ['State', body.paused === null ? UNKNOWN : body.paused ? 'Paused' : 'Active'],
    ], 'facts inline')),
  })
  const history = createPanel({
    feed, session, content: el('div', {}, curve.element, table.element), title: 'Pool history', isManual: true,
    read: (client) => client.listPoolHistory({ limit: SAMPLES }),
    render({ samples }) {
      const points = samples.map(({ time, lpPrice }) => ({ time, value: Number(lpPrice) / 1e7 })).reverse()
      curve.setPoints(points)
      curve.setLabel(`Line chart of the LP token price: ${points.length} samples. The table below lists the newest.`)
      table.setRows(samples.slice(0, TABLE_ROWS))
    },
  })
  const details = el('details', {}, el('summary', {}, 'Newest samples as a table'), table.element)
  return {
    element: card('pool-heading', 'Liquidity pool', figures,
      state.note, el('h3', {}, 'LP token price, USDC'), curve.element, details, history.note),
    show() {
      state.show()
      history.show()
    },
    hide() {
      state.hide()
      history.hide()
    },
  }
}
