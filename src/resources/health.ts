import { Type } from 'typebox'
import type { Static } from 'typebox'
import { CONTRACT_KEYS } from '../exchange/contracts.ts'
import type { ContractKey } from '../exchange/contracts.ts'
import { address, integerOrNull, textOrNull } from './fields.ts'
import { NotedGap } from './gap-range.ts'

/** Where a contract lives and who said so: the baked deployment manifest, or the environment. */
export interface ContractSource {
  readonly address: string
  readonly source: 'manifest' | 'env'
}

/** Where requests are counted. */
export type Counting = 'process' | 'shared' | 'fallback'

export type ContractSources = Readonly<Record<ContractKey, ContractSource>>

const contractSource = Type.Object({
  address: address('Contract address', 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'),
  source: Type.Unsafe<ContractSource['source']>({
    type: 'string',
    enum: ['manifest', 'env'],
    description: 'manifest: the deployment\'s own list; env: an override in the gateway\'s environment',
  }),
})

const Compared = Type.Object(
  {
    ledger: Type.Integer({ description: 'The ledger that the index was compared at' }),
    comparedAt: Type.Integer({ description: 'When, milliseconds' }),
    positions: Type.Integer({ description: 'Positions that the market has opened since the first that the index knows' }),
    positionsMissing: Type.Integer({ description: 'How many of these no archived event tells of: anything but 0 is lost history' }),
    orders: integerOrNull({ description: 'Orders since the first placement that the index knows; null: could not be counted' }),
    ordersMissing: integerOrNull({
      description: 'How many of these are not pending and no archived event names: anything but 0 is lost history',
    }),
    vaults: integerOrNull({ description: 'Trader vaults since the first that the index knows; null: could not be counted' }),
    vaultsMissing: integerOrNull({ description: 'How many of these no archived event tells of: anything but 0 is lost history' }),
    factoryBalance: textOrNull({ description: 'USDC of the trader vaults\' factory on the ledger, 7-decimal; null when it has no entry' }),
    vaultsTotal: textOrNull({ description: 'What its vaults add up to there; null while they change. A leader\'s trade makes the two differ by design' }),
  },
  { description: 'The last comparison with the ledger\'s entries; null before the first' },
)
type Compared = Static<typeof Compared>

/** Specification, "Health". */
export const Health = Type.Object(
  {
    status: Type.Unsafe<'ok'>({ type: 'string', enum: ['ok'] }),
    uptime: Type.Number({ description: 'Seconds since the process started', examples: [12.345] }),
    version: Type.String({ description: 'Version of the gateway', examples: ['0.2.0'] }),
    network: Type.String({ description: 'The network that the contracts live on', examples: ['testnet'] }),
    contracts: Type.Unsafe<ContractSources>({
      type: 'object',
      description: 'The contracts of the deployment; read them here rather than writing them down',
      required: [...CONTRACT_KEYS],
      properties: Object.fromEntries(CONTRACT_KEYS.map((key) => [key, contractSource])),
    }),
    indexer: Type.Object(
      {
        lastLedger: integerOrNull({ description: 'The last ledger that was scanned, with or without events', examples: [1234567] }),
        lastUpdatedAt: integerOrNull({ description: 'When the index moved last, milliseconds', examples: [1_783_339_202_481] }),
        ledgerAgeSeconds: integerOrNull({ description: 'Age of the last scanned ledger, whether the chain is busy or quiet', examples: [3] }),
        unknownEvents: integerOrNull({
          description: 'Archived events whose topic or shape is not known; anything but 0 deserves a look',
          examples: [0],
        }),
        archived: Type.Unsafe<Readonly<Record<string, number>> | null>({
          type: ['object', 'null'],
          additionalProperties: { type: 'integer' },
          description: 'How many events of each topic are archived since the network began; unknown: could not be decoded',
        }),
        gaps: integerOrNull({ description: 'Stretches of history that the RPC had dropped before they were read, filled ones included', examples: [0] }),
        gapRanges: Type.Unsafe<readonly NotedGap[] | null>({ type: ['array', 'null'], items: NotedGap, description: 'The newest of them, at most twenty' }),
        ledgersUntilLost: integerOrNull({
          description: 'How many more ledgers the RPC may drop before one is lost, as of the last poll; null while it has dropped none',
          examples: [120_000],
        }),
        vaultCorrections: integerOrNull({ description: 'How often a vault\'s figures were not what its events add up to, and were corrected', examples: [0] }),
        corrections: integerOrNull({ description: 'How often a position or the open interest was not what the ledger says, and was corrected', examples: [0] }),
        marketFound: Type.Unsafe<boolean | null>({
          type: ['boolean', 'null'],
          description: 'Whether the market is on the ledger at its address; false after a reset of the network, until the new addresses are known here',
        }),
        compared: Type.Unsafe<Compared | null>({ ...Compared, type: ['object', 'null'] }),
      },
      { description: 'How far the index is; every field is null while nothing is indexed' },
    ),
    rateLimits: Type.Object(
      {
        counting: Type.Unsafe<Counting>({
          type: 'string',
          enum: ['process', 'shared', 'fallback'],
          description: 'process: this instance counts alone; shared: all instances count together; fallback: alone, because what they share does not answer',
        }),
      },
      { description: 'Where requests are counted' },
    ),
  },
  { $id: 'Health', description: 'The state of the gateway' },
)

export type Health = Static<typeof Health>
