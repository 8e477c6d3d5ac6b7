// Faults of the simulated network as a whole: prices jump, the network resets, is saved and restored, its clock is stepped, or hours pass without a ledger.

import assert from 'node:assert/strict'
import { nowSec } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { readShimPrice } from '../../src/chain/views/prices.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import type { Transport } from '../../src/chain/rpc/transport.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { EVENT_CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import { contractDataKey, contractDataValue } from '../../localnet/actors/exchange-state.ts'
import { u64 } from '../../localnet/contracts/shared/host.ts'
import type { Val } from '../../localnet/contracts/shared/host.ts'
import { asAddress, asI128, asSymbol, asU32, asU64, fieldOf, storageKey } from '../../localnet/contracts/shared/values.ts'
import { NEWEST_PROTOCOL } from '../../localnet/ledger/protocol.ts'
import { MILLISECONDS_SINCE } from '../../src/base/protocol.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import type { ChainEvents } from './checkers/archive-matches-chain.ts'
import type { MarketPosition } from './checkers/fold.ts'
import type { Choice, Decisions, Roll } from './decisions.ts'
import type { LedgerTruth } from './ledger-truth.ts'
import type { Profile } from './profile.ts'

const HOUR_SEC = 3_600
/** More would be refused. */
const KEYS_MAX = 200

/** The network and its past. */
export interface NetworkState {
  readonly clock: VirtualClock
  readonly network: LocalNetwork
  readonly decisions: Decisions
  readonly profile: Profile
  /** The events of each chain before a reset or a restore. */
  readonly chains: ChainEvents[]
  readonly truth: LedgerTruth
  /** The saved snapshot and its ledger. */
  snapshot: { readonly id: string; readonly ledger: number } | undefined
}

/** Called between two ledgers. Before hours pass at once, `waitForResponses` lets all open requests finish: no client waits that long. */
export async function injectNetworkFault(state: NetworkState, waitForResponses: () => Promise<void>): Promise<void> {
  const { decisions, profile, network, clock } = state
  const choice = decisions.decide('network', [
    { chance: profile.networkReset, choice: () => ({ name: 'reset' }) },
    { chance: profile.redeploy ?? 0, choice: () => ({ name: 'redeploy' }) },
    { chance: network.generation === '1' ? 0 : profile.upgrade ?? 0, choice: upgradeOf },
    { chance: network.chain.protocol >= NEWEST_PROTOCOL ? 0 : profile.protocolUpgrade ?? 0, choice: () => ({ name: 'upgrade the protocol' }) },
    { chance: (profile.ledgerFault ?? 0) / 2, choice: () => ({ name: 'drop the transactions' }) },
    { chance: network.chain.protocol < MILLISECONDS_SINCE ? 0 : (profile.ledgerFault ?? 0) / 2, choice: () => ({ name: 'equal seconds' }) },
    { chance: profile.networkRestore, choice: () => ({ name: 'keep or put back' }) },
    { chance: profile.clockStep, choice: (roll) => ({ name: 'step the clock', hours: roll.integer(1, 30) }) },
    { chance: profile.night, choice: (roll) => ({ name: 'night', hours: roll.integer(1, 30) }) },
  ])
  switch (choice?.name) {
    case 'reset':
      endChain(state)
      await network.rpc.call('local_reset', {})
      state.snapshot = undefined
      break
    case 'redeploy':
      endChain(state)
      await network.rpc.call('local_reset', { generation: '2', newAddresses: true })
      state.snapshot = undefined
      break
    case 'upgrade':
      await network.rpc.call('local_upgrade', { contract: String(choice['contract']), build: String(choice['build']) })
      break
    case 'upgrade the protocol':
      await network.rpc.call('local_upgradeProtocol', { protocol: network.chain.protocol + 1 })
      break
    case 'drop the transactions':
      await network.rpc.call('local_fault', { name: 'dropped_transactions' })
      break
    case 'equal seconds':
      await network.rpc.call('local_fault', { name: 'equal_seconds', count: 2 })
      break
    case 'keep or put back':
      await snapshotOrRestore(state)
      break
    case 'step the clock':
      await network.rpc.call('local_advance', { seconds: Number(choice['hours']) * HOUR_SEC })
      break
    case 'night':
      await waitForResponses()
      clock.advance(Number(choice['hours']) * HOUR_SEC * 1000)
      break
    default:
  }
}

/** Builds of generation 2 that differ in their interface. */
const BUILDS = [
  ['market', '2.0'], ['market', '2.2'], ['market', '2.3'], ['vault', '2.0'], ['vault', '2.3'], ['vaultFactory', '2.0'], ['vaultFactory', '2.1'],
] as const

function upgradeOf(roll: Roll): Choice {
  const [contract, build] = BUILDS[roll.integer(0, BUILDS.length - 1)] ?? BUILDS[0]
  return { name: 'upgrade', contract, build }
}

/** May multiply one price or all of them; the price then continues from there. */
export async function movePrices({ decisions, profile, network, clock }: NetworkState): Promise<void> {
  const jumpOf = (roll: Roll): Choice => ({ name: 'jump', asset: ASSET_SYMBOLS[roll.integer(0, 13)] ?? 'BTC', percent: roll.integer(80, 125) })
  const crashOf = (roll: Roll): Choice => ({ name: 'crash', percent: roll.integer(60, 140) })
  const choice = decisions.decide('price', [{ chance: profile.priceJump, choice: jumpOf }, { chance: profile.priceJump / 4, choice: crashOf }])
  if (choice === undefined) return
  const transport: Transport = async (_url, body) => {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown }
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: await network.rpc.call(method, params) }) }
  }
  const rpc = createRpc({ urls: ['http://undisturbed'], clock, random: createSeededRandom('prices'), log: silentLog, transport })
  for (const asset of choice.name === 'crash' ? ASSET_SYMBOLS : [String(choice['asset'])]) {
    const { price } = await readShimPrice(rpc, { shim: network.contracts.oracleShim, asset })
    await network.rpc.call('local_setPrice', { asset, price: String((price * BigInt(Number(choice['percent']))) / 100n) })
    await network.rpc.call('local_releasePrice', { asset })
  }
}

/** Saves the network, or restores the saved one. Does not restore a snapshot so new that the index could miss the restore between two polls. */
async function snapshotOrRestore(state: NetworkState): Promise<void> {
  const { network, profile, snapshot, clock } = state
  if (snapshot === undefined) {
    state.snapshot = (await network.rpc.call('local_snapshot', {})) as { id: string; ledger: number }
    return
  }
  if (network.chain.history.latest().sequence - snapshot.ledger <= 2 * Math.ceil(1 / profile.pollsPerLedger)) return
  // A new ledger with the number and the close time of an old one differs only in its hash, which the indexer checks every few minutes.
  const { history, clockOffsetSec } = network.chain
  if (nowSec(clock) + clockOffsetSec <= (history.ledger(snapshot.ledger + 1)?.closeTimeSec ?? 0)) return
  endChain(state)
  await network.rpc.call('local_restore', { id: snapshot.id })
}

/** Keeps what the chain contains, before another one replaces it. */
function endChain({ chains, truth, network }: NetworkState): void {
  chains.push(readChainEvents(network))
  truth.endChain()
}

/** All events of the exchange since the network's first ledger. Upgrades are not events of the exchange. */
export function readChainEvents({ chain, contracts }: LocalNetwork): ChainEvents {
  const contractIds = EVENT_CONTRACT_KEYS.map((key) => contracts[key])
  const untilLedger = chain.history.latest().sequence + 1
  assert.ok(chain.history.oldest().sequence <= 2, 'the simulation exceeds the retention window: the first ledgers are gone')
  const events = chain.history.events({ afterId: null, fromLedger: 0, untilLedger, contractIds })
  return [...events].filter(({ successful, type }) => successful && type === 'contract')
}

/** The open positions of the market by id, from the entries of all ids that it assigned. */
export async function readOpenPositions({ rpc, contracts }: LocalNetwork): Promise<ReadonlyMap<number, MarketPosition>> {
  const keyOf = (name: string, argument?: Val): string => contractDataKey(contracts.market, storageKey(name, argument))
  const read = async (keys: readonly string[]): Promise<ReadonlyMap<string, Val>> => {
    const { entries } = (await rpc.call('getLedgerEntries', { keys })) as { entries: readonly { key: string; xdr: string }[] }
    return new Map(entries.map(({ key, xdr }) => [key, contractDataValue(xdr)]))
  }
  const counter = (await read([keyOf('PositionCounter')])).get(keyOf('PositionCounter'))
  const last = counter === undefined ? 0 : Number(asU64(counter))
  const open = new Map<number, MarketPosition>()
  for (let from = 1; from <= last; from += KEYS_MAX) {
    const ids = Array.from({ length: Math.min(KEYS_MAX, last - from + 1) }, (_value, index) => from + index)
    const found = await read(ids.map((id) => keyOf('Position', u64(BigInt(id)))))
    for (const id of ids) {
      const entry = found.get(keyOf('Position', u64(BigInt(id))))
      if (entry !== undefined) open.set(id, positionOf(entry))
    }
  }
  return open
}

function positionOf(entry: Val): MarketPosition {
  return {
    trader: asAddress(fieldOf(entry, 'trader')),
    asset: asSymbol(fieldOf(entry, 'asset')),
    direction: asU32(fieldOf(entry, 'direction')),
    size: String(asI128(fieldOf(entry, 'size'))),
    entryPrice: String(asI128(fieldOf(entry, 'entry_price'))),
  }
}
