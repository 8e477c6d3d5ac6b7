// A client of the network's JSON-RPC for one account. It builds, simulates, signs and sends one transaction at a time, and polls its outcome once per
// ledger. It does not depend on the network running in the same process.

import { StrKey, xdr } from '@stellar/stellar-sdk'
import { exceededDeclaration, failedContractCode, fieldIn, listIn, resultName, simulatedContractCode, stringIn } from './responses.ts'
import { buildInvocation, signTransaction, sourceAuth } from './envelope.ts'
import type { Assembly, Invocation, TransactionBounds, SignedEnvelope } from './envelope.ts'
import { extendFootprint } from './footprints.ts'
import type { Identity } from './identity.ts'
import type { ExchangeParties } from '../../src/exchange/contracts/footprint-keys.ts'

/** Calls one method. Throws when the node returns an error or is unreachable. */
export type Transport = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The latest ledger. */
export interface LedgerView {
  readonly sequence: number
  readonly closeTimeSec: number
}

/** The result of an attempt to send. */
export type SendResult =
  | { readonly kind: 'sent' }
  /** The simulation failed, or the node rejected the transaction. `code` is the contract code of a contract's error. */
  | { readonly kind: 'refused'; readonly code: number | null; readonly reason: string }
  /** Not sent, may be retried: another transaction is pending, the account is missing, or the sequence is wrong. */
  | { readonly kind: 'later'; readonly reason: string }

/** The state of the pending transaction; `idle` without one. */
export type Settlement =
  | { readonly kind: 'idle' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'applied'; readonly ledger: number }
  /** `isOutdated`: for a reason of the host, such as an entry outside of the footprint, which a new simulation can repair. */
  | { readonly kind: 'failed'; readonly code: number | null; readonly reason: string; readonly isOutdated: boolean }

/** Options for sending a call. */
export interface SendOptions {
  /**
   * Calls with the same name use the same entries in every state and need only the sender's authorization. They share a simulation once two in a row wrote
   * the same number of bytes, until one fails.
   */
  readonly footprintName?: string
}

/** One account's access to the network. */
export interface Client {
  readonly address: string
  /** Sends one call; returns `later` while a transaction is pending. Throws what the transport throws before anything was sent. */
  invoke(invocation: Invocation, view: LedgerView, options?: SendOptions): Promise<SendResult>
  /** Polls the pending transaction. It has failed when no ledger can include it anymore. */
  settle(view: LedgerView): Promise<Settlement>
  /** LedgerEntryData (base64) by LedgerKey (base64), without missing entries. */
  readEntries(keysXdr: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Drops the pending transaction and all cached state, after the network was restored or reset. */
  forget(): void
}

/** Maximum wait of a transaction for a ledger. */
const VALID_SEC = 60
/** The limit of getLedgerEntries. */
const KEYS_PER_REQUEST = 200

type InFlight = SignedEnvelope & { readonly maxTimeSec: number; readonly footprintName: string | undefined }

/** Builds the client of one account. Its calls of the exchange's contracts also declare what they may touch after prices and ids have changed. */
export function createClient(options: {
  identity: Identity
  networkPassphrase: string
  transport: Transport
  exchange?: ExchangeParties | undefined
}): Client {
  const { identity, networkPassphrase, transport, exchange } = options
  const accountKey = accountKeyXdr(identity.address)
  const footprints = new Map<string, { readonly data: xdr.SorobanTransactionData; readonly writeBytes: number; readonly isStable: boolean }>()
  let sequence: bigint | null = null
  let inFlight: InFlight | null = null

  async function readSequence(): Promise<bigint | null> {
    const entry = (await readEntries(transport, [accountKey])).get(accountKey)
    if (entry === undefined) return null
    const data = xdr.LedgerEntryData.fromXdr(entry, 'base64')
    return data.type === 'account' ? data.account.seqNum : null
  }

  async function assemble(
    invocation: Invocation, placement: TransactionBounds, { sequence: latest }: LedgerView, name: string | undefined,
  ): Promise<Assembly | SendResult> {
    const known = name === undefined ? undefined : footprints.get(name)
    if (known?.isStable === true) return { auth: [sourceAuth(invocation)], data: known.data }
    const draft = buildInvocation(identity.address, invocation, placement, null)
    const simulation = readSimulation(await transport('simulateTransaction', { transaction: draft.toEnvelope().toXdr('base64') }))
    if ('kind' in simulation) return simulation
    const call = { ...invocation, caller: identity.address }
    const data = await extendFootprint(simulation.data, call, exchange, latest, (keys) => readLifetimes(transport, keys))
    const { writeBytes } = simulation.data.resources
    if (name !== undefined) footprints.set(name, { data, writeBytes, isStable: known?.writeBytes === writeBytes })
    return { ...simulation, data }
  }

  async function send(envelope: InFlight): Promise<SendResult> {
    let response: unknown
    try {
      response = await transport('sendTransaction', { transaction: envelope.envelopeXdr })
    } catch {
      // The node may have received it. `settle` looks it up by its hash and sends the same envelope again.
      return { kind: 'sent' }
    }
    if (stringIn(response, 'status') !== 'ERROR') return { kind: 'sent' }
    const reason = resultName(stringIn(response, 'errorResultXdr'))
    return reason === 'txBadSeq' ? { kind: 'later', reason } : { kind: 'refused', code: null, reason }
  }

  /** Drops the pending transaction, and the cached sequence and footprint, which may be wrong. */
  function abandon(envelope: InFlight): void {
    inFlight = null
    sequence = null
    if (envelope.footprintName !== undefined) footprints.delete(envelope.footprintName)
  }

  async function invoke(invocation: Invocation, view: LedgerView, { footprintName }: SendOptions = {}): Promise<SendResult> {
    if (inFlight !== null) return { kind: 'later', reason: 'a transaction is pending' }
    sequence ??= await readSequence()
    if (sequence === null) return { kind: 'later', reason: 'the account does not exist' }
    const placement = { networkPassphrase, sequence, maxTimeSec: view.closeTimeSec + VALID_SEC }
    const assembly = await assemble(invocation, placement, view, footprintName)
    if ('kind' in assembly) return assembly
    const transaction = buildInvocation(identity.address, invocation, placement, assembly)
    const envelope = { ...signTransaction(transaction, identity), maxTimeSec: placement.maxTimeSec, footprintName }
    const response = await send(envelope)
    if (response.kind === 'sent') inFlight = envelope
    else abandon(envelope)
    return response
  }

  async function settle(view: LedgerView): Promise<Settlement> {
    if (inFlight === null) return { kind: 'idle' }
    const envelope = inFlight
    const response = await transport('getTransaction', { hash: envelope.hash })
    const status = stringIn(response, 'status')
    if (status === 'NOT_FOUND') {
      if (view.closeTimeSec > envelope.maxTimeSec) {
        abandon(envelope)
        return { kind: 'failed', code: null, reason: 'not included before its time limit', isOutdated: false }
      }
      const again = await send(envelope)
      if (again.kind === 'sent') return { kind: 'pending' }
      abandon(envelope)
      return { kind: 'failed', code: null, reason: again.reason, isOutdated: false }
    }
    if (status === 'SUCCESS') {
      inFlight = null
      sequence = sequence === null ? null : sequence + 1n
      return { kind: 'applied', ledger: Number(fieldIn(response, 'ledger')) }
    }
    abandon(envelope)
    const diagnostics = listIn(response, 'diagnosticEventsXdr')
    const reason = resultName(stringIn(response, 'resultXdr'))
    return { kind: 'failed', code: failedContractCode(diagnostics), reason, isOutdated: exceededDeclaration(diagnostics) }
  }

  return {
    address: identity.address,
    invoke,
    settle,
    readEntries: (keysXdr) => readEntries(transport, keysXdr),
    forget() {
      inFlight = null
      sequence = null
      footprints.clear()
    },
  }
}

async function readEntries(transport: Transport, keysXdr: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>()
  for (let start = 0; start < keysXdr.length; start += KEYS_PER_REQUEST) {
    const response = await transport('getLedgerEntries', { keys: keysXdr.slice(start, start + KEYS_PER_REQUEST) })
    for (const entry of listIn(response, 'entries')) entries.set(stringIn(entry, 'key'), stringIn(entry, 'xdr'))
  }
  return entries
}

async function readLifetimes(transport: Transport, keys: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
  if (keys.length === 0) return new Map()
  const response = await transport('getLedgerEntries', { keys })
  return new Map(listIn(response, 'entries').map((entry) => {
    const liveUntil = fieldIn(entry, 'liveUntilLedgerSeq')
    return [stringIn(entry, 'key'), typeof liveUntil === 'number' ? liveUntil : null]
  }))
}

function readSimulation(response: unknown): Assembly | SendResult {
  const error = fieldIn(response, 'error')
  if (typeof error === 'string') {
    return { kind: 'refused', code: simulatedContractCode(error), reason: error.split('\n', 1)[0] ?? error }
  }
  const [result] = listIn(response, 'results')
  return {
    auth: listIn(result, 'auth').map((entry) => xdr.SorobanAuthorizationEntry.fromXdr(String(entry), 'base64')),
    data: xdr.SorobanTransactionData.fromXdr(stringIn(response, 'transactionData'), 'base64'),
  }
}

/** The LedgerKey of an account, base64. */
export function accountKeyXdr(address: string): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(address))
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXdr('base64')
}
