import { Type } from 'typebox'
import type { Static } from 'typebox'
import { CONTRACT_ALIASES, CONTRACT_KEYS } from '../exchange/contracts/contracts.ts'
import type { ContractKey } from '../exchange/contracts/contracts.ts'
import type { ContractSource } from '../exchange/deployment.ts'
import { address, integerOrNull, ref, textOrNull } from './fields.ts'
import { NotedGap } from './gap-range.ts'
import { warningList } from './probe.ts'

/** Of the market: `get_pause_state`. */
const PauseState = Type.Object(
  {
    supported: Type.Boolean({ description: 'False if the market has no such state, or it cannot be read now.', examples: [true] }),
    mode: integerOrNull({ description: '0: trading. 1: positions can only be closed. 2: frozen.', examples: [0] }),
    since: integerOrNull({ description: 'Time of the last change, Unix seconds.', examples: [1_787_791_938] }),
  },
  { description: 'Pause state of the market, cached for 15 seconds.' },
)
export type PauseState = Static<typeof PauseState>

type ContractAlias = keyof typeof CONTRACT_ALIASES
const ALIASES = Object.keys(CONTRACT_ALIASES) as readonly ContractAlias[]

export type HealthContracts = Readonly<Record<ContractKey | ContractAlias, DeployedContract>>

export const EXAMPLE_WASM_HASH = '5f0c8a6d3b1e94f7a2c5d8e0b3f6a9c1d4e7f0a3b6c9d2e5f8a1b4c7d0e3f6a9'

export type Counting = 'process' | 'shared' | 'fallback'

export const DeployedContract = Type.Object({
  address: address('Contract address.', 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'),
  source: Type.Unsafe<ContractSource['source']>({
    type: 'string',
    enum: ['manifest', 'env'],
    description: 'manifest: from the deployment manifest. env: overridden by the environment of the gateway.',
  }),
  generation: textOrNull({
    description: 'Generation of the code: 1, 2.0, 2.1, 2.2 or 2.3. Null if the code was not read yet, is of no known generation, or is a token of the network.',
    examples: ['1'],
  }),
  wasmHash: textOrNull({
    description: 'SHA-256 of the code that the contract runs, hex. Null if unknown, and for tokens of the network.', examples: [EXAMPLE_WASM_HASH],
  }),
  sinceLedger: integerOrNull({ description: 'Ledger since which the contract is known to run this code.', examples: [1_200_345] }),
  notUnderstood: Type.Array(Type.String(), {
    description: 'What this gateway does not understand of the interface: changed arguments, missing functions, unknown error codes. Empty: everything.',
  }),
}, { $id: 'DeployedContract', description: 'A contract of the deployment, and the code that it runs.' })
type DeployedContract = Static<typeof DeployedContract>

const Compared = Type.Object(
  {
    ledger: Type.Integer({ description: 'Ledger at which the index was compared.' }),
    comparedAt: Type.Integer({ description: 'Time of the comparison, Unix milliseconds.' }),
    positions: Type.Integer({ description: 'Positions opened by the market since the first indexed position.' }),
    positionsMissing: Type.Integer({ description: 'Positions without an archived event. Any value other than 0 means lost history.' }),
    orders: integerOrNull({ description: 'Orders since the first indexed placement. Null if they could not be counted.' }),
    ordersMissing: integerOrNull({
      description: 'Orders that are not pending and have no archived event. Any value other than 0 means lost history.',
    }),
    vaults: integerOrNull({ description: 'Trader vaults since the first indexed vault. Null if they could not be counted.' }),
    vaultsMissing: integerOrNull({ description: 'Trader vaults without an archived event. Any value other than 0 means lost history.' }),
    openPositionsDrift: integerOrNull({
      description: 'How many more open positions the index has than the market. Null if unknown. A value other than 0 that remains means lost history.',
    }),
    openOrdersDrift: integerOrNull({ description: 'How many more open orders the index has than the market. Null if unknown.' }),
    factoryBalance: textOrNull({ description: 'On-chain USDC balance of the trader vault factory, 7-decimal. Null if it has no balance entry.' }),
    vaultsTotal: textOrNull({
      description: 'Sum of all trader vaults in USDC, 7-decimal. Null while they change. Trades by leaders make it differ from factoryBalance by design.',
    }),
  },
  { description: 'Last comparison of the index with ledger entries. Null before the first comparison.' },
)
type Compared = Static<typeof Compared>

const Rebuild = Type.Object(
  {
    done: Type.Integer({ description: 'Archived events replayed so far.', examples: [120_000] }),
    total: Type.Integer({ description: 'Archived events.', examples: [480_000] }),
  },
  { description: 'Progress of a rebuild of the lists from the archive. The present lists are served until it is complete. Null while none is under way.' },
)
type Rebuild = Static<typeof Rebuild>

interface Believed {
  readonly agreeing: number
  readonly asked: number
  readonly atMs: number
}

function believed(figure: string) {
  return Type.Unsafe<Believed | null>({
    ...Type.Object({
      agreeing: Type.Integer({ description: 'Nodes that report what is used.', examples: [2] }),
      asked: Type.Integer({ description: 'Nodes whose answer could be compared. 1: no second one answered in time.', examples: [2] }),
      atMs: Type.Integer({ description: 'Time of the comparison, Unix milliseconds.', examples: [1_783_339_202_481] }),
    }),
    type: ['object', 'null'],
    description: `${figure}: the last comparison of nodes by this instance. Null before the first.`,
  })
}

/** Specification, "Health". */
export const Health = Type.Object(
  {
    status: Type.Unsafe<'ok' | 'degraded'>({
      type: 'string', enum: ['ok', 'degraded'], description: 'degraded: `warnings` is not empty. The status of the response is 200 in either case.',
    }),
    warnings: warningList('What the operator should look at. Without a database, `indexer` is the last known state.'),
    uptime: Type.Number({ description: 'Uptime of the process, seconds.', examples: [12.345] }),
    version: Type.String({ description: 'Version of the gateway.', examples: ['0.2.0'] }),
    network: Type.String({ description: 'Stellar network of the contracts.', examples: ['testnet'] }),
    passphrase: Type.String({ description: 'Passphrase of the network, which signatures include.', examples: ['Test SDF Network ; September 2015'] }),
    deployment: Type.Object(
      {
        name: Type.String({ description: 'Name of the manifest; local for the local network.', examples: ['testnet'] }),
        since: textOrNull({ description: 'When the contracts were deployed, as the manifest says.', examples: ['2026-07-06'] }),
      },
      { description: 'The deployment that is served.' },
    ),
    contracts: Type.Unsafe<HealthContracts>({
      type: 'object',
      description: 'Contract addresses of the deployment. Read them from here instead of hard-coding them.',
      required: [...CONTRACT_KEYS],
      properties: Object.fromEntries([...CONTRACT_KEYS, ...ALIASES].map((key) => [key, ref(DeployedContract)])),
    }),
    protocol: Type.Object(
      {
        network: integerOrNull({ description: 'Protocol of the network, as of the last header that the index read. Null if none was read.', examples: [30] }),
        known: Type.Integer({ description: 'Newest protocol that this gateway knows. If the network has a newer one, upgrade the gateway.', examples: [30] }),
        unknown: Type.Array(Type.String(), {
          description: 'What the network uses and this gateway does not know. The index goes on without it, or stops before it: see `indexer`.',
        }),
      },
      { description: 'Protocol of the Stellar network.' },
    ),
    indexer: Type.Object(
      {
        lastLedger: integerOrNull({ description: 'Last indexed ledger.', examples: [1234567] }),
        lastUpdatedAt: integerOrNull({ description: 'Time of the last index update, Unix milliseconds.', examples: [1_783_339_202_481] }),
        ledgerAgeSeconds: integerOrNull({ description: 'Seconds since the last indexed ledger closed.', examples: [3] }),
        unknownEvents: integerOrNull({
          description: 'Archived events of unknown topic or shape: the contracts were changed. Users cannot cause them. Investigate any value other than 0.',
          examples: [0],
        }),
        archived: Type.Unsafe<Readonly<Record<string, number>> | null>({
          type: ['object', 'null'],
          additionalProperties: { type: 'integer' },
          description: 'Number of archived events by topic. unknown counts events of unknown topic or shape.',
        }),
        gaps: integerOrNull({ description: 'Number of ledger ranges that the RPC dropped before they were indexed, including filled ones.', examples: [0] }),
        gapRanges: Type.Unsafe<readonly NotedGap[] | null>({ type: ['array', 'null'], items: NotedGap, description: 'The newest gaps, at most 20.' }),
        ledgersUntilLost: integerOrNull({
          description: 'Ledgers the RPC can drop before history is lost, as of the last poll. Null until the RPC has dropped a ledger.',
          examples: [120_000],
        }),
        vaultCorrections: integerOrNull({ description: 'Number of times vault totals differed from their events and were corrected.', examples: [0] }),
        corrections: integerOrNull({
          description: 'Number of times a position or the open interest differed from the ledger and was corrected.', examples: [0],
        }),
        marketFound: Type.Unsafe<boolean | null>({
          type: ['boolean', 'null'],
          description: 'True if the market contract exists at its address. False after a network reset until the gateway has the new addresses.',
        }),
        compared: Type.Unsafe<Compared | null>({ ...Compared, type: ['object', 'null'] }),
        rebuild: Type.Unsafe<Rebuild | null>({ ...Rebuild, type: ['object', 'null'] }),
      },
      { description: 'Progress of the indexer. Every field is null until the first ledger is indexed.' },
    ),
    market: Type.Object({ pauseState: PauseState }, { description: 'State of the market contract.' }),
    nodes: Type.Object(
      {
        configured: Type.Integer({ description: 'Number of nodes of the network that this gateway uses.', examples: [3] }),
        believed: Type.Object(
          { prices: believed('Prices'), outcomes: believed('Outcomes of transactions'), fees: believed('Resource fees'), accounts: believed('Accounts') },
          { description: 'From how many nodes figures are believed.' },
        ),
      },
      { description: 'What this gateway believes of the network, and from how many nodes.' },
    ),
    rateLimits: Type.Object(
      {
        counting: Type.Unsafe<Counting>({
          type: 'string',
          enum: ['process', 'shared', 'fallback'],
          description:
            'process: this instance counts alone. shared: all instances count together. fallback: this instance counts alone because the shared store is ' +
            'unavailable.',
        }),
      },
      { description: 'Rate limiting.' },
    ),
  },
  { $id: 'Health', description: 'Health of the gateway and its index.' },
)

export type Health = Static<typeof Health>
