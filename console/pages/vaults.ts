// The liquidity pool, the traders' vaults, and how each has fared.

import type { PoolSample, PoolState, TraderVault, VaultTrade } from '../../client/src/index.ts'
import { createLineChart } from '../chart.ts'
import { address, card, createTable, el, facts, gain, refill, write } from '../dom.ts'
import { amount, moment, percent, short, signed, UNKNOWN } from '../format.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'
import { vaultCurve } from '../vault-curve.ts'

const TRADES = 200
const SAMPLES = 576
const SHOWN = 20

export function createVaultsPage({ feed, session }: PageParts): Page {
  let chosen: number | null = null
  let vaults: readonly TraderVault[] = []

  const list = createTable<TraderVault>({
    caption: 'Trader vaults, newest first, in USDC', empty: 'There is no vault yet.',
    columns: [
      { title: 'Vault', cell: ({ id, name }) => el('a', { href: `#/vaults/${id}`, 'data-key': id, 'aria-current': id === chosen ? 'true' : false }, name) },
      { title: 'Value outside of positions', isFigure: true, cell: ({ totalUsdc }) => amount(totalUsdc, 0) },
      { title: 'Closed PnL', isFigure: true, cell: ({ closedTradePnl }) => gain(signed(closedTradePnl)) },
      { title: 'A year', isFigure: true, isMinor: true, cell: ({ apyBps }) => percent(apyBps) },
      { title: 'Drawdown', isFigure: true, isMinor: true, cell: ({ drawdownBps }) => percent(drawdownBps) },
      { title: 'Depositors', isFigure: true, isMinor: true, cell: ({ depositorCount }) => String(depositorCount) },
      { title: 'Open', isFigure: true, cell: ({ openPositions }) => String(openPositions) },
      { title: 'State', cell: ({ paused }) => (paused ? 'Paused' : 'Running') },
      { title: 'Leader', isMinor: true, cell: ({ leader }) => address(leader, short(leader)) },
    ],
  })
  const heading = el('h2', {}, 'A vault')
  const figures = el('div')
  const curve = createLineChart(2)
  const trades = createTable<VaultTrade>({
    caption: `The newest ${SHOWN} trades of the vault`, empty: 'No trades yet.',
    columns: [
      { title: 'Time', cell: ({ ts }) => moment(ts) },
      { title: 'What', cell: ({ action }) => (action === 'open' ? 'Open' : 'Close') },
      { title: 'Position', isFigure: true, cell: ({ positionId }) => positionId },
      { title: 'Collateral', isFigure: true, cell: ({ action, collateral }) => (action === 'open' ? amount(collateral) : '') },
      { title: 'PnL', isFigure: true, cell: ({ action, pnl }) => (action === 'open' ? '' : pnl === null ? 'not told' : gain(signed(pnl))) },
    ],
  })
  const curveBox = el('div', {}, el('h3', {}, 'Realised profit and loss, USDC'), curve.element)
  const vaultContent = el('div', { class: 'stack' }, figures, curveBox, trades.element)
  const pool = createPoolSection({ feed, session })

  const listPanel = createPanel({
    feed, session, content: list.element, what: 'Vaults',
    read: (client) => client.listVaults({ limit: 200 }),
    render(body) {
      vaults = body.vaults
      const isNew = chosen === null
      // The one with the most to look at.
      chosen ??= vaults.toSorted((one, other) => other.tradeCount - one.tradeCount)[0]?.id ?? null
      list.put(vaults)
      showVault()
      if (isNew && chosen !== null) vaultPanel.read(true)
    },
  })
  const vaultPanel = createPanel({
    feed, session, content: vaultContent, what: 'The vault\'s trades', isManual: true,
    read: (client) => client.listVaultTrades({ id: chosen ?? 0, limit: TRADES }),
    render(body) {
      const points = vaultCurve(body.trades, vaults.find(({ id }) => id === chosen)?.closedTradePnl ?? null)
      curve.put(points)
      curveBox.hidden = points.length === 0
      const last = points.at(-1)
      const now = last === undefined ? '' : `, now ${last.value.toFixed(2)} USDC`
      curve.name(`Curve of the vault's realised profit and loss: ${points.length} points${now}. The newest trades stand in the table below.`)
      trades.put(body.trades.slice(0, SHOWN))
    },
    clear() {
      curve.put([])
      trades.put([])
    },
  })

  function showVault(): void {
    const vault = vaults.find(({ id }) => id === chosen)
    write(heading, vault?.name ?? 'A vault')
    refill(figures, vault === undefined ? el('p', { class: 'note' }, 'There is no such vault.') : facts([
      ['Shares', amount(vault.circulatingShares)], ['Highest value of a share', amount(vault.hwmNav, 4)],
      ['Leader\'s share of profits', percent(vault.profitShareBps)],
      ['Paid to the leader', amount(vault.realizedPnl)], ['Trades', String(vault.tradeCount)], ['Since', moment(vault.createdAt)],
    ], 'facts inline'))
  }

  return {
    title: 'Vaults',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'Vaults'),
      card('vaults-heading', 'Trader vaults', list.element, listPanel.note),
      card('vault-heading', heading, vaultContent, vaultPanel.note),
      pool.element),
    show([wanted]) {
      const next = wanted !== undefined && /^\d{1,9}$/.test(wanted) ? Number(wanted) : chosen
      if (next !== chosen) {
        chosen = next
        list.put(vaults)
        showVault()
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
  return depositFeeBps === null || withdrawFeeBps === null ? UNKNOWN : `${percent(depositFeeBps)} in, ${percent(withdrawFeeBps)} out`
}

/** The pool on the other side of every trade. */
function createPoolSection({ feed, session }: Pick<PageParts, 'feed' | 'session'>): { readonly element: HTMLElement; show(): void; hide(): void } {
  const figures = el('div')
  const curve = createLineChart(6)
  const table = createTable<PoolSample>({
    caption: 'The newest samples of the pool', empty: 'No sample yet: the first is taken within five minutes.',
    columns: [
      { title: 'Time', cell: ({ time }) => moment(time) },
      { title: 'Value of an LP token', isFigure: true, cell: ({ lpPrice }) => amount(lpPrice, 6) },
      { title: 'Worth', isFigure: true, cell: ({ aum }) => amount(aum, 0) },
    ],
  })
  const state = createPanel({
    feed, session, content: figures, what: 'The pool',
    read: (client) => client.getPool(),
    render: (body) => refill(figures, facts([
      ['Worth, USDC', amount(body.aum, 0)], ['An LP token, USDC', amount(body.lpPrice, 6)], ['Reserved for traders', amount(body.reservedPayout, 0)],
      ['Can still be opened', amount(body.headroom.total, 0)], ['Fees', feesOf(body)],
      ['State', body.paused === null ? UNKNOWN : body.paused ? 'Paused' : 'Running'],
    ], 'facts inline')),
  })
  const history = createPanel({
    feed, session, content: el('div', {}, curve.element, table.element), what: 'The pool\'s history', isManual: true,
    read: (client) => client.listPoolHistory({ limit: SAMPLES }),
    render({ samples }) {
      const points = samples.map(({ time, lpPrice }) => ({ time, value: Number(lpPrice) / 1e7 })).reverse()
      curve.put(points)
      curve.name(`Curve of an LP token's value: ${points.length} samples. The newest stand in the table below.`)
      table.put(samples.slice(0, SHOWN))
    },
  })
  const details = el('details', {}, el('summary', {}, 'The newest samples as a table'), table.element)
  return {
    element: card('pool-heading', 'Liquidity pool', figures,
      state.note, el('h3', {}, 'Value of an LP token, USDC'), curve.element, details, history.note),
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
