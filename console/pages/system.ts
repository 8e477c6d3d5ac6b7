// How the gateway says it is: all of its health, with what is not known called unknown.

import type { Health } from '../../client/src/index.ts'
import { nowMs } from '../clock.ts'
import { card, createTable, el, facts, refill } from '../dom.ts'
import { amount, duration, moment, UNKNOWN } from '../format.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'

const COUNTING = {
  process: 'this instance counts alone', shared: 'all instances count together', fallback: 'alone, because what they share does not answer',
} as const

export function createSystemPage({ feed, session, settings }: PageParts): Page {
  const general = el('div')
  const index = el('div')
  const gaps = createTable<NonNullable<Health['indexer']['gapRanges']>[number]>({
    caption: 'Ledgers that were lost', empty: 'None is known.',
    columns: [
      { title: 'Ledgers', cell: ({ fromLedger, toLedger }) => `${fromLedger} to ${toLedger}` },
      { title: 'State', cell: ({ state }) => ({ open: 'missing', filled: 'read from elsewhere since', unfillable: 'missing, no source has them' })[state] },
      { title: 'Noticed', cell: ({ since }) => moment(since / 1000) },
    ],
  })
  const contracts = createTable<readonly [name: string, contract: Health['contracts']['market']]>({
    caption: 'Contracts of the deployment', empty: UNKNOWN,
    columns: [
      { title: 'Contract', cell: ([name]) => name },
      { title: 'Address', cell: ([, contract]) => el('span', { class: 'address' }, contract.address) },
      { title: 'From', cell: ([, { source }]) => (source === 'env' ? 'the operator\'s setting' : 'the deployment\'s list') },
    ],
  })
  const content = el('div', { class: 'stack' },
    card('general-heading', 'Gateway', general),
    card('index-heading', 'Index', index, gaps.element),
    card('contracts-heading', 'Contracts', contracts.element))

  const panel = createPanel({
    feed, session, content, what: 'Health',
    read: (client) => client.getHealth(),
    render(health) {
      refill(general, facts([
        ['Network', `${health.network}${settings.localRpcUrl === null ? '' : ', run locally by this gateway'}`],
        ['Version', health.version], ['Running for', duration(health.uptime)], ['Requests', COUNTING[health.rateLimits.counting] ?? UNKNOWN],
      ]))
      refill(index, facts(indexFacts(health.indexer)))
      gaps.put(health.indexer.gapRanges ?? [])
      contracts.put(Object.entries(health.contracts))
    },
  })
  return {
    title: 'System',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'System'), panel.note, content),
    show: panel.show,
    hide: panel.hide,
  }
}

const told = (value: number | null): string => (value === null ? UNKNOWN : value.toLocaleString('en-GB'))

function indexFacts(indexer: Health['indexer']): (readonly [string, string])[] {
  const { compared } = indexer
  const missing = compared === null ? UNKNOWN
    : `positions: ${compared.positionsMissing}, orders: ${compared.ordersMissing ?? UNKNOWN}, vaults: ${compared.vaultsMissing ?? UNKNOWN}`
  return [
    ['Last ledger', told(indexer.lastLedger)],
    ['Its age when read', indexer.ledgerAgeSeconds === null ? UNKNOWN : duration(indexer.ledgerAgeSeconds)],
    ['Moved last', indexer.lastUpdatedAt === null ? UNKNOWN : `${duration((nowMs() - indexer.lastUpdatedAt) / 1000)} ago by this browser's clock`],
    ['The market is at its address', indexer.marketFound === null ? UNKNOWN : indexer.marketFound ? 'yes' : 'no: the network was reset, or deployed anew'],
    ['Events that were not understood', told(indexer.unknownEvents)],
    ['Ledgers lost', told(indexer.gaps)],
    ['Ledgers until one is lost', indexer.ledgersUntilLost === null ? 'the node has dropped none' : told(indexer.ledgersUntilLost)],
    ['Missing against the ledger', missing],
    ['Compared at ledger', compared === null ? UNKNOWN : told(compared.ledger)],
    ['Corrections', `${told(indexer.corrections)} of positions, ${told(indexer.vaultCorrections)} of vaults`],
    ['Held by the vaults\' factory', compared === null ? UNKNOWN : `${amount(compared.factoryBalance)} USDC`],
  ]
}
