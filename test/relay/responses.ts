// RPC responses of a node, with XDR where the network uses it.

import { Account, Address, Asset, Contract, Keypair, Operation, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import { decodeEnvelope, networkIdOf } from '../../src/chain/codec/transaction.ts'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import type { NodeResponse, ScriptedResponse } from './scripted-node.ts'

export const PASSPHRASE = 'Test SDF Network ; September 2015'

/** Made-up addresses of the exchange's contracts. */
export const CONTRACTS = Object.fromEntries(
  CONTRACT_KEYS.map((key, index) => [key, new Address(contractOf(index)).toString()]),
) as unknown as ContractAddresses

export const STRANGER = contractOf(99)

function contractOf(index: number): string {
  return Address.contract(Buffer.alloc(32, index + 1)).toString()
}

export const TRADER = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(7))

/** A signed envelope per sequence number. It calls `contract`, or makes a payment when that is null. */
export function signedTransaction(sequence = 1, contract: string | null = CONTRACTS.market): SignedTransaction {
  const operation = contract === null
    ? Operation.payment({ destination: TRADER.publicKey(), asset: Asset.native(), amount: '1' })
    : new Contract(contract).call('close_position')
  const transaction = new TransactionBuilder(new Account(TRADER.publicKey(), String(sequence)), { fee: '100', networkPassphrase: PASSPHRASE })
    .addOperation(operation)
    .setTimeout(0)
    .build()
  transaction.sign(TRADER)
  const signed = decodeEnvelope(transaction.toXdr(), networkIdOf(PASSPHRASE))
  envelopes.set(signed.hash, signed.envelopeXdr)
  return signed
}

/** The envelopes of all signed transactions, by hash: a node returns them with the outcome. */
const envelopes = new Map<string, string>()

export const LATEST_LEDGER = 1_000

/** A response of sendTransaction. */
export function sendResponse(signed: SignedTransaction, status: string, more: object = {}): NodeResponse {
  return { result: { status, hash: signed.hash, latestLedger: LATEST_LEDGER, latestLedgerCloseTime: '1783339200', ...more } }
}

export function rejectionResponse(
  signed: SignedTransaction, result: xdr.TransactionResultResult = xdr.TransactionResultResult.txBadSeq(), feeCharged = 0n,
): NodeResponse {
  return sendResponse(signed, 'ERROR', { errorResultXdr: resultXdr(result, feeCharged) })
}

export function resultXdr(result: xdr.TransactionResultResult, feeCharged = 100n): string {
  return new xdr.TransactionResult({ feeCharged, result, ext: xdr.TransactionResultExt.v0() }).toXdr('base64')
}

/** The response of getTransaction for an unknown hash. */
export const NOT_FOUND: NodeResponse = { result: { status: 'NOT_FOUND', latestLedger: LATEST_LEDGER, ledger: 0, createdAt: '0' } }

export function applied(ledger = LATEST_LEDGER + 1): ScriptedResponse {
  return ({ hash }) => ({ result: { status: 'SUCCESS', latestLedger: ledger, ledger, ...record(hash, APPLIED_XDR) } })
}

/** Returns the fields that a node returns of a transaction besides its outcome. */
export function record(txHash: unknown, resultOfIt: string): object {
  return { envelopeXdr: envelopes.get(String(txHash)), resultXdr: resultOfIt }
}

/** The result of a call that succeeded. */
export const APPLIED_XDR = resultXdr(
  xdr.TransactionResultResult.txSuccess([
    xdr.OperationResult.opInner(xdr.OperationResultTr.invokeHostFunction(xdr.InvokeHostFunctionResult.invokeHostFunctionSuccess(new Uint8Array(32)))),
  ]),
)

export const TRAPPED_XDR = resultXdr(
  xdr.TransactionResultResult.txFailed([
    xdr.OperationResult.opInner(xdr.OperationResultTr.invokeHostFunction(xdr.InvokeHostFunctionResult.invokeHostFunctionTrapped())),
  ]),
)

export function failed(diagnosticEventsXdr: readonly string[], { ledger = LATEST_LEDGER + 1, result = TRAPPED_XDR } = {}): ScriptedResponse {
  return ({ hash }) => ({ result: { status: 'FAILED', latestLedger: ledger, ledger, ...record(hash, result), diagnosticEventsXdr } })
}

/** A diagnostic event with an error of `contract`. */
export function errorEvent(name: 'error' | 'host_fn_failed', error: xdr.ScError, contract: string | null, data: xdr.ScVal = xdr.ScVal.scvVoid()): string {
  const topics = [xdr.ScVal.scvSymbol(name), xdr.ScVal.scvError(error)]
  const event = new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: contract === null ? null : new xdr.ContractId(new Address(contract).toBuffer()),
    type: xdr.ContractEventType.diagnostic,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics, data })),
  })
  return new xdr.DiagnosticEvent({ inSuccessfulContractCall: false, event }).toXdr('base64')
}

/** The diagnostics of a transaction that failed with a contract error, raised by one contract and propagated by another. */
export function contractFailure(code: number, raisedBy: string, passedOnBy: string = CONTRACTS.market): readonly string[] {
  const error = xdr.ScError.sceContract(code)
  return [errorEvent('error', error, raisedBy), errorEvent('error', error, passedOnBy), errorEvent('host_fn_failed', error, null)]
}
