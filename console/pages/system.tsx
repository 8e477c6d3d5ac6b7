// The gateway's health. Values that the gateway does not know are shown as unknown.

import type { Health } from '../../client/src/index.ts'
import { nowMs } from '../clock.ts'
import { useResource } from '../state/use-resource.ts'
import { amount, dateTime, duration, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { Card, Facts, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { ExplorerLink } from '../ui/links.tsx'
import { Table } from '../ui/table.tsx'

const COUNTING = {
  process: 'per instance', shared: 'shared by all instances', fallback: 'per instance, because Redis does not respond',
} as const
const GAP_STATES = { open: 'missing', filled: 'filled from another node', unfillable: 'missing, no node has them' } as const

export function SystemPage() {
  const health = useResource('Health', (client) => client.getHealth())
  const body = health.answer.value?.body
  return (
    <div class='stack'>
      <PageHeading>System</PageHeading>
      <ReadNote resource={health} />
      {body !== undefined && (
        <Fresh resource={health}>
          <Card title='Gateway'><GatewayFacts health={body} /></Card>
          <Card title='Index'>
            <Facts rows={indexFacts(body.indexer)} />
            <Gaps indexer={body.indexer} />
          </Card>
          <Card title='Contracts'><Contracts contracts={body.contracts} /></Card>
        </Fresh>
      )}
    </div>
  )
}

function GatewayFacts({ health }: { readonly health: Health }) {
  const { settings } = useParts()
  return (
    <Facts
      rows={[
        ['Network', `${health.network}${settings.localRpcUrl === null ? '' : ', run by this gateway'}`],
        ['Version', health.version], ['Uptime', duration(health.uptime)], ['Rate limits', COUNTING[health.rateLimits.counting] ?? UNKNOWN],
      ]}
    />
  )
}

function Gaps({ indexer }: Pick<Health, 'indexer'>) {
  return (
    <Table
      caption='Missing ledgers' empty='No gaps known.' rows={indexer.gapRanges ?? []} keyOf={({ fromLedger }) => fromLedger}
      columns={[
        { title: 'Ledgers', cell: ({ fromLedger, toLedger }) => `${fromLedger} to ${toLedger}` },
        { title: 'State', cell: ({ state }) => GAP_STATES[state] },
        { title: 'Detected', cell: ({ since }) => dateTime(since / 1000) },
      ]}
    />
  )
}

/** Shows addresses whole. */
const ADDRESS_LENGTH = 28

function Contracts({ contracts }: Pick<Health, 'contracts'>) {
  return (
    <Table
      caption='Contracts of the deployment' empty={UNKNOWN} rows={Object.entries(contracts)} keyOf={([name]) => name}
      columns={[
        { title: 'Contract', cell: ([name]) => name },
        { title: 'Address', cell: ([, contract]) => <ExplorerLink page='contract' id={contract.address} length={ADDRESS_LENGTH} /> },
        { title: 'Generation', cell: ([name, { generation }]) => generation ?? (name.endsWith('Token') ? 'built-in token' : UNKNOWN) },
        { title: 'Configured by', cell: ([, { source }]) => (source === 'env' ? 'environment' : 'deployment list') },
      ]}
    />
  )
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
