// Lets a prepared transaction survive what changes until it is applied: prices, fee tiers, the ids that others use. It declares the entries that its call may
// touch in another state than the simulated one, with resources and a fee to match (docs/decisions/footprints.md).

import type { Clock } from '../../base/clock.ts'
import { findUndeclaredEntry, readAppliedCall } from '../../chain/codec/applied-call.ts'
import { readFootprint, replaceFootprint } from '../../chain/codec/footprint.ts'
import type { SimulatedFootprint } from '../../chain/codec/footprint.ts'
import { assetContract, instanceKey, instanceStorage } from '../../chain/codec/ledger-keys.ts'
import { NETWORK_SETTING_KEYS, readNetworkSettings } from '../../chain/rpc/network-settings.ts'
import type { HostError } from '../../chain/rpc/outcome.ts'
import type { LedgerEntry, SimulationResponse } from '../../chain/rpc/responses.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { structField } from '../../chain/codec/scval.ts'
import type { ScValue } from '../../chain/codec/scval.ts'
import { CONTRACT_KEYS } from '../../exchange/contracts/contracts.ts'
import type { CurrentDeployment, Deployment } from '../../exchange/deployment.ts'
import { bindVariables, coverCall, largestId } from '../../exchange/contracts/footprint-keys.ts'
import type { CallToCover, EntryKey, ExchangeParties } from '../../exchange/contracts/footprint-keys.ts'
import { TEST_NETWORK_SETTINGS, withHeadroom } from '../../exchange/contracts/resource-headroom.ts'
import type { AddedEntries, NetworkSettings } from '../../exchange/contracts/resource-headroom.ts'
import { createEntryStates, readEntries } from './entry-states.ts'
import type { EntryState, ReadOptions } from './entry-states.ts'
import { createKeyCodec } from './key-codec.ts'
import type { KeyCodec } from './key-codec.ts'
import { findOperation } from './intent.ts'
import { createLearnedEntries, createLearnedHeadroom } from './learned-footprints.ts'
import type { TouchedEntry } from './learned-footprints.ts'
import { createNextIds } from './next-ids.ts'

export interface Footprints {
  /** Reads what `extend` will need, at best while the call is simulated. Never rejects. */
  prefetch(call: CallToCover, options: ReadOptions): Promise<void>
  /**
   * The simulation with a larger footprint and more resources, within the network's limits. `extraFee` is by how much its resource fee exceeds the
   * simulated one, in stroops. Throws MalformedResponse for transaction data that does not decode.
   */
  extend(call: CallToCover, simulation: SimulationResponse, options: ReadOptions): Promise<ExtendedSimulation>
  /** Learns from a transaction that failed in a ledger because it used an entry that it did not declare, or more than it declared. */
  learnFailure(failed: FailedCall): void
}

interface FailedCall {
  /** Base64. */
  readonly envelopeXdr: string
  readonly diagnosticEventsXdr: readonly string[]
  readonly hostError: HostError
}

interface ExtendedSimulation {
  readonly simulation: SimulationResponse
  readonly extraFee: bigint
}

/** The treasury, the USDC asset and the network's settings are read again after this time. */
const DETAILS_TTL_MS = 60_000
/** At most this many entries are declared only because an earlier simulation touched them. */
const LEARNED_WRITES_MAX = 12

interface Details {
  readonly treasury: string | null
  readonly usdcAsset: string | null
  readonly settings: NetworkSettings
}

export function createFootprints(parts: { readonly rpc: Rpc; readonly clock: Clock; readonly deployment: CurrentDeployment }): Footprints {
  const { clock, deployment } = parts
  const codec = createKeyCodec()
  const states = createEntryStates(parts)
  const learned = createLearnedEntries()
  const headroom = createLearnedHeadroom(clock)
  const nextIds = createNextIds(clock)
  const readDetails = createDetailsReader(parts)
  deployment.subscribe((next, previous) => {
    if (hasOtherCode(next, previous)) learned.clear()
  })

  const partiesOf = ({ treasury, usdcAsset }: Details, { contracts, interfaces, targetOf }: Deployment): ExchangeParties & { readonly isKnown: boolean } => {
    const market = interfaces.market
    return { contracts, treasury, usdcAsset, generation: targetOf('market').generation, isKnown: market === null || market.generation !== null }
  }

  return {
    learnFailure({ envelopeXdr, diagnosticEventsXdr, hostError: { type, code } }) {
      if (code !== 'ExceededLimit' || (type !== 'Storage' && type !== 'Budget')) return
      const { current } = deployment
      const applied = readAppliedCall(envelopeXdr)
      const contract = applied === undefined ? undefined : current.contractOf(applied.contract)
      if (applied === undefined || contract === undefined || findOperation(applied.contract, applied.functionName, current) === null) return
      const call: CallToCover = { contract, functionName: applied.functionName, args: applied.args, caller: applied.source }
      const functionId = functionIdOf(call, current)
      if (type === 'Budget') return headroom.raise(functionId)
      const keyXdr = findUndeclaredEntry(diagnosticEventsXdr)
      const key = keyXdr === undefined ? undefined : codec.read(keyXdr)
      if (keyXdr === undefined || key === undefined) return
      const declared = [...applied.readOnly, ...applied.readWrite].map((declaredXdr) => codec.read(declaredXdr)).filter((entry) => entry !== undefined)
      learned.learn(functionId, [{ keyXdr, key, isWritten: true }], bindVariables(call, declared, partiesOf(UNKNOWN_DETAILS, current), 0))
    },
    async prefetch(call, options) {
      const parties = partiesOf(await readDetails(), deployment.current)
      const keys = coverCall(call, [], parties, 0).map(({ key }) => codec.write(key)).filter((key) => key !== undefined)
      await states.read(keys, options)
    },
    async extend(call, simulation, options) {
      const { transactionDataXdr } = simulation
      if (transactionDataXdr === null) return { simulation, extraFee: 0n }
      const simulated = readFootprint(transactionDataXdr)
      const touched = touchedEntries(simulated, codec)
      const touchedKeys = touched.map(({ key }) => key).filter((key) => key !== undefined)
      const { current } = deployment
      const details = await readDetails()
      const parties = partiesOf({ ...details, usdcAsset: details.usdcAsset ?? usdcAssetIn(touchedKeys, current) }, current)
      for (const [contract, name] of [[current.contracts.market, 'Position'], [current.contracts.market, 'Order']] as const) {
        const id = largestId(touchedKeys, contract, name)
        if (id !== undefined) nextIds.observe(`${contract} ${name}`, BigInt(id.value))
      }
      const count = nextIds.count()
      const values = bindVariables(call, touchedKeys, parties, count)
      const functionId = functionIdOf(call, current)
      const candidates = [
        ...coverCall(call, touchedKeys, parties, count).filter(({ isNextId }) => parties.isKnown || isNextId).map((entry) => ({ ...entry, isLearned: false })),
        ...learned.recall(functionId, values).map((entry) => ({ ...entry, isNextId: false, isLearned: true })),
      ].flatMap((entry): Candidate[] => {
        const keyXdr = 'keyXdr' in entry ? entry.keyXdr : codec.write(entry.key)
        return keyXdr === undefined ? [] : [{ ...entry, keyXdr }]
      })
      learned.learn(functionId, touched, values)
      const known = await states.read(candidates.filter(({ isNextId }) => !isNextId).map(({ keyXdr }) => keyXdr), options)
      const percent = headroom.percentOf(functionId)
      return extendSimulation({ simulation, transactionDataXdr, simulated, candidates, known, settings: details.settings, percent })
    },
  }
}

/** True if a contract was upgraded, by an event or by the entry that it refers to. */
function hasOtherCode(next: Deployment, previous: Deployment): boolean {
  return CONTRACT_KEYS.some((key) => previous.interfaces[key] !== null && previous.interfaces[key].wasmHash !== next.interfaces[key]?.wasmHash)
}

function functionIdOf({ contract, functionName }: CallToCover, { contracts }: Deployment): string {
  return `${contracts[contract]} ${functionName}`
}

interface Candidate {
  readonly keyXdr: string
  readonly isWritten: boolean
  readonly isNextId: boolean
  readonly isLearned: boolean
}

function touchedEntries({ readOnly, readWrite }: SimulatedFootprint, codec: KeyCodec): readonly TouchedEntry[] {
  const entry = (isWritten: boolean) => (keyXdr: string): TouchedEntry => ({ keyXdr, key: codec.read(keyXdr), isWritten })
  return [...readWrite.map(entry(true)), ...readOnly.map(entry(false))]
}

interface Extension {
  readonly simulation: SimulationResponse
  readonly transactionDataXdr: string
  readonly simulated: SimulatedFootprint
  readonly candidates: readonly Candidate[]
  readonly known: ReadonlyMap<string, EntryState>
  readonly settings: NetworkSettings
  /** Headroom of the resources. */
  readonly percent: number
}

function extendSimulation({ simulation, transactionDataXdr, simulated, candidates, known, settings, percent }: Extension): ExtendedSimulation {
  const { footprint, added } = addCandidates(simulated, candidates, { known, limits: settings.limits })
  const resources = withHeadroom(simulated.resources, added, settings, percent)
  return {
    simulation: { ...simulation, transactionDataXdr: replaceFootprint(transactionDataXdr, footprint, resources) },
    extraFee: resources.resourceFee - simulated.resources.resourceFee,
  }
}

/** Adds the candidates in order, as far as the network's limits allow. */
function addCandidates(
  simulated: SimulatedFootprint, candidates: readonly Candidate[],
  { known, limits }: { readonly known: ReadonlyMap<string, EntryState>; readonly limits: NetworkSettings['limits'] },
): { readonly footprint: Pick<SimulatedFootprint, 'readOnly' | 'readWrite'>; readonly added: AddedEntries } {
  const writes = new Set(simulated.readWrite)
  const reads = new Set(simulated.readOnly)
  const added = { entries: 0, nextIds: 0, created: 0, diskReads: 0, bytes: 0 }
  let learnedWrites = 0
  for (const { keyXdr, isWritten, isNextId, isLearned } of candidates) {
    const state = isNextId ? 'absent' : known.get(keyXdr)
    const isDeclared = writes.has(keyXdr) || (!isWritten && reads.has(keyXdr))
    if (isDeclared || state === undefined || state === 'archived') continue
    const isNew = !reads.has(keyXdr)
    if (isNew && writes.size + reads.size >= limits.footprintEntries) continue
    if (isWritten && (writes.size >= limits.writeEntries || (isLearned && learnedWrites >= LEARNED_WRITES_MAX))) continue
    if (isNew) {
      added.entries++
      added.bytes += Buffer.byteLength(keyXdr, 'base64')
      if (isTrustline(keyXdr)) added.diskReads++
    }
    if (!isWritten) {
      reads.add(keyXdr)
      continue
    }
    if (isLearned) learnedWrites++
    if (isNextId) added.nextIds++
    else if (state === 'absent') added.created++
    reads.delete(keyXdr)
    writes.add(keyXdr)
  }
  return { footprint: { readOnly: [...reads], readWrite: [...writes] }, added: { ...added, writes: writes.size - simulated.readWrite.length } }
}

/** The type of a LedgerKey is its first four bytes. */
const isTrustline = (keyXdr: string): boolean => keyXdr.startsWith('AAAAAQ')

/** The asset of the trustline that the USDC contract uses. */
function usdcAssetIn(keys: readonly EntryKey[], { contracts, passphrase }: Deployment): string | null {
  for (const key of keys) {
    if (key.kind === 'trustline' && assetContract(key.asset, passphrase) === contracts.usdcToken) return key.asset
  }
  return null
}

/** Reads who takes part in trades, and the network's settings, at most once a minute. Old values are used while they cannot be read. */
function createDetailsReader(parts: { readonly rpc: Rpc; readonly clock: Clock; readonly deployment: CurrentDeployment }) {
  const { clock, deployment } = parts
  let last: { readonly contracts: Deployment['contracts']; readonly atMs: number; readonly details: Promise<Details> } | undefined

  async function read(previous: Details): Promise<Details> {
    const { contracts, passphrase } = deployment.current
    const [marketKey, usdcKey] = [instanceKey(contracts.market), instanceKey(contracts.usdcToken)]
    const response = await readEntries(parts, [marketKey, usdcKey, ...NETWORK_SETTING_KEYS], {})
    if (response === undefined) return previous
    const storageAt = (key: string): ReadonlyMap<string, ScValue> | undefined => storageOf(response.entries, key)
    const treasury = storageAt(marketKey)?.get('Treasury')
    const metadata = storageAt(usdcKey)?.get('METADATA')
    const name = metadata === undefined ? undefined : structField(metadata, 'name')
    const isUsdc = name?.type === 'string' && assetContract(name.value ?? '', passphrase) === contracts.usdcToken
    return {
      treasury: treasury?.type === 'address' ? treasury.value : null,
      usdcAsset: isUsdc ? name.value : null,
      settings: readNetworkSettings(response.entries),
    }
  }

  return async (): Promise<Details> => {
    const { contracts } = deployment.current
    const isCurrent = last !== undefined && last.contracts === contracts && clock.elapsedMs() - last.atMs < DETAILS_TTL_MS
    if (last === undefined || !isCurrent) {
      const previous = last !== undefined && last.contracts === contracts ? await last.details : UNKNOWN_DETAILS
      last = { contracts, atMs: clock.elapsedMs(), details: read(previous) }
    }
    return last.details
  }
}

const UNKNOWN_DETAILS: Details = { treasury: null, usdcAsset: null, settings: TEST_NETWORK_SETTINGS }

function storageOf(entries: readonly LedgerEntry[], key: string): ReadonlyMap<string, ScValue> | undefined {
  const entry = entries.find(({ keyXdr }) => keyXdr === key)
  return entry === undefined ? undefined : instanceStorage(entry.dataXdr)
}
