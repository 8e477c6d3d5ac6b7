// Decodes the failures of real transactions from captured responses of real nodes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSend, parseTransaction } from '../../src/chain/rpc/responses.ts'
import { findFailureCause, findSimulationError, readHostError, readTransactionResult } from '../../src/chain/rpc/outcome.ts'
import { capturesMissing, readCapture } from './captures.ts'

test('finds no contract error in a mainnet transaction that failed authorization', { skip: capturesMissing }, () => {
  const response = parseTransaction(readCapture('misc/getTransaction_FAILED_mainnet_v4_auth_trap.json', ['result']))
  assert.ok(response.status === 'FAILED')
  assert.ok(response.diagnosticEventsXdr.length > 20)
  assert.deepEqual(findFailureCause(response.diagnosticEventsXdr), { contractError: null, hostError: { type: 'Auth', code: 'InvalidAction' } })
  assert.deepEqual([response.ledger, readTransactionResult(response.resultXdr)?.operation], [59_817_610, 'invokeHostFunctionTrapped'])
})

test('an error event alone is not a contract error', { skip: capturesMissing }, () => {
  const parts = readCapture('misc/testnet_failed_contract5_parts.json') as { diagnosticEventXdr: string; resultXdr: string }
  assert.equal(findFailureCause([parts.diagnosticEventXdr]).contractError, null)
  assert.equal(readTransactionResult(parts.resultXdr)?.operation, 'invokeHostFunctionTrapped')
})

test('decodes the error texts of failed simulations', { skip: capturesMissing }, () => {
  const texts = readCapture('misc/simulate_error_strings_testnet.json') as Readonly<Record<string, string>>
  const contract = 'CCQBVEGLHCXPJUDRP7D5XLHSDG34L5PFYUAJWDTK3FYGHUDY7OWJV4GD'
  assert.deepEqual(findSimulationError(texts['returned_err_code_6'] ?? '', []), { code: 6, contract })
  assert.deepEqual(findSimulationError(texts['returned_err_code_8'] ?? '', []), { code: 8, contract })
  const wrapped = texts['auth_wrapping_contract_110_ABRIDGED_BY_ITS_AUTHOR'] ?? ''
  assert.equal(findSimulationError(wrapped, []), null)
  assert.deepEqual(readHostError(wrapped), { type: 'Auth', code: 'InvalidAction' })
})

test('finds the token contract and its error code from the events and from the error text', { skip: capturesMissing }, () => {
  const { error, events } = readCapture('misc/simulate_error_contract6_sac_account_missing.json', ['result']) as { error: string; events: string[] }
  const byEvents = findSimulationError(error, events)
  assert.equal(byEvents?.code, 6)
  assert.match(byEvents.contract ?? '', /^C[A-Z2-7]{55}$/)
  assert.deepEqual(findSimulationError(error, []), byEvents)
})

test('parses every sendTransaction status', { skip: capturesMissing }, () => {
  const statusOf = (name: string): string => parseSend(readCapture('stellar-docs/Transactions.json', [name, 'value'])).status
  const names = ['PendingTransactionResult', 'DuplicateTransactionResult', 'TryAgainLaterTransactionResult', 'ErrorTransactionResult']
  assert.deepEqual(names.map(statusOf), ['PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER', 'ERROR'])
  const rejected = parseSend(readCapture('stellar-docs/Transactions.json', ['ErrorTransactionResult', 'value']))
  assert.match(readTransactionResult(rejected.errorResultXdr ?? '')?.code ?? '', /^tx[A-Z]/)
})

test('parses found and missing transactions', { skip: capturesMissing }, () => {
  const statusOf = (name: string): string => parseTransaction(readCapture('stellar-docs/Transactions.json', [name, 'value'])).status
  const names = ['SuccessTransactionResult', 'FailedTransactionResult', 'NotFoundTransactionResult']
  assert.deepEqual(names.map(statusOf), ['SUCCESS', 'FAILED', 'NOT_FOUND'])
})
