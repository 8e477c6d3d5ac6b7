// Additions to a simulated footprint: entries of the table, next ids, learned entries, within the network's limits and never archived ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, Keypair, xdr } from '@stellar/stellar-sdk'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { RpcFailure } from '../../src/chain/rpc/failure.ts'
import { assembleTransaction, draftCall } from '../../src/chain/codec/transaction.ts'
import { contractCodeKey } from '../../src/chain/codec/contract-code.ts'
import { entryKeyXdr, readEntryKey, readFootprint } from '../../src/chain/codec/footprint.ts'
import { executableTagKey } from '../../src/chain/codec/ledger-keys.ts'
import { NETWORK_SETTING_KEYS, readNetworkSettings } from '../../src/chain/rpc/network-settings.ts'
import type { LedgerEntry, SimulationResponse } from '../../src/chain/rpc/responses.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { createCurrentDeployment, withInterfaces } from '../../src/exchange/deployment.ts'
import { UNKNOWN_INTERFACES } from '../../src/exchange/contracts/contract-interface.ts'
import type { CallToCover, EntryKey } from '../../src/exchange/contracts/footprint-keys.ts'
import { TEST_NETWORK_SETTINGS } from '../../src/exchange/contracts/resource-headroom.ts'
import { createFootprints } from '../../src/trading/relay/footprints.ts'
import type { Footprints } from '../../src/trading/relay/footprints.ts'
import { createNextIds } from '../../src/trading/relay/next-ids.ts'
import {
  DISK_READ_BYTES_MAX, DISK_READ_ENTRIES_MAX, FOOTPRINT_ENTRIES_MAX, INSTRUCTIONS_MAX, TX_BYTES_MAX, WRITE_BYTES_MAX, WRITE_ENTRIES_MAX,
} from '../../localnet/ledger/constants.ts'
import { CONFIG_SETTING_ENTRIES } from '../../localnet/rpc/config-settings.ts'
import { deploymentOf } from '../support/deployments.ts'
import { CONTRACTS, errorEvent, PASSPHRASE, TRADER } from './responses.ts'

const LATEST = 5_000
const trader = TRADER.publicKey()
const CLOSE: CallToCover = {
  contract: 'market', functionName: 'close_position', args: [{ type: 'address', value: trader }, { type: 'u64', value: 42n }], caller: trader,
}
const OPEN: CallToCover = {
  contract: 'market', functionName: 'open_position', args: [{ type: 'address', value: trader }, { type: 'symbol', value: 'BTC' }], caller: trader,
}

const entry = (contract: 'market' | 'vault', name: string, ...parts: Extract<EntryKey, { kind: 'data' }>['parts']): string =>
  entryKeyXdr({ kind: 'data', contract: CONTRACTS[contract], durability: 'persistent', name, parts }) ?? assert.fail()
const EXPOSURE = entry('market', 'AssetExposure', { type: 'symbol', value: 'BTC' })
const LAST_PRICE = entry('market', 'LastGoodPrice', { type: 'symbol', value: 'BTC' })
const BUFFER = entry('vault', 'BufferBalance')

function simulationOf(readWrite: readonly string[], readOnly: readonly string[] = []): SimulationResponse {
  const decode = (key: string): xdr.LedgerKey => xdr.LedgerKey.fromXdr(key, 'base64')
  const resources = new xdr.SorobanResources({
    footprint: new xdr.LedgerFootprint({ readOnly: readOnly.map(decode), readWrite: readWrite.map(decode) }),
    instructions: 4_000_000, diskReadBytes: 100, writeBytes: 1_000,
  })
  const data = new xdr.SorobanTransactionData({ ext: xdr.SorobanTransactionDataExt.v0(), resources, resourceFee: 90_000n })
  return {
    error: null, latestLedger: LATEST, results: [], transactionDataXdr: data.toXdr('base64'), minResourceFee: '90000', mustRestore: false, eventsXdr: [],
  } as unknown as SimulationResponse
}

interface Bench {
  readonly clock: VirtualClock
  readonly footprints: Footprints
  /** The market runs other code, by an event or by the entry that it refers to. */
  upgradeMarket(wasmHash: string): void
  /** The keys of the extended footprint, and the added fee. */
  extend(call: CallToCover, simulation: SimulationResponse): Promise<Extended>
}

interface Extended {
  readonly writes: readonly string[]
  readonly reads: readonly string[]
  readonly fee: bigint
}

interface BenchOptions {
  readonly generation?: '1' | '2.3'
  readonly absent?: readonly string[]
  readonly archived?: readonly string[]
  readonly fails?: boolean
  readonly unknownBuild?: boolean
}

/** A node whose entries are live unless they are listed. */
function bench(options: BenchOptions = {}): Bench {
  const { generation = '2.3', absent = [], archived = [], fails = false, unknownBuild = false } = options
  const clock = createVirtualClock(1_783_339_200_000)
  const live = (keyXdr: string): LedgerEntry =>
    ({ keyXdr, dataXdr: CONFIG_SETTING_ENTRIES.get(keyXdr) ?? 'AAAA', lastModifiedLedger: 1, liveUntilLedger: archived.includes(keyXdr) ? 0 : LATEST * 100 })
  const rpc = {
    async getLedgerEntries(keys: readonly string[]) {
      if (fails) throw new RpcFailure({ method: 'getLedgerEntries', kind: 'rpc', retryable: false, detail: 'refused' })
      return { entries: keys.filter((key) => !absent.includes(key)).map(live), latestLedger: LATEST }
    },
  } as unknown as Rpc
  const declared = deploymentOf(CONTRACTS, { generation, passphrase: PASSPHRASE })
  const market = { wasmHash: 'ab', sinceLedger: 1, generation: null, spec: null, notUnderstood: [] }
  const deployment = createCurrentDeployment(unknownBuild ? withInterfaces(declared, { ...UNKNOWN_INTERFACES, market }) : declared)
  const footprints = createFootprints({ rpc, clock, deployment })
  return {
    clock, footprints,
    upgradeMarket(wasmHash) {
      deployment.replace(withInterfaces(deployment.current, { ...UNKNOWN_INTERFACES, market: { ...market, wasmHash } }))
    },
    async extend(call, simulation) {
      await footprints.prefetch(call, {})
      const { simulation: extended, extraFee } = await footprints.extend(call, simulation, {})
      const { readOnly, readWrite } = readFootprint(extended.transactionDataXdr ?? assert.fail())
      return { writes: readWrite, reads: readOnly, fee: extraFee }
    },
  }
}

test('adds what other paths of the call touch, and moves a read entry to the written ones', async () => {
  const { writes, reads } = await bench().extend(CLOSE, simulationOf([EXPOSURE], [LAST_PRICE]))
  assert.equal(writes[0], EXPOSURE)
  assert.ok(writes.includes(LAST_PRICE) && !reads.includes(LAST_PRICE))
  assert.ok(writes.includes(BUFFER))
  assert.equal(new Set([...writes, ...reads]).size, writes.length + reads.length)
})

test('adds only what the generation has', async () => {
  const { writes } = await bench({ generation: '1' }).extend(CLOSE, simulationOf([EXPOSURE]))
  assert.ok(writes.includes(LAST_PRICE) && !writes.includes(BUFFER))
})

test('leaves out archived entries, which would fail the transaction', async () => {
  const { writes } = await bench({ archived: [BUFFER] }).extend(CLOSE, simulationOf([EXPOSURE]))
  assert.ok(writes.includes(LAST_PRICE) && !writes.includes(BUFFER))
})

test('adds next ids, which cannot be archived, and nothing else while entries cannot be read', async () => {
  const position = (id: bigint): string => entry('market', 'Position', { type: 'u64', value: id })
  const { writes } = await bench({ fails: true }).extend(OPEN, simulationOf([EXPOSURE, position(7n)]))
  assert.deepEqual(writes, [EXPOSURE, ...Array.from({ length: 8 }, (_, index) => position(7n + BigInt(index)))])
})

test('pays for entries that the call may create', async () => {
  const exists = await bench().extend(CLOSE, simulationOf([EXPOSURE]))
  const mayBeCreated = await bench({ absent: [BUFFER] }).extend(CLOSE, simulationOf([EXPOSURE]))
  assert.deepEqual(mayBeCreated.writes, exists.writes)
  assert.ok(mayBeCreated.fee - exists.fee > 100_000n)
})

test('stays within the network\'s limits', async () => {
  const position = (id: number): string => entry('market', 'Position', { type: 'u64', value: BigInt(id) })
  const many = Array.from({ length: WRITE_ENTRIES_MAX - 3 }, (_, index) => position(index + 1))
  const { writes } = await bench().extend(OPEN, simulationOf([EXPOSURE, ...many]))
  assert.equal(writes.length, WRITE_ENTRIES_MAX)
})

test('covers more ids while they are used up faster', () => {
  const clock = createVirtualClock(0)
  const nextIds = createNextIds(clock)
  nextIds.observe('positions', 1n)
  assert.equal(nextIds.count(), 8)
  clock.advance(10_000)
  nextIds.observe('positions', 4n)
  assert.equal(nextIds.count(), 8 + 9)
  nextIds.observe('positions', 4_000n)
  assert.equal(nextIds.count(), 24)
  clock.advance(61_000)
  nextIds.observe('positions', 4_001n)
  assert.equal(nextIds.count(), 8)
})

test('learns what calls of an unknown build touch, by the trader and the asset that they name', async () => {
  const shared = bench({ unknownBuild: true })
  const owed = (account: string): string => entry('vault', 'Owed', { type: 'address', value: account })
  const [other] = [CONTRACTS.referral]
  assert.ok(!(await shared.extend(CLOSE, simulationOf([EXPOSURE]))).writes.includes(BUFFER), 'the table is for known builds')
  await shared.extend(CLOSE, simulationOf([EXPOSURE, owed(trader), entry('vault', 'Reserve')]))
  const args = [{ type: 'address', value: other }, { type: 'u64', value: 43n }] as const
  const { writes } = await shared.extend({ ...CLOSE, args }, simulationOf([EXPOSURE]))
  assert.ok(writes.includes(owed(other)) && writes.includes(entry('vault', 'Reserve')) && !writes.includes(owed(trader)))
})

test('a key that is nested too deeply, as anyone can declare one, is none of the exchange', () => {
  const nested = (depth: number): xdr.ScVal => (depth === 0 ? xdr.ScVal.scvVoid() : xdr.ScVal.scvVec([nested(depth - 1)]))
  const name = xdr.ScVal.scvSymbol('Position')
  for (const parts of [[nested(100)], [name, nested(100)]]) {
    const key = new xdr.LedgerKeyContractData({
      contract: new Address(CONTRACTS.market).toScAddress(), key: xdr.ScVal.scvVec(parts), durability: xdr.ContractDataDurability.persistent,
    })
    assert.equal(readEntryKey(xdr.LedgerKey.contractData(key).toXdr('base64')), undefined)
  }
})

test('declares the entry that names the code of a contract, and forgets it with the code when the contract is upgraded', async () => {
  const shared = bench({ unknownBuild: true })
  const [tag, code] = [executableTagKey(CONTRACTS.vault, 'perps-v3'), contractCodeKey('cd'.repeat(32))]
  const { reads } = await shared.extend(CLOSE, simulationOf([EXPOSURE], [tag, code]))
  assert.deepEqual(reads.filter((key) => key === tag || key === code), [tag, code], 'the simulated entries stay')
  const again = await shared.extend(CLOSE, simulationOf([EXPOSURE]))
  assert.ok(again.reads.includes(tag) && again.reads.includes(code) && !again.writes.includes(tag))
  shared.upgradeMarket('ab')
  assert.ok((await shared.extend(CLOSE, simulationOf([EXPOSURE]))).reads.includes(code), 'the same code')
  shared.upgradeMarket('ef')
  const { reads: upgraded } = await shared.extend(CLOSE, simulationOf([EXPOSURE]))
  assert.ok(!upgraded.includes(code) && !upgraded.includes(tag))
})

test('reads the network\'s settings, and ignores unreasonable ones', () => {
  const entries = NETWORK_SETTING_KEYS.map((keyXdr): LedgerEntry =>
    ({ keyXdr, dataXdr: CONFIG_SETTING_ENTRIES.get(keyXdr) ?? assert.fail(), lastModifiedLedger: 1, liveUntilLedger: null }))
  const limits = {
    instructions: INSTRUCTIONS_MAX, diskReadEntries: DISK_READ_ENTRIES_MAX, diskReadBytes: DISK_READ_BYTES_MAX, writeEntries: WRITE_ENTRIES_MAX,
    writeBytes: WRITE_BYTES_MAX, footprintEntries: FOOTPRINT_ENTRIES_MAX, transactionBytes: TX_BYTES_MAX,
  }
  assert.deepEqual(readNetworkSettings(entries), { limits, fees: TEST_NETWORK_SETTINGS.fees })
  const history = (fee: bigint): LedgerEntry => ({
    keyXdr: '', lastModifiedLedger: 1, liveUntilLedger: null,
    dataXdr: xdr.LedgerEntryData.configSetting(xdr.ConfigSettingEntry.configSettingContractHistoricalDataV0(
      new xdr.ConfigSettingContractHistoricalDataV0({ feeHistorical1Kb: fee }),
    )).toXdr('base64'),
  })
  assert.equal(readNetworkSettings([history(20_000n)]).fees.perHistoryKib, 20_000n)
  for (const fee of [0n, -5n, 10n ** 15n]) assert.equal(readNetworkSettings([history(fee)]).fees.perHistoryKib, 16_235n)
})

test('names every entry in XDR and back', () => {
  const keys: readonly EntryKey[] = [
    { kind: 'data', contract: CONTRACTS.market, durability: 'persistent', name: 'Position', parts: [{ type: 'u64', value: 7n }] },
    { kind: 'data', contract: CONTRACTS.market, durability: 'temporary', name: 'ClosedProceeds', parts: [{ type: 'u64', value: 7n }] },
    { kind: 'data', contract: CONTRACTS.vault, durability: 'persistent', name: 'Pool', parts: [] },
    {
      kind: 'data', contract: CONTRACTS.vaultFactory, durability: 'persistent', name: 'Shares',
      parts: [{ type: 'u32', value: 1 }, { type: 'address', value: trader }],
    },
    { kind: 'trustline', account: trader, asset: `USDC:${trader}` },
  ]
  for (const key of keys) assert.deepEqual(readEntryKey(entryKeyXdr(key) ?? assert.fail()), key)
})

const other = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(9)).publicKey()
const pool = (owner: string): string => entry('market', 'CrossMarginBalance', { type: 'address', value: owner })

/** The envelope of a trader's close with this footprint. */
function closeBy(owner: string, readWrite: readonly string[]): string {
  const { contract, functionName } = CLOSE
  const draft = draftCall({
    source: owner, contract: CONTRACTS[contract], functionName, args: [{ type: 'address', value: owner }, { type: 'u64', value: 42n }],
  })
  const simulation = { ...simulationOf(readWrite), results: [{ xdr: '', authXdr: [] }] } as unknown as SimulationResponse
  return assembleTransaction(draft, { simulation, sequence: 1n, maxTimeSec: 1 }).envelopeXdr
}

/** The diagnostic event of an access outside of the footprint: the contract and the key of the entry. */
function outsideOf(keyXdr: string): string {
  const key = xdr.LedgerKey.fromXdr(keyXdr, 'base64')
  assert.ok(key.type === 'contractData')
  const message = xdr.ScVal.scvString('trying to access contract data key outside of the footprint')
  const data = xdr.ScVal.scvVec([message, xdr.ScVal.scvAddress(key.contractData.contract), key.contractData.key])
  return errorEvent('error', xdr.ScError.sceStorage(xdr.ScErrorCode.scecExceededLimit), CONTRACTS.market, data)
}

test('learns from a failure in a ledger which entry was missing, for every trader', async () => {
  const { footprints, extend } = bench({ unknownBuild: true })
  assert.ok(!(await extend(CLOSE, simulationOf([EXPOSURE]))).writes.includes(pool(trader)))
  footprints.learnFailure({
    envelopeXdr: closeBy(other, [EXPOSURE]), diagnosticEventsXdr: [outsideOf(pool(other))], hostError: { type: 'Storage', code: 'ExceededLimit' },
  })
  const { writes } = await extend(CLOSE, simulationOf([EXPOSURE]))
  assert.ok(writes.includes(pool(trader)) && !writes.includes(pool(other)))
})

test('declares more after a transaction exceeded its budget, up to twice the simulated resources, for a day', async () => {
  const { footprints, extend, clock } = bench({ unknownBuild: true })
  const fee = async (): Promise<bigint> => (await extend(CLOSE, simulationOf([EXPOSURE]))).fee
  const exceed = (): void =>
    footprints.learnFailure({ envelopeXdr: closeBy(other, [EXPOSURE]), diagnosticEventsXdr: [], hostError: { type: 'Budget', code: 'ExceededLimit' } })
  const fees = [await fee()]
  for (let failure = 0; failure < 4; failure++) {
    exceed()
    fees.push(await fee())
  }
  const [first = 0n, second = 0n, third = 0n, fourth, fifth] = fees
  assert.ok(first < second && second < third, String(fees))
  assert.deepEqual([fourth, fifth], [third, third])
  clock.advance(24 * 60 * 60_000 + 1)
  assert.equal(await fee(), first)
})
