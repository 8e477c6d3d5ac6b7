// The local network's ledger: one process, one writer, every call synchronous.

import { xdr } from '@stellar/stellar-sdk'
import { defined } from '../src/base/assert.ts'
import { createCache } from '../src/base/cache.ts'
import type { Chain, ChainOptions, Genesis, LedgerEntryResult } from './chain.ts'
import { networkIdOf } from './ledger/addresses.ts'
import { closeLedger } from './ledger/close.ts'
import { type CodeRegistry, createCodeRegistry, type ModuleLabels } from './ledger/code-registry.ts'
import { type ChainSnapshot, type ChainStore, type Closing, closeTimeSecOf, type Head, openChainStore } from './ledger/chain-store.ts'
import { BASE_FEE_STROOPS, SNAPSHOTS_MAX } from './ledger/constants.ts'
import { type Envelope, feeOf, feeSourceOf } from './ledger/envelope.ts'
import { buildGenesisLayer, creditBalance, updateContracts } from './ledger/genesis-state.ts'
import { hasExpired } from './ledger/host-storage.ts'
import { instanceKey, isTemporaryKey } from './ledger/keys.ts'
import { nextCloseTimeMs } from './ledger/close-time.ts'
import { requireStartProtocol, requireUpgrade } from './ledger/protocol.ts'
import { createQueue } from './ledger/queue.ts'
import { sendEnvelope } from './ledger/send.ts'
import { simulate } from './ledger/simulate.ts'
import { createLayer, findEntry } from './ledger/state.ts'
import { dataOf } from './ledger/ledger-entry.ts'
import { createValidator } from './ledger/validator.ts'
import { validateTransaction } from './ledger/validity.ts'
import { toBase64 } from './ledger/xdr-writer.ts'

/**
 * Opens the chain in `options.directory`, or starts it from genesis. Throws Error when another process uses the directory, or when it contains
 * another network's chain.
 */
export function createChain(options: ChainOptions): Chain {
  const { clock, networkPassphrase, ledgerFaults = () => [] } = options
  const genesisOf = options.genesisOf ?? (() => options.genesis)
  const networkId = networkIdOf(networkPassphrase)
  requireStartProtocol(options.protocol)
  const store = openChainStore(options.directory, options.retentionLedgers, createValidator(networkPassphrase))
  let genesis = store.genesisLabel === undefined ? options.genesis : genesisOf(store.genesisLabel)
  let codes = createCodeRegistry(genesis)
  const queue = createQueue(BigInt(BASE_FEE_STROOPS))
  const random = options.random.fork('simulation')
  const listeners = new Set<(sequence: number) => void>()
  const snapshots = createSnapshots(store)

  const head = (): Head => defined(store.head(), 'the latest ledger')
  /** The ledger's clock. */
  const ledgerMs = (): number => clock.nowMs() + store.clockOffsetSec * 1_000

  function useGenesis(next: Genesis): void {
    genesis = next
    codes = createCodeRegistry(next)
  }

  /** Starts an empty chain and closes its first ledger with the genesis state. */
  function startChain(previousCloseSec: number, protocol: number): void {
    store.setSetting(contractsSetting(genesis), addressesOf(genesis).join(' '))
    store.reset(genesis.label ?? '')
    const closing: Closing = { closeTimeMs: nextCloseTimeMs(ledgerMs(), previousCloseSec, protocol), protocol, upgradeTo: null, dropped: null }
    const layer = buildGenesisLayer(store.state, genesis, codes, networkId, closeTimeSecOf(closing))
    store.append({ layer, transactions: [], evicted: [], feesCollected: 0n }, closing)
  }

  function closeNextLedger(upgradeTo: number | null = null): number {
    const before = head()
    const { protocol } = before
    const sequence = before.sequence + 1
    const faults = ledgerFaults(before)
    const closeTimeMs = faults.includes('equal_seconds') ? before.closeTimeMs + 1 : nextCloseTimeMs(ledgerMs(), closeTimeSecOf(before), protocol)
    const closeTimeSec = closeTimeSecOf({ closeTimeMs })
    const { envelopes, baseFee } = queue.selectTransactions()
    const { valid, invalid } = dropInvalid(store, envelopes, sequence, closeTimeSec)
    const expired = store.state.expired(sequence)
    const isDropped = faults.includes('dropped_transactions')
    const applied = isDropped ? [] : valid
    const closed = closeLedger({ codes, networkId, sequence, closeTimeSec, state: store.state, envelopes: applied, baseFee, expired })
    store.append(closed, { closeTimeMs, protocol, upgradeTo, dropped: isDropped ? valid : null })
    queue.ledgerClosed(isDropped ? [] : [...valid, ...invalid])
    for (const listener of listeners) listener(sequence)
    return sequence
  }

  try {
    openOrStartChain(store, options, genesis, codes, () => startChain(0, options.protocol))
  } catch (error) {
    store[Symbol.dispose]()
    throw error
  }

  return {
    networkPassphrase,
    history: store.history,
    entries: (keysXdr) => readEntries(store, keysXdr),
    simulate(params) {
      const latest = head()
      return simulate({ view: store.state, codes, networkId, sequence: latest.sequence, closeTimeSec: closeTimeSecOf(latest), random }, params)
    },
    send(envelopeXdr) {
      const latest = head()
      const context = { queue, view: store.state, networkId, nextSequence: latest.sequence + 1, lastCloseTimeSec: closeTimeSecOf(latest) }
      return sendEnvelope(context, envelopeXdr)
    },
    pending: () => queue.size,
    closeLedger: () => closeNextLedger(),
    get protocol() {
      return head().protocol
    },
    upgradeProtocol(protocol, isUnreleasedAllowed = false) {
      requireUpgrade(head().protocol, protocol, isUnreleasedAllowed)
      return closeNextLedger(protocol)
    },
    get clockOffsetSec() {
      return store.clockOffsetSec
    },
    advance: (seconds) => store.setClockOffset(store.clockOffsetSec + seconds),
    onClose(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    grant(account, asset, amount) {
      const layer = createLayer(store.state)
      creditBalance(layer, account, asset, amount, head().sequence)
      store.changeState(layer.changes())
    },
    snapshot: () => snapshots.take(),
    restore(id) {
      const snapshot = snapshots.find(id)
      store.restore(snapshot)
      useGenesis(genesisOf(snapshot.genesisLabel))
      queue.clear()
    },
    reset({ genesisLabel, protocol = options.protocol } = {}) {
      requireStartProtocol(protocol)
      const previousSec = closeTimeSecOf(head())
      if (genesisLabel !== undefined) useGenesis(genesisOf(genesisLabel))
      queue.clear()
      startChain(previousSec, protocol)
    },
    get genesisLabel() {
      return genesis.label ?? ''
    },
    setting: (name) => store.setting(name),
    setSetting: (name, value) => store.setSetting(name, value),
    codeOf(contract) {
      const entry = findEntry(store.state, instanceKey(contract))
      return entry?.kind === 'instance' ? codes.codeOf(entry) : undefined
    },
    [Symbol.dispose]: () => store[Symbol.dispose](),
  }
}

/** The snapshots of a chain, by id. Taking one too many drops the oldest. */
function createSnapshots(store: ChainStore): { take(): string; find(id: string): ChainSnapshot } {
  // Only peeked at, so that the oldest is dropped.
  const snapshots = createCache<string, ChainSnapshot>(SNAPSHOTS_MAX)
  let taken = 0
  return {
    take() {
      const id = `snapshot-${++taken}`
      snapshots.set(id, store.snapshot())
      store.retainSnapshots([...snapshots.values()])
      return id
    },
    find(id) {
      const snapshot = snapshots.peek(id)
      if (snapshot === undefined) throw new RangeError(`Unknown snapshot: ${id}`)
      return snapshot
    },
  }
}

const addressesOf = ({ contracts }: Genesis): readonly string[] => contracts.map(({ address }) => address)

/** The setting with the addresses of a genesis. */
const contractsSetting = ({ label = '' }: Genesis): string => (label === '' ? 'contracts' : `contracts ${label}`)

/** Continues the stored chain when it belongs to this network; starts an empty store from genesis. */
function openOrStartChain(store: ChainStore, options: ChainOptions, genesis: Genesis, codes: CodeRegistry, startChain: () => void): void {
  const { networkPassphrase } = options
  const labels: ModuleLabels = JSON.parse(store.setting('modules') ?? '{}')
  const addresses = addressesOf(genesis)
  const head = store.head()
  if (head === undefined) {
    startChain()
  } else {
    const storedContracts = (store.setting(contractsSetting(genesis)) ?? '').split(' ')
    const belongsToOther = store.setting('networkPassphrase') !== networkPassphrase || storedContracts.some((address) => !addresses.includes(address))
    if (belongsToOther) {
      throw new Error(`${options.directory ?? 'memory'} contains another network's chain. Use another directory, or empty this one.`)
    }
    const layer = createLayer(store.state)
    updateContracts(layer, genesis, codes, labels, head.sequence)
    if (layer.changes().size > 0) store.changeState(layer.changes())
  }
  store.setSetting('networkPassphrase', networkPassphrase)
  store.setSetting(contractsSetting(genesis), addresses.join(' '))
  store.setSetting('modules', JSON.stringify({ ...labels, ...codes.labels }))
}

/** Validates queued transactions again at close. Each payer must be able to pay the fees of all of its transactions. */
function dropInvalid(
  store: ChainStore,
  envelopes: readonly Envelope[],
  sequence: number,
  closeTimeSec: number,
): { readonly valid: readonly Envelope[]; readonly invalid: readonly Envelope[] } {
  const valid: Envelope[] = []
  const invalid: Envelope[] = []
  const fees = new Map<string, bigint>()
  for (const envelope of envelopes) {
    const queuedFees = (account: string): bigint => fees.get(account) ?? 0n
    const failure = validateTransaction(envelope, { view: store.state, sequence, closeTimeSec, admission: false, applying: false, queuedFees })
    if (failure !== null) {
      invalid.push(envelope)
      continue
    }
    valid.push(envelope)
    const payer = feeSourceOf(envelope)
    fees.set(payer, queuedFees(payer) + feeOf(envelope))
  }
  return { valid, invalid }
}

function readEntries(store: ChainStore, keysXdr: readonly string[]): readonly LedgerEntryResult[] {
  const sequence = store.head()?.sequence ?? 0
  const entries: LedgerEntryResult[] = []
  keysXdr.forEach((keyXdr, index) => {
    const key = canonicalKey(keyXdr, index)
    const ledgerEntry = store.state.get(key)
    if (ledgerEntry === undefined) return
    const expired = hasExpired(ledgerEntry, sequence)
    if (expired && isTemporaryKey(key)) return
    entries.push({
      keyXdr: key,
      dataXdr: toBase64(dataOf(ledgerEntry)),
      lastModifiedLedgerSeq: ledgerEntry.lastModified,
      // Archived entries are returned with liveUntilLedgerSeq 0.
      liveUntilLedgerSeq: expired ? 0 : ledgerEntry.liveUntil,
    })
  })
  return entries
}

function canonicalKey(keyXdr: string, index: number): string {
  try {
    return xdr.LedgerKey.fromXdr(keyXdr, 'base64').toXdr('base64')
  } catch (cause) {
    throw new RangeError(`cannot unmarshal key value ${keyXdr} at index ${index}`, { cause })
  }
}
