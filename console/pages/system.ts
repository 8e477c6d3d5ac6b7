// The gateway's health. Values that the gateway does not know are shown as unknown.

import type { Health } from '../../client/src/index.ts'
import { nowMs } from '../clock.ts'
import { card, createTable, el, facts, setChildren } from '../dom.ts'
import { amount, dateTime, duration, UNKNOWN } from '../format.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'

const COUNTING = {
  process: 'per instance', shared: 'shared by all instances', fallback: 'per instance, because Redis does not respond',
} as const
const GAP_STATES = { open: 'missing', filled: 'filled from another node', unfillable: 'missing, no node has them' } as const

export function createSystemPage({ feed, session, settings }: PageParts): Page {
  const general = el('div')
  const index = el('div')
  const gaps = createTable<NonNullable<Health['indexer']['gapRanges']>[number]>({
    caption: 'Missing ledgers', empty: 'No gaps known.',
    columns: [
      { title: 'Ledgers', cell: ({ fromLedger, toLedger }) => `${fromLedger} to ${toLedger}` },
      { title: 'State', cell: ({ state }) => GAP_STATES[state] },
      { title: 'Detected', cell: ({ since }) => dateTime(since / 1000) },
    ],
  })
  const contracts = createTable<readonly [name: string, contract: Health['contracts']['market']]>({
    caption: 'Contracts of the deployment', empty: UNKNOWN,
    columns: [
      { title: 'Contract', cell: ([name]) => name },
      { title: 'Address', cell: ([, contract]) => el('span', { class: 'address' }, contract.address) },
      { title: 'Generation', cell: ([name, { generation }]) => generation ?? (name.endsWith('Token') ? 'built-in token' : UNKNOWN) },
      { title: 'Configured by', cell: ([, { source }]) => (source === 'env' ? 'environment' : 'deployment list') },
    ],
  })
  const content = el('div', { class: 'stack' },
    card('general-heading', 'Gateway', general),
    card('index-heading', 'Index', index, gaps.element),
    card('contracts-heading', 'Contracts', contracts.element))

  const panel = createPanel({
    feed, session, content, title: 'Health',
    read: (client) => client.getHealth(),
    render(health) {
      setChildren(general, facts([
        ['Network', `${health.network}${settings.localRpcUrl === null ? '' : ', run by this gateway'}`],
        ['Version', health.version], ['Uptime', duration(health.uptime)], ['Rate limits', COUNTING[health.rateLimits.counting] ?? UNKNOWN],
      ]))
      setChildren(index, facts(indexFacts(health.indexer)))
      gaps.setRows(health.indexer.gapRanges ?? [])
      contracts.setRows(Object.entries(health.contracts))
    },
  })
  return {
    title: 'System',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'System'), panel.note, content),
    show: panel.show,
    hide: panel.hide,
  }
}

const numberOrUnknown = (value: number | null): string => (value === null ? UNKNOWN : value.toLocaleString('en-GB'))

function indexFacts(indexer: Health['indexer']): (readonly [string, string])[] {
  const { compared, marketFound } = indexer
  const missing = compared === null ? UNKNOWN
    : `positions: ${compared.positionsMissing}, orders: ${compared.ordersMissing ?? UNKNOWN}, vaults: ${compared.vaultsMissing ?? UNKNOWN}`
  return [
    ['Last ledger', numberOrUnknown(indexer.lastLedger)],
    ['Age of the last ledger', indexer.ledgerAgeSeconds === null ? UNKNOWN : duration(indexer.ledgerAgeSeconds)],
    ['Last progress', indexer.lastUpdatedAt === null ? UNKNOWN : `${duration((nowMs() - indexer.lastUpdatedAt) / 1000)} ago by this browser's clock`],
    ['Market contract found', marketFound === null ? UNKNOWN : marketFound ? 'yes' : 'no: the network was reset or the contract was redeployed'],
    ['Events of unknown shape', numberOrUnknown(indexer.unknownEvents)],
    ['Ledgers lost', numberOrUnknown(indexer.gaps)],
    ['Ledgers until one is lost', indexer.ledgersUntilLost === null ? 'the node has dropped none' : numberOrUnknown(indexer.ledgersUntilLost)],
    ['Missing compared with the ledger', missing],
    ['More open than the market counts', compared === null ? UNKNOWN
      : `positions: ${compared.openPositionsDrift ?? UNKNOWN}, orders: ${compared.openOrdersDrift ?? UNKNOWN}`],
    ['Compared at ledger', compared === null ? UNKNOWN : numberOrUnknown(compared.ledger)],
    ['Corrections', `${numberOrUnknown(indexer.corrections)} of positions, ${numberOrUnknown(indexer.vaultCorrections)} of vaults`],
    ['Held by the vault factory', compared === null ? UNKNOWN : `${amount(compared.factoryBalance)} USDC`],
  ]
}
