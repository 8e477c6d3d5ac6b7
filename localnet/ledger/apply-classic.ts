// Applies the supported classic operations: accounts, payments, trustlines, data, sequence numbers, signers.

import type { xdr } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { keyBytes } from '../scval.ts'
import { accountAddress, issuerOf } from './addresses.ts'
import { availableBalance, minimumBalance } from './classic-balances.ts'
import { createAccountEntry, createTrustlineEntry, findAccount, findTrustline, putAccountEntry } from './classic-entries.ts'
import { paymentEvent } from './classic-events.ts'
import { INT64_MAX, SIGNERS_MAX, SUBENTRIES_MAX } from './constants.ts'
import type { AccountEntry, Signer } from './entries.ts'
import { assetText } from './entry-decoder.ts'
import type { Operation } from './envelope.ts'
import type { HostEvent } from './host-events.ts'
import { dataKey, trustlineKey } from './keys.ts'
import { destinationOf } from './operation-checks.ts'
import { OP_CODES, operationResult, type OperationResult } from './results.ts'
import type { Layer } from './state.ts'
import { createLedgerEntry } from './ledger-entry.ts'

export interface ClassicContext {
  readonly layer: Layer
  readonly networkId: Uint8Array
  readonly sequence: number
  readonly closeTimeSec: number
  readonly memo: xdr.Memo
}

export interface ClassicOutcome {
  readonly result: OperationResult
  readonly events: readonly HostEvent[]
}

const withoutEvents = (result: OperationResult): ClassicOutcome => ({ result, events: [] })

/** Applies an operation that passed validation. */
export function applyClassic(context: ClassicContext, operation: Operation): ClassicOutcome {
  const source = findAccount(context.layer, operation.source)
  if (source === undefined) return withoutEvents({ kind: 'noAccount' })
  const { body } = operation
  switch (body.type) {
    case 'createAccount':
      return createAccount(context, source, body.createAccountOp)
    case 'payment':
      return applyPayment(context, source, body.paymentOp)
    case 'changeTrust':
      return withoutEvents(changeTrust(context, source, body.changeTrustOp))
    case 'manageData':
      return withoutEvents(manageData(context, source, body.manageDataOp))
    case 'bumpSequence':
      return withoutEvents(bumpSequence(context, source, body.bumpSequenceOp.bumpTo))
    case 'setOptions':
      return withoutEvents(setOptions(context, source, body.setOptionsOp))
    default:
      return withoutEvents({ kind: 'notSupported' })
  }
}

function createAccount(context: ClassicContext, source: AccountEntry, op: xdr.CreateAccountOp): ClassicOutcome {
  const { layer, sequence, networkId, memo } = context
  const codes = OP_CODES.createAccount
  const destination = accountAddress(keyBytes(op.destination))
  const amount = op.startingBalance
  if (findAccount(layer, destination) !== undefined) return withoutEvents(operationResult('createAccount', codes.alreadyExists))
  if (amount < minimumBalance(0)) return withoutEvents(operationResult('createAccount', codes.lowReserve))
  if (availableBalance(source) < amount) return withoutEvents(operationResult('createAccount', codes.underfunded))
  putAccountEntry(layer, { ...source, balance: source.balance - amount }, sequence)
  putAccountEntry(layer, createAccountEntry(destination, amount, sequence), sequence)
  const event = paymentEvent({ networkId, asset: 'native', from: source.account, to: destination, amount, memo, toMuxedId: null })
  return { result: operationResult('createAccount', OP_CODES.success), events: [event] }
}

function applyPayment(context: ClassicContext, source: AccountEntry, op: xdr.PaymentOp): ClassicOutcome {
  const { networkId, memo } = context
  const asset = assetText(op.asset)
  const to = destinationOf(op).account
  const code = asset === 'native' ? payNative(context, source, to, op.amount) : payCredit(context, source.account, to, asset, op.amount)
  if (code !== OP_CODES.success) return withoutEvents(operationResult('payment', code))
  const toMuxedId = op.destination.type === 'keyTypeMuxedEd25519' ? op.destination.med25519.id : null
  const event = paymentEvent({ networkId, asset, from: source.account, to, amount: op.amount, memo, toMuxedId })
  return { result: operationResult('payment', OP_CODES.success), events: [event] }
}

function payNative({ layer, sequence }: ClassicContext, source: AccountEntry, to: string, amount: bigint): number {
  const codes = OP_CODES.payment
  const destination = findAccount(layer, to)
  if (destination === undefined) return codes.noDestination
  // A payment to oneself succeeds without effect.
  if (to === source.account) return OP_CODES.success
  if (destination.balance + amount > INT64_MAX) return codes.lineFull
  if (availableBalance(source) < amount) return codes.underfunded
  putAccountEntry(layer, { ...source, balance: source.balance - amount }, sequence)
  putAccountEntry(layer, { ...destination, balance: destination.balance + amount }, sequence)
  return OP_CODES.success
}

function payCredit({ layer, sequence }: ClassicContext, from: string, to: string, asset: string, amount: bigint): number {
  const codes = OP_CODES.payment
  const issuer = issuerOf(asset)
  if (to !== issuer) {
    if (findAccount(layer, to) === undefined) return codes.noDestination
    const line = findTrustline(layer, to, asset)
    if (line === undefined) return codes.noTrust
    if (line.balance + amount > line.limit) return codes.lineFull
    layer.put(trustlineKey(to, asset), createLedgerEntry({ ...line, balance: line.balance + amount }, sequence, null))
  }
  if (from !== issuer) {
    const line = findTrustline(layer, from, asset)
    if (line === undefined) return codes.srcNoTrust
    if (line.balance < amount) return codes.underfunded
    layer.put(trustlineKey(from, asset), createLedgerEntry({ ...line, balance: line.balance - amount }, sequence, null))
  }
  return OP_CODES.success
}

/** Returns the reason why an account cannot have another subentry; undefined when it can. */
function subentryProblem(account: AccountEntry): 'too-many' | 'low-reserve' | undefined {
  if (account.subEntries >= SUBENTRIES_MAX) return 'too-many'
  return account.balance < minimumBalance(account.subEntries + 1) ? 'low-reserve' : undefined
}

function changeTrust({ layer, sequence }: ClassicContext, source: AccountEntry, op: xdr.ChangeTrustOp): OperationResult {
  const codes = OP_CODES.changeTrust
  const asset = assetText(op.line)
  const key = trustlineKey(source.account, asset)
  const line = findTrustline(layer, source.account, asset)
  if (line !== undefined) {
    if (op.limit < line.balance) return operationResult('changeTrust', codes.invalidLimit)
    if (op.limit === 0n) {
      layer.remove(key)
      putAccountEntry(layer, { ...source, subEntries: source.subEntries - 1 }, sequence)
    } else {
      layer.put(key, createLedgerEntry({ ...line, limit: op.limit }, sequence, null))
    }
    return operationResult('changeTrust', OP_CODES.success)
  }
  if (op.limit === 0n) return operationResult('changeTrust', codes.invalidLimit)
  if (findAccount(layer, defined(issuerOf(asset), 'the issuer of a credit asset')) === undefined) return operationResult('changeTrust', codes.noIssuer)
  const problem = subentryProblem(source)
  if (problem !== undefined) return problem === 'too-many' ? { kind: 'tooManySubentries' } : operationResult('changeTrust', codes.lowReserve)
  layer.put(key, createLedgerEntry(createTrustlineEntry(source.account, asset, 0n, op.limit), sequence, null))
  putAccountEntry(layer, { ...source, subEntries: source.subEntries + 1 }, sequence)
  return operationResult('changeTrust', OP_CODES.success)
}

function manageData({ layer, sequence }: ClassicContext, source: AccountEntry, op: xdr.ManageDataOp): OperationResult {
  const codes = OP_CODES.manageData
  const name = op.dataName.toString()
  const key = dataKey(source.account, name)
  const exists = layer.get(key) !== undefined
  if (op.dataValue === null) {
    if (!exists) return operationResult('manageData', codes.nameNotFound)
    layer.remove(key)
    putAccountEntry(layer, { ...source, subEntries: source.subEntries - 1 }, sequence)
    return operationResult('manageData', OP_CODES.success)
  }
  if (!exists) {
    const problem = subentryProblem(source)
    if (problem !== undefined) return problem === 'too-many' ? { kind: 'tooManySubentries' } : operationResult('manageData', codes.lowReserve)
    putAccountEntry(layer, { ...source, subEntries: source.subEntries + 1 }, sequence)
  }
  layer.put(key, createLedgerEntry({ kind: 'data', account: source.account, name, value: op.dataValue.value }, sequence, null))
  return operationResult('manageData', OP_CODES.success)
}

function bumpSequence({ layer, sequence, closeTimeSec }: ClassicContext, source: AccountEntry, bumpTo: bigint): OperationResult {
  if (bumpTo > source.seqNum) {
    putAccountEntry(layer, { ...source, seqNum: bumpTo, seqLedger: sequence, seqTimeSec: closeTimeSec }, sequence)
  }
  return operationResult('bumpSequence', OP_CODES.success)
}

function setOptions({ layer, sequence }: ClassicContext, source: AccountEntry, op: xdr.SetOptionsOp): OperationResult {
  const [master, low, medium, high] = source.thresholds
  const changed: AccountEntry = {
    ...source,
    homeDomain: op.homeDomain?.toString() ?? source.homeDomain,
    thresholds: [op.masterWeight ?? master, op.lowThreshold ?? low, op.medThreshold ?? medium, op.highThreshold ?? high],
  }
  const signed = op.signer === null ? changed : withSigner(changed, op.signer)
  if (typeof signed === 'number') return operationResult('setOptions', signed)
  putAccountEntry(layer, signed, sequence)
  return operationResult('setOptions', OP_CODES.success)
}

/** The account with the signer added, changed or removed (weight 0); a failure code when that is not allowed. */
function withSigner(account: AccountEntry, signerXdr: xdr.Signer): AccountEntry | number {
  const codes = OP_CODES.setOptions
  if (signerXdr.key.type !== 'signerKeyTypeEd25519') return codes.badSigner
  const signer: Signer = { key: accountAddress(signerXdr.key.ed25519.value), weight: signerXdr.weight }
  const others = account.signers.filter(({ key }) => key !== signer.key)
  const existed = others.length < account.signers.length
  if (signer.weight === 0) return { ...account, signers: others, subEntries: account.subEntries - (existed ? 1 : 0) }
  if (!existed) {
    if (account.signers.length >= SIGNERS_MAX) return codes.tooManySigners
    if (subentryProblem(account) !== undefined) return codes.lowReserve
  }
  const signers = [...others, signer].sort((a, b) => (a.key < b.key ? -1 : 1))
  return { ...account, signers, subEntries: account.subEntries + (existed ? 0 : 1) }
}
