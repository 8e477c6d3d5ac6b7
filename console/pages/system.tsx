// The gateway's health. Values that the gateway does not know are shown as unknown.

import type { CorrectionData as Correction, Health } from '../../client/src/index.ts'
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
  const corrections = useResource('Corrections', (client) => client.listCorrections({ limit: CORRECTIONS_MAX }))
  const body = health.answer.value?.body
  const corrected = corrections.answer.value?.body.corrections
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
      <Card title='Corrections'>
        <ReadNote resource={corrections} />
        {corrected !== undefined && <Fresh resource={corrections}><Corrections rows={corrected} /></Fresh>}
      </Card>
    </div>
  )
}

/** Of corrections that are shown. */
const CORRECTIONS_MAX = 10

function Corrections({ rows }: { readonly rows: readonly Correction[] }) {
  return (
    <Table
      caption='Latest corrections of the index' empty='Nothing was corrected: the index agrees with the ledger.' rows={rows} keyOf={({ seq }) => seq}
      columns={[
        { title: 'Time', cell: ({ correctedAt }) => dateTime(correctedAt / 1000) },
        { title: 'What', cell: (row) => `${CORRECTED[row.kind] ?? row.kind}${subjectOf(row)}` },
        { title: 'Before', cell: ({ before, after }) => differences(before, after) },
        { title: 'After', cell: ({ before, after }) => differences(after, before) },
        { title: 'Ledger', isNumeric: true, cell: ({ ledger }) => String(ledger) },
      ]}
    />
  )
}

const CORRECTED: Readonly<Record<string, string>> = {
  ended: 'Position ended', changed: 'Position changed', opened: 'Position added', interest: 'Open interest', vault: 'Vault', event: 'Event',
  epoch: 'Epoch renamed',
}

function subjectOf({ positionId, vaultId, eventId, asset }: Correction): string {
  const subject = positionId ?? vaultId ?? eventId
  return `${subject === null ? '' : ` ${subject}`}${asset === null ? '' : ` (${asset})`}`
}

/** The members that differ from those of the other side. */
function differences(values: Correction['before'], others: Correction['before']): string {
  if (values === null) return 'none'
  const changed = Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(others?.[name as keyof typeof others]))
  return changed.map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`).join(', ')
}

function GatewayFacts({ health }: { readonly health: Health }) {
  const { session, settings } = useParts()
  const allowance = session.client().allowance()
  const calls = allowance === null ? UNKNOWN : `${allowance.remaining} this minute${session.key() === null ? '' : ', with your key'}`
  return (
    <Facts
      rows={[
        ['Network', `${health.network}${settings.localRpcUrl === null ? '' : ', run by this gateway'}`],
        ['Version', health.version], ['Uptime', duration(health.uptime)], ['Rate limits', COUNTING[health.rateLimits.counting] ?? UNKNOWN],
        ['API calls left', <span data-calls>{calls}</span>],
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
        { title: 'Address', isWide: true, cell: ([, contract]) => <ExplorerLink page='contract' id={contract.address} length={ADDRESS_LENGTH} /> },
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
