// Preparing a transaction, with every response that a node can return to the simulation (soroban-rpc 2.1 to 2.4) and to the other reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, TransactionBuilder, Transaction, xdr } from '@stellar/stellar-sdk'
import { createLedgerClock } from '../../src/base/ledger-clock.ts'
import { RpcFailure } from '../../src/chain/rpc/failure.ts'
import { accountKey, networkIdOf } from '../../src/chain/codec/transaction.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { createContractErrors } from '../../src/trading/relay/error-advice.ts'
import { createLedgerWatermarks, WATERMARK_TTL_MS } from '../../src/chain/rpc/ledger-watermarks.ts'
import type { LedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import type { Footprints } from '../../src/trading/relay/footprints.ts'
import { createBoundsTime, LEDGER_TIME_TIMEOUT_MS } from '../../src/trading/relay/ledger-time.ts'
import { createPrepare, SimulationFailed } from '../../src/trading/relay/prepare.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { callOf } from '../support/calls.ts'
import { CONTRACTS, errorEvent, LATEST_LEDGER, PASSPHRASE, STRANGER, TRADER } from './responses.ts'
import { createScriptedNode, NODE_START_MS, pass, quiet } from './scripted-node.ts'
import type { ScriptedNode, NodeResponse, ScriptedResponse } from './scripted-node.ts'
import { currentDeploymentOf } from '../support/deployments.ts'
import { NO_WARNINGS } from '../support/no-warnings.ts'

const DEPLOYMENT = currentDeploymentOf(CONTRACTS)

const START_SEC = NODE_START_MS / 1000
const REQUEST: OperationRequest = { op: 'close_position', positionId: 42 }

type PrepareOrder = (request: OperationRequest, trader: string, signal?: AbortSignal) => Promise<PreparedTransaction>

/** Adds nothing to a simulated footprint: additions have their own tests. */
const AS_SIMULATED: Footprints = {
  prefetch: async () => undefined, extend: async (_call, simulation) => ({ simulation, extraFee: 0n }), learnFailure() {},
}

interface Bench {
  readonly node: ScriptedNode
  readonly prepare: PrepareOrder
  readonly ledgerWatermarks: LedgerWatermarks
}

/** The node responds normally unless a test overrides it. */
function bench(overrides: Readonly<Record<string, readonly ScriptedResponse[]>> = {}): Bench {
  const node = createScriptedNode()
  const { rpc, clock } = node
  const ledgerWatermarks = createLedgerWatermarks(clock)
  const prepareCall = createPrepare({
    rpc, clock, deployment: DEPLOYMENT, networkId: networkIdOf(PASSPHRASE), contractErrors: createContractErrors(DEPLOYMENT), ledgerWatermarks,
    ledgerTime: createBoundsTime({ rpc, clock, ledgerClock: createLedgerClock({ clock }) }), footprints: AS_SIMULATED, ...NO_WARNINGS,
  })
  const prepare: PrepareOrder = (request, trader, signal) =>
    prepareCall(
      { op: request.op, trader, clientId: null, priceBound: null, ...callOf(request, trader, { contracts: CONTRACTS }) },
      signal === undefined ? {} : { signal },
    )
  const all = { getLedgerEntries: [account(7n)], simulateTransaction: [simulated()], getHealth: [health(START_SEC - 3)], ...overrides }
  for (const [method, responses] of Object.entries(all)) node.script(method, ...responses)
  return { node, prepare, ledgerWatermarks }
}

function account(sequence: bigint, latestLedger = LATEST_LEDGER): NodeResponse {
  const entry = new xdr.AccountEntry({
    accountId: TRADER.xdrAccountId(), balance: 1n, seqNum: sequence, numSubEntries: 0, inflationDest: null, flags: 0, homeDomain: '',
    thresholds: new Uint8Array([1, 0, 0, 0]), signers: [], ext: xdr.AccountEntryExt.v0(),
  })
  const served = { key: accountKey(TRADER.publicKey()), xdr: xdr.LedgerEntryData.account(entry).toXdr('base64'), lastModifiedLedgerSeq: 3 }
  return { result: { entries: [served], latestLedger } }
}

const noAccount: NodeResponse = { result: { entries: [], latestLedger: LATEST_LEDGER } }

function health(latestLedgerCloseTime: number): NodeResponse {
  const range = { latestLedger: LATEST_LEDGER, latestLedgerCloseTime, oldestLedger: 1, oldestLedgerCloseTime: 1 }
  return { result: { status: 'healthy', ...range, ledgerRetentionWindow: 100 } }
}

const PREPARED_MEMBERS = [
  'op', 'trader', 'xdr', 'minResourceFee', 'extraResourceFee', 'feeConfirmedBy', 'nodes', 'hash', 'clientId', 'expiresAt', 'intent', 'preview', 'warnings',
]

function transactionData(resourceFee = 54_321n): string {
  const resources = new xdr.SorobanResources({
    footprint: new xdr.LedgerFootprint({ readOnly: [], readWrite: [] }), instructions: 1, diskReadBytes: 0, writeBytes: 0,
  })
  return new xdr.SorobanTransactionData({ ext: xdr.SorobanTransactionDataExt.v0(), resources, resourceFee }).toXdr('base64')
}

function simulated(changes: object = {}): NodeResponse {
  return {
    result: {
      transactionData: transactionData(), minResourceFee: '54321', events: [], results: [{ auth: [], xdr: 'AAAAAQ==' }],
      latestLedger: LATEST_LEDGER, ...changes,
    },
  }
}

function refused(error: string, events: readonly string[] = []): NodeResponse {
  return { result: { error, ...(events.length === 0 ? {} : { events }), latestLedger: LATEST_LEDGER } }
}

/** A contract error as simulations return it: message, log, events. */
function contractRefusal(code: number, raisedBy: string): NodeResponse {
  const error = xdr.ScError.sceContract(code)
  const events = [errorEvent('error', error, raisedBy), errorEvent('error', error, CONTRACTS.market)]
  return refused(`HostError: Error(Contract, #${code})\n\nEvent log (newest first):\n   0: [Diagnostic Event] secret words`, events)
}

function parsed({ xdr: envelope }: PreparedTransaction): Transaction {
  const transaction = TransactionBuilder.fromXdr(envelope, PASSPHRASE)
  assert.ok(transaction instanceof Transaction)
  return transaction
}

async function failureOf<T extends Error>(kind: new (...args: never[]) => T, responses: Readonly<Record<string, readonly ScriptedResponse[]>>): Promise<T> {
  const { node, prepare } = bench(responses)
  let failure: unknown
  void prepare(REQUEST, TRADER.publicKey()).catch((error: unknown) => {
    failure = error
  })
  for (let second = 0; second < 60 && failure === undefined; second++) await pass(node.clock, 1)
  assert.ok(failure instanceof kind, String(failure))
  return failure
}

test('prepares the trader\'s next transaction, valid for 300 seconds, with both fees', async () => {
  const { prepare } = bench()
  const prepared = await prepare(REQUEST, TRADER.publicKey())
  assert.deepEqual(Object.keys(prepared), PREPARED_MEMBERS)
  assert.deepEqual([prepared.op, prepared.trader, prepared.minResourceFee], ['close_position', TRADER.publicKey(), '54321'])
  const transaction = parsed(prepared)
  assert.deepEqual([transaction.source, transaction.sequence, transaction.fee, transaction.signatures.length], [TRADER.publicKey(), '8', '54421', 0])
  assert.deepEqual({ ...transaction.timeBounds }, { minTime: '0', maxTime: String(START_SEC + 300) })
})

test('requests the sequence, the simulation and the time concurrently', async () => {
  const held = Promise.withResolvers<NodeResponse>()
  const { node, prepare } = bench({
    getLedgerEntries: [held.promise], simulateTransaction: [held.promise.then(() => simulated())], getHealth: [held.promise.then(() => health(1))],
  })
  const preparing = prepare(REQUEST, TRADER.publicKey())
  await quiet()
  assert.deepEqual(['getLedgerEntries', 'simulateTransaction', 'getHealth'].map((method) => node.calls(method)), [1, 1, 1])
  held.resolve(account(7n))
  await preparing
})

test('simulates the call with the contract\'s arguments', async () => {
  let simulatedXdr = ''
  const { prepare } = bench({
    simulateTransaction: [({ transaction }) => {
      simulatedXdr = String(transaction)
      return simulated()
    }],
  })
  await prepare({ op: 'set_take_profit', positionId: 42, triggerPrice: '1100', slippageToleranceBps: 50 }, TRADER.publicKey())
  const transaction = TransactionBuilder.fromXdr(simulatedXdr, PASSPHRASE)
  const [operation] = transaction.operations
  assert.ok(operation?.type === 'invokeHostFunction' && operation.func.type === 'hostFunctionTypeInvokeContract')
  const { contractAddress, functionName, args } = operation.func.invokeContract
  assert.deepEqual([Address.fromScAddress(contractAddress).toString(), String(functionName)], [CONTRACTS.market, 'set_take_profit'])
  assert.deepEqual(args.map(({ type }) => type), ['scvAddress', 'scvU64', 'scvI128', 'scvU32', 'scvI128'])
})

test('returns a resource fee of 0 when the node omits it', async () => {
  const { prepare } = bench({ simulateTransaction: [simulated({ transactionData: transactionData(0n), minResourceFee: undefined })] })
  const prepared = await prepare(REQUEST, TRADER.publicKey())
  assert.deepEqual([prepared.minResourceFee, parsed(prepared).fee], ['0', '100'])
})

/** 2.3 and 2.4: error codes by contract, with their names. */
const CONTRACT_ERRORS: readonly (readonly [raisedBy: string, address: string, code: number, name: string, advice: RegExp])[] = [
  ['the market', CONTRACTS.market, 20, 'PositionNotFound', /no open position has this id/],
  ['the liquidity vault', CONTRACTS.vault, 40, 'InsufficientLiquidity', /liquidity vault/],
  ['the price shim', CONTRACTS.oracleShim, 32, 'OracleUnavailable', /oracle/],
  ['the router', CONTRACTS.router, 3, 'Unauthorized', /the caller is not authorized/],
  ['the trader vaults', CONTRACTS.vaultFactory, 4, 'InvalidName', /the name/],
  ['the referral contract', CONTRACTS.referral, 4, 'NotMarket', /only the market contract/],
  ['the token: a balance too low', CONTRACTS.usdcToken, 10, 'UnknownContractError', /USDC balance is too low/],
  ['the token: no trustline', CONTRACTS.usdcToken, 13, 'UnknownContractError', /trustline/],
  ['the liquidity token: no allowance', CONTRACTS.lpToken, 9, 'UnknownContractError', /LP tokens .* allowance/],
  ['the token: a number that the market has too', CONTRACTS.usdcToken, 4, 'UnknownContractError', /error 4\./],
  ['the deposit cap', CONTRACTS.vault, 43, 'UnknownContractError', /error 43\./],
  ['a stranger', STRANGER, 20, 'UnknownContractError', /error 20\./],
]

for (const [raisedBy, address, code, name, advice] of CONTRACT_ERRORS) {
  test(`names an error raised by ${raisedBy}`, async () => {
    const failure = await failureOf(SimulationFailed, { simulateTransaction: [contractRefusal(code, address)] })
    assert.deepEqual(failure.contractError, { code, name })
    assert.match(failure.message, /^Simulation failed: [a-z].*\. \[Error\(Contract, #\d+\)\]$/)
    assert.ok(failure.message.endsWith(`[Error(Contract, #${code})]`))
    assert.match(failure.message, advice)
    assert.doesNotMatch(failure.message, /secret|HostError|C[A-Z2-7]{55}/)
  })
}

test('attributes an error without events to the invoked contract', async () => {
  const failure = await failureOf(SimulationFailed, { simulateTransaction: [refused('HostError: Error(Contract, #30)\n\nDebugInfo not available\n')] })
  assert.deepEqual(failure.contractError, { code: 30, name: 'PriceStale' })
})

const HOST_ERRORS = [
  'Auth, InvalidAction', 'Budget, ExceededLimit', 'Storage, MissingValue', 'WasmVm, InvalidAction', 'Value, UnexpectedType', 'Context, InternalError',
]

for (const error of HOST_ERRORS) {
  test(`reports a host error, Error(${error}), without a contract error`, async () => {
    const line = `0: [Diagnostic Event] contract:${CONTRACTS.market}, topics:[error, Error(Contract, #4)]`
    const text = `HostError: Error(${error})\n\nEvent log (newest first):\n   ${line}`
    const failure = await failureOf(SimulationFailed, { simulateTransaction: [refused(text)] })
    assert.equal(failure.contractError, null)
    assert.match(failure.message, /^Simulation failed: [a-z][^[]*\. \[/)
    assert.ok(failure.message.endsWith(`[Error(${error})]`))
    assert.doesNotMatch(failure.message, /HostError|Diagnostic/)
  })
}

test('asks to fund an account that does not exist, whatever the simulation returns', async () => {
  for (const simulation of [simulated(), contractRefusal(10, CONTRACTS.usdcToken), contractRefusal(4, CONTRACTS.market)]) {
    const failure: SimulationFailed = await failureOf(SimulationFailed, { getLedgerEntries: [noAccount], simulateTransaction: [simulation] })
    assert.deepEqual([failure.contractError, /Fund it/.test(failure.message)], [null, true])
  }
})

test('asks to restore archived entries', async () => {
  const restorePreamble = { transactionData: transactionData(), minResourceFee: '1' }
  const failure = await failureOf(SimulationFailed, { simulateTransaction: [simulated({ restorePreamble })] })
  assert.deepEqual([failure.contractError, /Restore them first/.test(failure.message)], [null, true])
})

const rpcError = (code: number, message = ''): NodeResponse => ({ error: { code, message } })

/** Failures of the node: never reported as the caller's error. */
const NODE_FAILURES: readonly (readonly [name: string, response: NodeResponse])[] = [
  ['preflight queue full', refused('preflight queue full')],
  ['an envelope that the node cannot read', refused('Could not unmarshal transaction')],
  ['an unknown error text', refused('unsupported authMode')],
  ['an empty error text', refused('')],
  ['-32001', rpcError(-32001)],
  ['-32098', rpcError(-32098)],
  ['-32603', rpcError(-32603)],
  ['-32602', rpcError(-32602)],
  ['-32601', rpcError(-32601)],
  ['503', { http: 503 }],
  ['504', { http: 504 }],
  ['429', { http: 429 }],
  ['204', { http: 204 }],
  ['HTML with 200', { http: 200, body: '<html></html>' }],
  ['a refused connection', { broken: 'ECONNREFUSED' }],
  ['a reset connection', { broken: 'ECONNRESET' }],
  ['no response', 'silence'],
  ['a success without results', simulated({ results: [] })],
  ['a success without data', simulated({ transactionData: undefined })],
  ['invalid transaction data', simulated({ transactionData: 'AAAA' })],
]

for (const [name, response] of NODE_FAILURES) {
  test(`rejects with RpcFailure when the simulation fails: ${name}`, async () => {
    await failureOf(RpcFailure, { simulateTransaction: [response] })
  })
}

test('a simulation with a form of a later protocol is newer than the gateway, and no fault of the node', async () => {
  // Credentials of type 4, and a footprint with a key of value type 23.
  for (const [changes, what] of [
    [{ results: [{ auth: ['AAAABA=='], xdr: 'AAAAAQ==' }] }, 'credentials type 4'],
    [{ transactionData: newerTransactionData() }, 'value type 23'],
  ] as const) {
    const failure = await failureOf(RpcFailure, { simulateTransaction: [simulated(changes)] })
    assert.deepEqual([failure.kind, failure.retryable, failure.newer?.what], ['newer', false, what])
  }
})

function newerTransactionData(): string {
  const key = xdr.LedgerKey.contractData(new xdr.LedgerKeyContractData({
    contract: new Address(STRANGER).toScAddress(), key: xdr.ScVal.scvExecutableTag('v2'), durability: xdr.ContractDataDurability.persistent,
  }))
  const footprint = new xdr.LedgerFootprint({ readOnly: [key], readWrite: [] })
  const resources = new xdr.SorobanResources({ footprint, instructions: 1, diskReadBytes: 0, writeBytes: 0 })
  const bytes = Buffer.from(new xdr.SorobanTransactionData({ ext: xdr.SorobanTransactionDataExt.v0(), resources, resourceFee: 9n }).toXdr())
  bytes.writeUInt32BE(23, bytes.indexOf(Buffer.from('0000001600000002', 'hex')))
  return bytes.toString('base64')
}

for (const [name, response] of NODE_FAILURES.filter(([, each]) => each === 'silence' || !('result' in each))) {
  test(`rejects with RpcFailure when the account cannot be read: ${name}`, async () => {
    await failureOf(RpcFailure, { getLedgerEntries: [response] })
  })
}

test('rejects a ledger entry that is not the trader\'s account', async () => {
  const [entry] = (account(7n) as { result: { entries: { xdr: string }[] } }).result.entries
  const entriesResponse = (entries: unknown[]): NodeResponse => ({ result: { entries, latestLedger: LATEST_LEDGER } })
  await failureOf(RpcFailure, { getLedgerEntries: [entriesResponse([{ ...entry, xdr: 'AAAA' }])] })
  const otherKey = accountKey(new Address(TRADER.publicKey()).toString()).slice(0, -4)
  await failureOf(SimulationFailed, { getLedgerEntries: [entriesResponse([{ ...entry, key: otherKey }])] })
})

test('retries when the node is overloaded', async () => {
  const { node, prepare } = bench({ simulateTransaction: [refused('preflight queue full'), rpcError(-32098), simulated()] })
  const preparing = prepare(REQUEST, TRADER.publicKey())
  await pass(node.clock, 2)
  assert.equal((await preparing).op, 'close_position')
})

test('retries a node that lags behind the account\'s last transaction, and never uses its old sequence number', async () => {
  const { node, prepare, ledgerWatermarks } = bench({ getLedgerEntries: [account(7n, LATEST_LEDGER - 1), account(7n, LATEST_LEDGER - 1), account(8n)] })
  ledgerWatermarks.record(TRADER.publicKey(), LATEST_LEDGER)
  const preparing = prepare(REQUEST, TRADER.publicKey())
  await pass(node.clock, 2)
  assert.equal(parsed(await preparing).sequence, '9')
})

test('rejects with RpcFailure while the node lags, until the watermark expires', async () => {
  const { node, prepare, ledgerWatermarks } = bench({ getLedgerEntries: [account(7n, LATEST_LEDGER - 1)] })
  ledgerWatermarks.record(TRADER.publicKey(), LATEST_LEDGER)
  const lagging = assert.rejects(prepare(REQUEST, TRADER.publicKey()), RpcFailure)
  await pass(node.clock, 5)
  await lagging
  node.clock.advance(WATERMARK_TTL_MS)
  assert.equal(parsed(await prepare(REQUEST, TRADER.publicKey())).sequence, '8')
})

test('uses the ledger\'s time when this machine\'s clock differs, and this machine\'s time when no node reports a recent ledger', async () => {
  const endOf = async (response: NodeResponse): Promise<number> => {
    const { node, prepare } = bench({ getHealth: [response] })
    const preparing = prepare(REQUEST, TRADER.publicKey())
    await quiet()
    node.clock.advance(LEDGER_TIME_TIMEOUT_MS)
    return Number(parsed(await preparing).timeBounds?.maxTime)
  }
  assert.equal(await endOf(health(START_SEC + 86_400)), START_SEC + 86_400 + 300)
  assert.equal(await endOf(health(START_SEC - 3_600)), START_SEC - 3_600 + 300, 'an hour ahead: valid for 300 seconds of the ledger')
  assert.equal(await endOf(health(START_SEC - 20)), START_SEC + 300, 'a ledger is seen some seconds after it closed')
  // Includes the two-second timeout of the node.
  assert.equal(await endOf(rpcError(-32603, 'latency (40s) since last known ledger closed is too high (>30s)')), START_SEC + 2 + 300)
  assert.equal(await endOf('silence'), START_SEC + 2 + 300)
})

test('reads the ledger\'s time at most once a second for all callers', async () => {
  const { node, prepare } = bench()
  await Promise.all(Array.from({ length: 20 }, () => prepare(REQUEST, TRADER.publicKey())))
  assert.equal(node.calls('getHealth'), 1)
  node.clock.advance(1_000)
  await prepare(REQUEST, TRADER.publicKey())
  assert.equal(node.calls('getHealth'), 2)
})

test('stops when the caller disconnects', async () => {
  const { node, prepare } = bench({ getLedgerEntries: ['silence'], simulateTransaction: ['silence'] })
  const caller = new AbortController()
  const preparing = prepare(REQUEST, TRADER.publicKey(), caller.signal)
  await quiet()
  caller.abort(new Error('disconnected'))
  await assert.rejects(preparing, /disconnected/)
  await quiet()
  assert.equal(node.clock.pendingTimers(), 0)
})
