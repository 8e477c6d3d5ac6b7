// A client of the network's JSON-RPC as anybody might write one: it builds, simulates, signs and sends one transaction at a time for its account and
// asks, ledger by ledger, what became of it. Nothing here knows that the network lives in the same process.

import { StrKey, xdr } from '@stellar/stellar-sdk'
import { failedContractCode, fieldIn, listIn, resultName, simulatedContractCode, stringIn } from './responses.ts'
import { buildInvocation, signTransaction, sourceAuth } from './envelope.ts'
import type { Assembly, Invocation, TransactionBounds, SignedEnvelope } from './envelope.ts'
import type { Identity } from './identity.ts'

/** Calls one method; throws when the node refuses or cannot be reached. */
export type Transport = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The ledger that was closed last, as everybody on the network knows it. */
export interface LedgerView {
  readonly sequence: number
  readonly closeTimeSec: number
}

/** What became of an attempt to send. */
export type SendResult =
  | { readonly kind: 'sent' }
  /** The contract or the host said no in the simulation; nothing was sent. `code` is the contract's, if it was a contract's. */
  | { readonly kind: 'refused'; readonly code: number | null; readonly reason: string }
  /** Not now: the node, the queue or the sequence were in the way. */
  | { readonly kind: 'later'; readonly reason: string }

/** What became of the transaction under way. */
export type Settlement =
  | { readonly kind: 'idle' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'applied'; readonly ledger: number }
  | { readonly kind: 'failed'; readonly code: number | null; readonly reason: string }

/** How a call is sent. */
export interface SendOptions {
  /**
   * Calls under one such name touch the same entries, whatever the ledger's state, and need nobody's agreement but the sender's own: the first one's
   * simulation serves them all, until one fails.
   */
  readonly footprintName?: string
}

/** One account's access to the network. */
export interface Client {
  readonly address: string
  /** Sends one call, unless a transaction is under way: then `later`. Throws only what the transport throws before anything was sent. */
  invoke(invocation: Invocation, view: LedgerView, options?: SendOptions): Promise<SendResult>
  /** Asks after the transaction under way; one that no ledger can bring any more has failed. */
  settle(view: LedgerView): Promise<Settlement>
  /** LedgerEntryData (base64) by LedgerKey (base64); missing entries are left out. */
  readEntries(keysXdr: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Forgets what was under way and what was known: the network is not the one it was. */
  forget(): void
}

/** How long a transaction may wait for its ledger. */
const VALID_SEC = 60
/** getLedgerEntries takes this many keys. */
const KEYS_PER_REQUEST = 200

type InFlight = SignedEnvelope & { readonly maxTimeSec: number; readonly footprintName: string | undefined }

/** Builds the client of one account. */
export function createClient(options: { identity: Identity; networkPassphrase: string; transport: Transport }): Client {
  const { identity, networkPassphrase, transport } = options
  const accountKey = accountKeyXdr(identity.address)
  const footprints = new Map<string, xdr.SorobanTransactionData>()
  let sequence: bigint | null = null
  let inFlight: InFlight | null = null

  async function readSequence(): Promise<bigint | null> {
    const entry = (await readEntries(transport, [accountKey])).get(accountKey)
    if (entry === undefined) return null
    const data = xdr.LedgerEntryData.fromXdr(entry, 'base64')
    return data.type === 'account' ? data.account.seqNum : null
  }

  async function assemble(invocation: Invocation, placement: TransactionBounds, name: string | undefined): Promise<Assembly | SendResult> {
    const known = name === undefined ? undefined : footprints.get(name)
    if (known !== undefined) return { auth: [sourceAuth(invocation)], data: known }
    const draft = buildInvocation(identity.address, invocation, placement, null)
    const assembly = readSimulation(await transport('simulateTransaction', { transaction: draft.toEnvelope().toXdr('base64') }))
    if (name !== undefined && 'data' in assembly) footprints.set(name, assembly.data)
    return assembly
  }

  async function send(envelope: InFlight): Promise<SendResult> {
    let answer: unknown
    try {
      answer = await transport('sendTransaction', { transaction: envelope.envelopeXdr })
    } catch {
      // Whether the node has it is not known: the hash tells, and settle sends the same envelope again.
      return { kind: 'sent' }
    }
    if (stringIn(answer, 'status') !== 'ERROR') return { kind: 'sent' }
    const reason = resultName(stringIn(answer, 'errorResultXdr'))
    return reason === 'txBadSeq' ? { kind: 'later', reason } : { kind: 'refused', code: null, reason }
  }

  /** Nothing is under way any more, and neither the sequence nor a footprint can be trusted. */
  function abandon(envelope: InFlight): void {
    inFlight = null
    sequence = null
    if (envelope.footprintName !== undefined) footprints.delete(envelope.footprintName)
  }

  async function invoke(invocation: Invocation, view: LedgerView, { footprintName }: SendOptions = {}): Promise<SendResult> {
    if (inFlight !== null) return { kind: 'later', reason: 'a transaction is under way' }
    sequence ??= await readSequence()
    if (sequence === null) return { kind: 'later', reason: 'the account does not exist' }
    const placement = { networkPassphrase, sequence, maxTimeSec: view.closeTimeSec + VALID_SEC }
    const assembly = await assemble(invocation, placement, footprintName)
    if ('kind' in assembly) return assembly
    const transaction = buildInvocation(identity.address, invocation, placement, assembly)
    const envelope = { ...signTransaction(transaction, identity), maxTimeSec: placement.maxTimeSec, footprintName }
    const answer = await send(envelope)
    if (answer.kind === 'sent') inFlight = envelope
    else abandon(envelope)
    return answer
  }

  async function settle(view: LedgerView): Promise<Settlement> {
    if (inFlight === null) return { kind: 'idle' }
    const envelope = inFlight
    const answer = await transport('getTransaction', { hash: envelope.hash })
    const status = stringIn(answer, 'status')
    if (status === 'NOT_FOUND') {
      if (view.closeTimeSec > envelope.maxTimeSec) {
        abandon(envelope)
        return { kind: 'failed', code: null, reason: 'no ledger took the transaction in time' }
      }
      const again = await send(envelope)
      if (again.kind === 'sent') return { kind: 'pending' }
      abandon(envelope)
      return { kind: 'failed', code: null, reason: again.reason }
    }
    if (status === 'SUCCESS') {
      inFlight = null
      sequence = sequence === null ? null : sequence + 1n
      return { kind: 'applied', ledger: Number(fieldIn(answer, 'ledger')) }
    }
    abandon(envelope)
    return { kind: 'failed', code: failedContractCode(listIn(answer, 'diagnosticEventsXdr')), reason: resultName(stringIn(answer, 'resultXdr')) }
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
    const answer = await transport('getLedgerEntries', { keys: keysXdr.slice(start, start + KEYS_PER_REQUEST) })
    for (const entry of listIn(answer, 'entries')) entries.set(stringIn(entry, 'key'), stringIn(entry, 'xdr'))
  }
  return entries
}

function readSimulation(answer: unknown): Assembly | SendResult {
  const error = fieldIn(answer, 'error')
  if (typeof error === 'string') {
    return { kind: 'refused', code: simulatedContractCode(error), reason: error.split('\n', 1)[0] ?? error }
  }
  const [result] = listIn(answer, 'results')
  return {
    auth: listIn(result, 'auth').map((entry) => xdr.SorobanAuthorizationEntry.fromXdr(String(entry), 'base64')),
    data: xdr.SorobanTransactionData.fromXdr(stringIn(answer, 'transactionData'), 'base64'),
  }
}

/** The LedgerKey of an account, base64. */
export function accountKeyXdr(address: string): string {
  const accountId = xdr.PublicKey.publicKeyTypeEd25519(StrKey.decodeEd25519PublicKey(address))
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId })).toXdr('base64')
}
