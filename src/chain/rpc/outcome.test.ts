import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, xdr } from '@stellar/stellar-sdk'
import { findFailureCause, findSimulationError, readHostError, readTransactionResult } from './outcome.ts'

const MARKET = 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'
const TOKEN = 'CA63EPM4EEXUVUANF6FQUJEJ37RWRYIXCARWFXYUMPP7RLZWFNLTVNR4'

const contractError = (code: number): xdr.ScError => xdr.ScError.sceContract(code)
const TRAP = xdr.ScError.sceWasmVm(xdr.ScErrorCode.scecMissingValue)
const REFUSED = xdr.ScError.sceAuth(xdr.ScErrorCode.scecInvalidAction)

/** A diagnostic event, base64. */
function diagnostic(name: string, second: xdr.ScVal, options: { contract?: string; type?: xdr.ContractEventType } = {}): string {
  const event = new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: options.contract === undefined ? null : new xdr.ContractId(new Address(options.contract).toBuffer()),
    type: options.type ?? xdr.ContractEventType.diagnostic,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics: [xdr.ScVal.scvSymbol(name), second], data: xdr.ScVal.scvVoid() })),
  })
  return new xdr.DiagnosticEvent({ inSuccessfulContractCall: false, event }).toXdr('base64')
}

const raised = (error: xdr.ScError, contract?: string): string =>
  diagnostic('error', xdr.ScVal.scvError(error), contract === undefined ? {} : { contract })
const hostFailure = (error: xdr.ScError): string => diagnostic('host_fn_failed', xdr.ScVal.scvError(error))
const call = diagnostic('fn_call', xdr.ScVal.scvSymbol('open_position'))
const metrics = diagnostic('core_metrics', xdr.ScVal.scvSymbol('read_entry'))

test('the host failure decides, and the first event with its code is of the contract that raised it', () => {
  const events = [call, raised(contractError(10), TOKEN), raised(contractError(10), MARKET), hostFailure(contractError(10)), metrics, metrics]
  assert.deepEqual(findFailureCause(events).contractError, { code: 10, contract: TOKEN })
})

test('ignores an error that a contract caught', () => {
  const events = [raised(contractError(31), TOKEN), raised(contractError(4), MARKET), hostFailure(contractError(4))]
  assert.deepEqual(findFailureCause(events).contractError, { code: 4, contract: MARKET })
})

test('a host error is not a contract error', () => {
  const events = [raised(contractError(4), MARKET), raised(TRAP, MARKET), raised(REFUSED), hostFailure(REFUSED), metrics]
  assert.deepEqual(findFailureCause(events), { contractError: null, hostError: { type: 'Auth', code: 'InvalidAction' } })
})

test('returns null without a host failure', () => {
  assert.equal(findFailureCause([]).contractError, null)
  assert.equal(findFailureCause([call, raised(contractError(4), MARKET), metrics]).contractError, null)
})

test('an error outside of the contract call is in an error event without a contract', () => {
  const excess = raised(xdr.ScError.sceStorage(xdr.ScErrorCode.scecExceededLimit))
  const { hostError } = findFailureCause([call, raised(contractError(4), MARKET), raised(REFUSED), excess, metrics])
  assert.deepEqual(hostError, { type: 'Storage', code: 'ExceededLimit' })
  assert.equal(findFailureCause([raised(TRAP, MARKET)]).hostError, null, 'a contract may have caught its own')
})

test('ignores a host_fn_failed event that a contract published', () => {
  const forged = diagnostic('host_fn_failed', xdr.ScVal.scvError(contractError(4)), { contract: MARKET })
  const published = diagnostic('host_fn_failed', xdr.ScVal.scvError(contractError(4)), { type: xdr.ContractEventType.contract })
  assert.equal(findFailureCause([forged]).contractError, null)
  assert.equal(findFailureCause([published]).contractError, null)
})

test('ignores an event named error that a contract published', () => {
  const published = diagnostic('error', xdr.ScVal.scvError(contractError(4)), { contract: TOKEN, type: xdr.ContractEventType.contract })
  assert.deepEqual(findFailureCause([published, raised(contractError(4), MARKET), hostFailure(contractError(4))]).contractError, { code: 4, contract: MARKET })
})

test('returns the code without a contract when the origin is missing, and skips invalid events', () => {
  assert.deepEqual(findFailureCause(['', 'AAAA', hostFailure(contractError(22))]).contractError, { code: 22, contract: null })
})

function logOf(...lines: readonly string[]): string {
  return ['HostError: Error(Contract, #10)', '', 'Event log (newest first):', ...lines.map((each, index) => `   ${index}: ${each}`), ''].join('\n')
}

function line(contract: string, error: string, prefix = 'Diagnostic Event'): string {
  return `[${prefix}] contract:${contract}, topics:[error, ${error}], data:"words"`
}

test('the first line of a simulation error has the code, the events have the contract', () => {
  const text = 'HostError: Error(Contract, #10)\n\nDebugInfo not available\n'
  assert.deepEqual(findSimulationError(text, [raised(contractError(10), TOKEN), raised(contractError(10), MARKET)]), { code: 10, contract: TOKEN })
  assert.deepEqual(findSimulationError(text, []), { code: 10, contract: null })
})

test('without events, the last matching line of the log has the contract', () => {
  const text = logOf(
    line(MARKET, 'Error(Contract, #10)'),
    '[Diagnostic Event] topics:[fn_call, C, transfer], data:Void',
    line(TOKEN, 'Error(Contract, #10)', 'Failed Diagnostic Event (not emitted)'),
    line(MARKET, 'Error(Contract, #31)'),
  )
  assert.deepEqual(findSimulationError(text, []), { code: 10, contract: TOKEN })
})

test('ignores a contract error in later lines', () => {
  const text = `HostError: Error(Auth, InvalidAction)\n\nEvent log (newest first):\n   0: ${line(MARKET, 'Error(Contract, #110)')}\n`
  assert.equal(findSimulationError(text, [raised(contractError(110), MARKET)]), null)
  assert.deepEqual(readHostError(text), { type: 'Auth', code: 'InvalidAction' })
  assert.equal(findSimulationError('Could not unmarshal transaction', []), null)
  assert.equal(readHostError('preflight queue full'), null)
  assert.equal(findSimulationError('', []), null)
  assert.equal(findSimulationError('say HostError: Error(Contract, #1)', []), null)
})

function resultOf(result: xdr.TransactionResultResult, feeCharged = 100n): string {
  return new xdr.TransactionResult({ feeCharged, result, ext: xdr.TransactionResultExt.v0() }).toXdr('base64')
}

const trapped = xdr.OperationResult.opInner(
  xdr.OperationResultTr.invokeHostFunction(xdr.InvokeHostFunctionResult.invokeHostFunctionTrapped()),
)

test('reads the code, the failed operation and the fee of a result', () => {
  assert.deepEqual(readTransactionResult('AAAAAAAAAAD////7AAAAAA=='), { code: 'txBadSeq', operation: null, feeCharged: 0n })
  assert.deepEqual(readTransactionResult('AAAAAAAAAGT////7AAAAAA=='), { code: 'txBadSeq', operation: null, feeCharged: 100n })
  const failed = resultOf(xdr.TransactionResultResult.txFailed([trapped]), 261_090n)
  assert.deepEqual(readTransactionResult(failed), { code: 'txFailed', operation: 'invokeHostFunctionTrapped', feeCharged: 261_090n })
  const noAccount = resultOf(xdr.TransactionResultResult.txFailed([xdr.OperationResult.opNoAccount()]))
  assert.deepEqual(readTransactionResult(noAccount), { code: 'txFailed', operation: 'opNoAccount', feeCharged: 100n })
})

test('reads the inner result of a fee bump', () => {
  const inner = new xdr.InnerTransactionResult({
    feeCharged: 0n, result: xdr.InnerTransactionResultResult.txFailed([trapped]), ext: xdr.InnerTransactionResultExt.v0(),
  })
  const pair = new xdr.InnerTransactionResultPair({ transactionHash: new Uint8Array(32), result: inner })
  const bumped = resultOf(xdr.TransactionResultResult.txFeeBumpInnerFailed(pair), 500n)
  assert.deepEqual(readTransactionResult(bumped), { code: 'txFailed', operation: 'invokeHostFunctionTrapped', feeCharged: 500n })
})

test('returns null for a result that does not decode', () => {
  for (const broken of ['', 'AAAA', 'not base64', 'AAAAAAAAAAD///+AAAAAAA==']) assert.equal(readTransactionResult(broken), null)
})
