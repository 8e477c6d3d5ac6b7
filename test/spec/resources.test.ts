// "Resources and their fields", copied by hand: every field with its type, and whether it may be null or absent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccountIdentity } from '../../src/resources/account-identity.ts'
import { ApiKey } from '../../src/resources/api-key.ts'
import { AccountVolume } from '../../src/resources/account-volume.ts'
import { Candle } from '../../src/resources/candle.ts'
import { EventRow } from '../../src/resources/event-row.ts'
import { DeployedContract, Health } from '../../src/resources/health.ts'
import { LeaderboardEntry } from '../../src/resources/leaderboard-entry.ts'
import { MarketStats } from '../../src/resources/market-stats.ts'
import { Market } from '../../src/resources/market.ts'
import { OpenPosition } from '../../src/resources/open-position.ts'
import { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { Price } from '../../src/resources/price.ts'
import { RealizedTrade } from '../../src/resources/realized-trade.ts'
import { ReferralBinding, ReferralClaim, ReferralTrade, Referrer } from '../../src/resources/referral.ts'
import { SubmitResult } from '../../src/resources/submit-result.ts'
import { TraderVault } from '../../src/resources/trader-vault.ts'
import { VaultFlow, VaultTrade } from '../../src/resources/vault-activity.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly $ref?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
}

/**
 * `field type`: a type ending in `?` may be null, a field ending in `?` may be absent. `amount` is a string of digits, `any` is any JSON, a name in
 * angle brackets is another resource, and `a|b` are the only values.
 */
const RESOURCES: readonly (readonly [heading: string, schema: unknown, fields: string])[] = [
  ['Price object (oracle)', Price, 'asset string, price amount, priceFloat number, timestamp integer, stale boolean?, ageSec integer, ledger integer'],
  ['Market', Market, 'asset object, oracle <Price>, change24h number?, high24h string?, low24h string?'],
  ['Market, asset', Market.properties.asset, 'symbol string, name string, decimals integer'],
  [
    'Market stats row', MarketStats,
    'asset string, openInterestLong amount, openInterestShort amount, openInterestNet amount, openPositions integer, volume24h amount, ' +
    'change24h number?, high24h string?, low24h string?',
  ],
  [
    'Open position', OpenPosition,
    'positionId integer, trader string, asset string, direction integer, size amount, entryPrice amount, openedAt integer, openedTxHash string?',
  ],
  [
    'Realized trade', RealizedTrade,
    // Null and the kinds beside close and liquidation: only where the contracts report such trades, or the client asks for opens.
    'positionId integer?, trader string, kind open|close|reduce|liquidation|partial_liquidation|cross_liquidation|adl, ledger integer, ts integer, ' +
      'txHash string, asset string?, direction integer?, size string?, entryPrice string?, closePrice string?, pnl string?',
  ],
  ['Account volume', AccountVolume, 'address string, volume14d amount'],
  ['Candle', Candle, 'time integer, open number, high number, low number, close number'],
  ['Leaderboard entry', LeaderboardEntry, 'trader string, pnl amount, volume amount'],
  [
    'Event row', EventRow,
    'eventId string, contractId string, topic string, ledger integer, ledgerCloseTs integer, txHash string, payload? any, insertedAt? integer',
  ],
  [
    'Trader vault', TraderVault,
    'id integer, leader string, name string, createdAt integer, totalUsdc amount, circulatingShares amount, hwmNav amount, realizedPnl amount, ' +
      'leaderShares amount, profitShareBps integer, paused boolean, updatedAt integer, depositorCount integer, openPositions integer, tradeCount integer, ' +
      'drawdownBps integer, apyBps integer, closedTradePnl amount',
  ],
  [
    'Vault trade row', VaultTrade,
    'id integer, vaultId integer, positionId string, action open|close, leader string, collateral amount, ' +
      'ledger integer, ts integer, txHash string, pnl string?',
  ],
  [
    'Vault deposit / withdraw / fee-claim row', VaultFlow,
    'id integer, vaultId integer, principal string, amount amount, shares? string, ledger integer, ts integer, txHash string',
  ],
  [
    'Referrer row', Referrer,
    'referrer string, code string, createdAt integer, referredCount integer, totalVolumeGenerated amount, ' +
      'totalEarned amount, claimable amount, updatedAt integer',
  ],
  ['Binding row', ReferralBinding, 'referee string, referrer string, code string, boundAt integer, txHash string'],
  [
    'Referral trade row', ReferralTrade,
    'id integer, referee string, referrer string, originalFee amount, discount amount, payout amount, ledger integer, ts integer, txHash string',
  ],
  ['Referral trade row: claims', ReferralClaim, 'id integer, referrer string, amount amount, ledger integer, ts integer, txHash string'],
  ['Account identity', AccountIdentity, 'owner string, tier standard|market_maker, keyId string'],
  [
    'API key record (list)', ApiKey,
    'keyId string, owner string, tier standard|market_maker, label string?, createdAt integer, lastUsedAt integer?, revokedAt integer?',
  ],
  ['Prepared transaction', PreparedTransaction, 'op string, trader string, xdr string, minResourceFee? string'],
  [
    'Submit result', SubmitResult,
    'hash string, status SUCCESS|PENDING|FAILED, ledger? integer, contractError? object?, resultXdr? string, hostError? object?, '
    + 'txResultCode? string?, message? string',
  ],
  ['Submit result, contractError', SubmitResult.properties.contractError, 'code integer, name string'],
  ['Submit result, hostError', SubmitResult.properties.hostError, 'type string, code string'],
  // The specification has only `ok`, which would be untrue while the database is down.
  ['Health', Health, 'status ok|degraded, uptime number, version string, network string, contracts object, indexer object, rateLimits object'],
]

/** The fields of the health's indexer that the specification requires; a gateway may add more. */
const HEALTH_INDEXER = 'lastLedger integer?, lastUpdatedAt integer?, ledgerAgeSeconds integer?'

const AMOUNT_PATTERN = '^-?[0-9]+$'

function parse(fields: string): Map<string, string> {
  return new Map(fields.split(', ').map((field) => field.split(' ') as [string, string]))
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `<${schema.$ref.replace(/#$/, '')}>`
  if (schema.enum !== undefined) return schema.enum.join('|')
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const named = types.filter((type) => type !== 'null')
  const base = schema.pattern === AMOUNT_PATTERN && named[0] === 'string' ? 'amount' : (named[0] ?? 'any')
  return types.includes('null') ? `${base}?` : base
}

function describe(schema: Schema): Map<string, string> {
  const fields = Object.entries(schema.properties ?? {})
  return new Map(fields.map(([name, field]) => [schema.required?.includes(name) === true ? name : `${name}?`, typeOf(field)]))
}

/** Optional fields that this gateway adds. */
const ADDITIONS: ReadonlyMap<string, string> = new Map([
  ['Realized trade', 'orderId integer?, eventId string, seq integer, epoch string, deployment? string'],
  ['Event row', 'seq integer, epoch string, deployment? string'],
  ['Candle', 'volume amount, trades integer, final boolean, source noeracle|binance|trades, filled? true, revision? integer'],
  ['Market stats row', 'capacity? <MarketCapacity>'],
  ['API key record (list)', 'scopes array, expiresAt integer?, cidrs array?, caps object?, parent string?'],
  ['Leaderboard entry', 'rank integer, trades integer, liqCount integer, margin? string?'],
  ['Trader vault', 'apyKind annualized|inception'],
  ['Vault trade row', 'asset string?, direction integer?, size string?, price string?'],
  ['Referral trade row', 'volume string?'],
  [
    'Prepared transaction',
    'extraResourceFee string, feeConfirmedBy integer, nodes integer, hash string, clientId string?, expiresAt integer, intent object, '
    + 'preview <TradePreview>, warnings array, stored? boolean',
  ],
  ['Submit result', 'confirmedBy? integer?, nodes? integer?, stored? boolean'],
  ['Health', 'warnings array, passphrase string, deployment object, protocol object, market object, nodes object'],
])

for (const [heading, schema, fields] of RESOURCES) {
  test(`"${heading}" has the specification's fields and types`, () => {
    const added = ADDITIONS.get(heading)
    assert.deepEqual(describe(schema as Schema), parse(added === undefined ? fields : `${fields}, ${added}`))
  })
}

test('"Health": the indexer has the required fields, and all its fields are nullable', () => {
  const described = describe(Health.properties.indexer as unknown as Schema)
  for (const [name, type] of parse(HEALTH_INDEXER)) assert.equal(described.get(name), type, name)
  for (const [name, type] of described) assert.match(type, /\?$/, `${name} is nullable`)
})

test('"Health": each contract has its address and the address\'s source', () => {
  const contracts = Health.properties.contracts as unknown as Schema
  assert.equal(contracts.required?.length, 8)
  assert.equal(Object.keys(contracts.properties ?? {}).length, 11)
  for (const [key, schema] of Object.entries(contracts.properties ?? {})) assert.equal(typeOf(schema), '<DeployedContract>', key)
  const members = 'address string, source manifest|env, generation string?, wasmHash string?, sinceLedger integer?, notUnderstood array'
  assert.deepEqual(describe(DeployedContract as unknown as Schema), parse(members))
})
