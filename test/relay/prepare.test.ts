// What becomes of a preparation, for every answer that a node can give to a simulation (soroban-rpc 2.1 to 2.4) and to the reads beside it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Address, TransactionBuilder, Transaction, xdr } from '@stellar/stellar-sdk'
import { RpcFailure } from '../../src/chain/failure.ts'
import { accountKey } from '../../src/chain/transaction.ts'
import { operationCall } from '../../src/exchange/operations.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import { createContractErrors } from '../../src/relay/contract-errors.ts'
import { createLedgerWatermarks, WATERMARK_TTL_MS } from '../../src/chain/ledger-watermarks.ts'
import type { LedgerWatermarks } from '../../src/chain/ledger-watermarks.ts'
import { createLedgerTime, LEDGER_TIME_TIMEOUT_MS } from '../../src/relay/ledger-time.ts'
import { createPrepare, SimulationFailed } from '../../src/relay/prepare.ts'
import type { PreparedTransaction } from '../../src/resources/prepared-transaction.ts'
import { CONTRACTS, errorEvent, LATEST_LEDGER, PASSPHRASE, STRANGER, TRADER } from './answers.ts'
import { createSayingNode, NODE_START_MS, pass, quiet } from './node.ts'
import type { SayingNode, Saying, Says } from './node.ts'

const START_SEC = NODE_START_MS / 1000
const REQUEST: OperationRequest = { op: 'close_position', positionId: 42 }

type PrepareOrder = (request: OperationRequest, trader: string, signal?: AbortSignal) => Promise<PreparedTransaction>

interface Bench {
  readonly node: SayingNode
  readonly prepare: PrepareOrder
  readonly ledgerWatermarks: LedgerWatermarks
}

/** A preparation whose node answers well unless a test says otherwise. */
function bench(says: Readonly<Record<string, readonly Says[]>> = {}): Bench {
  const node = createSayingNode()
  const { rpc, clock } = node
  const ledgerWatermarks = createLedgerWatermarks(clock)
  const prepareCall = createPrepare({
    rpc, contracts: CONTRACTS, contractErrors: createContractErrors(CONTRACTS), ledgerWatermarks, ledgerTime: createLedgerTime({ rpc, clock }),
  })
  const prepare: PrepareOrder = (request, trader, signal) =>
    prepareCall({ op: request.op, trader, contract: 'market', ...operationCall(request, trader) }, signal)
  const all = { getLedgerEntries: [account(7n)], simulateTransaction: [simulated()], getHealth: [health(START_SEC - 3)], ...says }
  for (const [method, sayings] of Object.entries(all)) node.script(method, ...sayings)
  return { node, prepare, ledgerWatermarks }
}

function account(sequence: bigint, latestLedger = LATEST_LEDGER): Saying {
  const entry = new xdr.AccountEntry({
    accountId: TRADER.xdrAccountId(), balance: 1n, seqNum: sequence, numSubEntries: 0, inflationDest: null, flags: 0, homeDomain: '',
    thresholds: new Uint8Array([1, 0, 0, 0]), signers: [], ext: xdr.AccountEntryExt.v0(),
  })
  const served = { key: accountKey(TRADER.publicKey()), xdr: xdr.LedgerEntryData.account(entry).toXdr('base64'), lastModifiedLedgerSeq: 3 }
  return { result: { entries: [served], latestLedger } }
}

const noAccount: Saying = { result: { entries: [], latestLedger: LATEST_LEDGER } }

function health(latestLedgerCloseTime: number): Saying {
  const range = { latestLedger: LATEST_LEDGER, latestLedgerCloseTime, oldestLedger: 1, oldestLedgerCloseTime: 1 }
  return { result: { status: 'healthy', ...range, ledgerRetentionWindow: 100 } }
}

function transactionData(resourceFee = 54_321n): string {
  const resources = new xdr.SorobanResources({
    footprint: new xdr.LedgerFootprint({ readOnly: [], readWrite: [] }), instructions: 1, diskReadBytes: 0, writeBytes: 0,
  })
  return new xdr.SorobanTransactionData({ ext: xdr.SorobanTransactionDataExt.v0(), resources, resourceFee }).toXdr('base64')
}

function simulated(changes: object = {}): Saying {
  return {
    result: {
      transactionData: transactionData(), minResourceFee: '54321', events: [], results: [{ auth: [], xdr: 'AAAAAQ==' }],
      latestLedger: LATEST_LEDGER, ...changes,
    },
  }
}

function refused(error: string, events: readonly string[] = []): Saying {
  return { result: { error, ...(events.length === 0 ? {} : { events }), latestLedger: LATEST_LEDGER } }
}

/** A contract's error as simulations tell it: head line, log, events. */
function contractRefusal(code: number, raisedBy: string): Saying {
  const error = xdr.ScError.sceContract(code)
  const events = [errorEvent('error', error, raisedBy), errorEvent('error', error, CONTRACTS.market)]
  return refused(`HostError: Error(Contract, #${code})\n\nEvent log (newest first):\n   0: [Diagnostic Event] secret words`, events)
}

function parsed({ xdr: envelope }: PreparedTransaction): Transaction {
  const transaction = TransactionBuilder.fromXdr(envelope, PASSPHRASE)
  assert.ok(transaction instanceof Transaction)
  return transaction
}

async function failureOf<T extends Error>(kind: new (...args: never[]) => T, says: Readonly<Record<string, readonly Says[]>>): Promise<T> {
  const { node, prepare } = bench(says)
  let failure: unknown
  void prepare(REQUEST, TRADER.publicKey()).catch((error: unknown) => {
    failure = error
  })
  for (let second = 0; second < 60 && failure === undefined; second++) await pass(node.clock, 1)
  assert.ok(failure instanceof kind, String(failure))
  return failure
}

test('the transaction: the trader\'s next, for 300 seconds, with both fees', async () => {
  const { prepare } = bench()
  const prepared = await prepare(REQUEST, TRADER.publicKey())
  assert.deepEqual(Object.keys(prepared), ['op', 'trader', 'xdr', 'minResourceFee'])
  assert.deepEqual([prepared.op, prepared.trader, prepared.minResourceFee], ['close_position', TRADER.publicKey(), '54321'])
  const transaction = parsed(prepared)
  assert.deepEqual([transaction.source, transaction.sequence, transaction.fee, transaction.signatures.length], [TRADER.publicKey(), '8', '54421', 0])
  assert.deepEqual({ ...transaction.timeBounds }, { minTime: '0', maxTime: String(START_SEC + 300) })
})

test('sequence, simulation and time are asked for at once, none waiting for another', async () => {
  const held = Promise.withResolvers<Saying>()
  const { node, prepare } = bench({
    getLedgerEntries: [held.promise], simulateTransaction: [held.promise.then(() => simulated())], getHealth: [held.promise.then(() => health(1))],
  })
  const preparing = prepare(REQUEST, TRADER.publicKey())
  await quiet()
  assert.deepEqual(['getLedgerEntries', 'simulateTransaction', 'getHealth'].map((method) => node.calls(method)), [1, 1, 1])
  held.resolve(account(7n))
  await preparing
})

test('what is simulated is the call with the contract\'s arguments', async () => {
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

test('a resource fee of nothing is left out by the node and told all the same', async () => {
  const { prepare } = bench({ simulateTransaction: [simulated({ transactionData: transactionData(0n), minResourceFee: undefined })] })
  const prepared = await prepare(REQUEST, TRADER.publicKey())
  assert.deepEqual([prepared.minResourceFee, parsed(prepared).fee], ['0', '100'])
})

/** 2.3 and 2.4: who raised what, and its name. */
const CONTRACT_ERRORS: readonly (readonly [raisedBy: string, address: string, code: number, name: string, advice: RegExp])[] = [
  ['the market', CONTRACTS.market, 20, 'PositionNotFound', /no open position has this id/],
  ['the liquidity vault', CONTRACTS.vault, 40, 'InsufficientLiquidity', /liquidity vault/],
  ['the price shim', CONTRACTS.oracleShim, 32, 'OracleUnavailable', /oracle/],
  ['the router', CONTRACTS.router, 3, 'Unauthorized', /error 3\./],
  ['the trader vaults', CONTRACTS.vaultFactory, 4, 'InvalidName', /the name/],
  ['the referral contract', CONTRACTS.referral, 4, 'NotMarket', /error 4\./],
  ['the token: a balance too low', CONTRACTS.usdcToken, 10, 'UnknownContractError', /USDC balance is too low/],
  ['the token: no trustline', CONTRACTS.usdcToken, 13, 'UnknownContractError', /trustline/],
  ['the liquidity token: no allowance', CONTRACTS.lpToken, 9, 'UnknownContractError', /LP tokens .* allowance/],
  ['the token: a number that the market has too', CONTRACTS.usdcToken, 4, 'UnknownContractError', /error 4\./],
  ['the deposit cap', CONTRACTS.vault, 43, 'UnknownContractError', /error 43\./],
  ['a stranger', STRANGER, 20, 'UnknownContractError', /error 20\./],
]

for (const [raisedBy, address, code, name, advice] of CONTRACT_ERRORS) {
  test(`a simulation refused by ${raisedBy}: its code under its name`, async () => {
    const failure = await failureOf(SimulationFailed, { simulateTransaction: [contractRefusal(code, address)] })
    assert.deepEqual(failure.contractError, { code, name })
    assert.match(failure.message, /^Simulation failed: [a-z].*\.$/)
    assert.match(failure.message, advice)
    assert.doesNotMatch(failure.message, /secret|HostError|C[A-Z2-7]{55}/)
  })
}

test('without events and log the invoked contract names the code', async () => {
  const failure = await failureOf(SimulationFailed, { simulateTransaction: [refused('HostError: Error(Contract, #30)\n\nDebugInfo not available\n')] })
  assert.deepEqual(failure.contractError, { code: 30, name: 'PriceStale' })
})

const HOST_ERRORS = [
  'Auth, InvalidAction', 'Budget, ExceededLimit', 'Storage, MissingValue', 'WasmVm, InvalidAction', 'Value, UnexpectedType', 'Context, InternalError',
]

for (const error of HOST_ERRORS) {
  test(`a simulation refused by the host, Error(${error}): no contract's error`, async () => {
    const line = `0: [Diagnostic Event] contract:${CONTRACTS.market}, topics:[error, Error(Contract, #4)]`
    const text = `HostError: Error(${error})\n\nEvent log (newest first):\n   ${line}`
    const failure = await failureOf(SimulationFailed, { simulateTransaction: [refused(text)] })
    assert.equal(failure.contractError, null)
    assert.match(failure.message, /^Simulation failed: [a-z].*\.$/)
    assert.doesNotMatch(failure.message, /HostError|Error\(/)
  })
}

test('an account that does not exist: to be funded, whatever the simulation says', async () => {
  for (const simulation of [simulated(), contractRefusal(10, CONTRACTS.usdcToken), contractRefusal(4, CONTRACTS.market)]) {
    const failure: SimulationFailed = await failureOf(SimulationFailed, { getLedgerEntries: [noAccount], simulateTransaction: [simulation] })
    assert.deepEqual([failure.contractError, /Fund it/.test(failure.message)], [null, true])
  }
})

test('entries that have to be restored first: said so', async () => {
  const restorePreamble = { transactionData: transactionData(), minResourceFee: '1' }
  const failure = await failureOf(SimulationFailed, { simulateTransaction: [simulated({ restorePreamble })] })
  assert.deepEqual([failure.contractError, /Restore them first/.test(failure.message)], [null, true])
})

const rpcError = (code: number, message = ''): Saying => ({ error: { code, message } })

/** Overload and trouble of the node: never the caller's fault. */
const TROUBLES: readonly (readonly [name: string, saying: Saying])[] = [
  ['preflight queue full', refused('preflight queue full')],
  ['an envelope that the node cannot read', refused('Could not unmarshal transaction')],
  ['words that mean nothing here', refused('unsupported authMode')],
  ['an error that is empty', refused('')],
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
  ['no answer', 'silence'],
  ['a success without results', simulated({ results: [] })],
  ['a success without data', simulated({ transactionData: undefined })],
  ['data that does not decode', simulated({ transactionData: 'AAAA' })],
]

for (const [name, saying] of TROUBLES) {
  test(`the node's trouble, ${name}: no fault of the caller's`, async () => {
    await failureOf(RpcFailure, { simulateTransaction: [saying] })
  })
}

for (const [name, saying] of TROUBLES.filter(([, each]) => each === 'silence' || !('result' in each))) {
  test(`the account cannot be read, ${name}: no fault of the caller's`, async () => {
    await failureOf(RpcFailure, { getLedgerEntries: [saying] })
  })
}

test('an entry that is no account, or another\'s, is not taken for the trader\'s', async () => {
  const [entry] = (account(7n) as { result: { entries: { xdr: string }[] } }).result.entries
  const answer = (entries: unknown[]): Saying => ({ result: { entries, latestLedger: LATEST_LEDGER } })
  await failureOf(RpcFailure, { getLedgerEntries: [answer([{ ...entry, xdr: 'AAAA' }])] })
  await failureOf(SimulationFailed, { getLedgerEntries: [answer([{ ...entry, key: accountKey(new Address(TRADER.publicKey()).toString()).slice(0, -4) }])] })
})

test('an overloaded node is tried again before anybody hears of it', async () => {
  const { node, prepare } = bench({ simulateTransaction: [refused('preflight queue full'), rpcError(-32098), simulated()] })
  const preparing = prepare(REQUEST, TRADER.publicKey())
  await pass(node.clock, 2)
  assert.equal((await preparing).op, 'close_position')
})

test('a node that lags behind the account\'s last transaction is asked again; its old sequence is never used', async () => {
  const { node, prepare, ledgerWatermarks } = bench({ getLedgerEntries: [account(7n, LATEST_LEDGER - 1), account(7n, LATEST_LEDGER - 1), account(8n)] })
  ledgerWatermarks.record(TRADER.publicKey(), LATEST_LEDGER)
  const preparing = prepare(REQUEST, TRADER.publicKey())
  await pass(node.clock, 2)
  assert.equal(parsed(await preparing).sequence, '9')
})

test('a node that goes on lagging: no fault of the caller\'s, until what was seen is too old to matter', async () => {
  const { node, prepare, ledgerWatermarks } = bench({ getLedgerEntries: [account(7n, LATEST_LEDGER - 1)] })
  ledgerWatermarks.record(TRADER.publicKey(), LATEST_LEDGER)
  const lagging = assert.rejects(prepare(REQUEST, TRADER.publicKey()), RpcFailure)
  await pass(node.clock, 5)
  await lagging
  node.clock.advance(WATERMARK_TTL_MS)
  assert.equal(parsed(await prepare(REQUEST, TRADER.publicKey())).sequence, '8')
})

test('time is the ledger\'s where that is ahead, and this machine\'s where the ledger stands still or does not tell', async () => {
  const endOf = async (saying: Saying): Promise<number> => {
    const { node, prepare } = bench({ getHealth: [saying] })
    const preparing = prepare(REQUEST, TRADER.publicKey())
    await quiet()
    node.clock.advance(LEDGER_TIME_TIMEOUT_MS)
    return Number(parsed(await preparing).timeBounds?.maxTime)
  }
  assert.equal(await endOf(health(START_SEC + 86_400)), START_SEC + 86_400 + 300)
  assert.equal(await endOf(health(START_SEC - 600)), START_SEC + 300)
  // The two seconds that were waited for the node have passed on the clock.
  assert.equal(await endOf(rpcError(-32603, 'latency (40s) since last known ledger closed is too high (>30s)')), START_SEC + 2 + 300)
  assert.equal(await endOf('silence'), START_SEC + 2 + 300)
})

test('the ledger\'s time is asked for once a second at most, by however many', async () => {
  const { node, prepare } = bench()
  await Promise.all(Array.from({ length: 20 }, () => prepare(REQUEST, TRADER.publicKey())))
  assert.equal(node.calls('getHealth'), 1)
  node.clock.advance(1_000)
  await prepare(REQUEST, TRADER.publicKey())
  assert.equal(node.calls('getHealth'), 2)
})

test('who leaves is no longer worked for', async () => {
  const { node, prepare } = bench({ getLedgerEntries: ['silence'], simulateTransaction: ['silence'] })
  const caller = new AbortController()
  const preparing = prepare(REQUEST, TRADER.publicKey(), caller.signal)
  await quiet()
  caller.abort(new Error('gone'))
  await assert.rejects(preparing, /gone/)
  await quiet()
  assert.equal(node.clock.pendingTimers(), 0)
})
