// POST /v1/orders/prepare and /v1/actions/prepare: builds and simulates the unsigned transaction of a contract call. Keeps no state.

import type { Clock } from '../../base/clock.ts'
import type { Agreement, Compared } from '../../chain/rpc/agreement.ts'
import { readCompared } from '../../chain/rpc/compared-reads.ts'
import type { Comparison } from '../../chain/rpc/compared-reads.ts'
import { MalformedResponse } from '../../chain/rpc/responses.ts'
import { readPreparedEnvelope } from '../../chain/codec/prepared-envelope.ts'
import type { SimulationResponse } from '../../chain/rpc/responses.ts'
import { newerFailure, RpcFailure } from '../../chain/rpc/failure.ts'
import { NewerThanKnown } from '../../chain/codec/newer-than-known.ts'
import { findSimulationError, readHostError } from '../../chain/rpc/outcome.ts'
import type { HostError, RaisedError } from '../../chain/rpc/outcome.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import {
  accountKey, assembleTransaction, BASE_FEE_STROOPS, decodeTransactionData, draftCall, readAccountSequence, simulationEnvelope,
} from '../../chain/codec/transaction.ts'
import type { CallArgument, ContractCall } from '../../exchange/contracts/call-arguments.ts'
import type { ContractKey } from '../../exchange/contracts/contracts.ts'
import type { CurrentDeployment, Deployment } from '../../exchange/deployment.ts'
import { acceptablePrice } from '../../exchange/price-bound.ts'
import { PREPARED_VALIDITY_SEC } from '../../limits.ts'
import type { PreparedTransaction, Warning } from '../../resources/prepared-transaction.ts'
import type { ContractError } from '../../resources/submit-result.ts'
import { adviceForHostError, hostText } from './error-advice.ts'
import type { ContractErrors } from './error-advice.ts'
import { describeIntent } from './intent.ts'
import type { LedgerWatermarks } from '../../chain/rpc/ledger-watermarks.ts'
import type { Footprints } from './footprints.ts'
import type { BoundsTime } from './ledger-time.ts'
import { previewSimulation } from './preview.ts'
import type { SimulatedTrade } from './preview.ts'
import { createUsualFees } from './usual-fees.ts'
import { feeUnusual, findWarnings } from './warnings.ts'
import type { ReadConditions } from './warnings.ts'

/** Raised when the simulation of a call fails. `message` is for the API's caller. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed'
  /** Null when no contract raised it. */
  readonly contractError: ContractError | null
  /** `cause` is null when the simulation was not the reason. */
  constructor(
    advice: string, { cause, contractError = null }: { readonly cause: RaisedError | HostError | null; readonly contractError?: ContractError | null },
  ) {
    super(`Simulation failed: ${advice}${cause === null ? '' : ` ${hostText(cause)}`}`)
    this.contractError = contractError
  }
}

export interface PrepareParts {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly networkId: Uint8Array
  readonly contractErrors: ContractErrors
  readonly ledgerWatermarks: LedgerWatermarks
  readonly ledgerTime: BoundsTime
  readonly footprints: Footprints
  readonly readConditions: ReadConditions
  readonly clock: Clock
  readonly agreement: Pick<Agreement, 'record'>
}

/** A contract call by the account `trader`; `op` is the API's name of the call. */
export interface PrepareRequest extends ContractCall {
  readonly op: string
  readonly contract: ContractKey
  readonly trader: string
  /** The client's own id of the transaction. */
  readonly clientId: string | null
  /** Null: the arguments are complete. */
  readonly priceBound: PriceBound | null
}

/** An acceptable price that follows from the price of the simulation. */
interface PriceBound {
  readonly slippageBps: number
  /** The arguments with this acceptable price. */
  argsWith(price: bigint): readonly CallArgument[]
}

/** A simulation that succeeded. */
interface Simulated extends SimulatedTrade {
  readonly args: readonly CallArgument[]
  readonly simulation: SimulationResponse
  /** Agreement of the nodes on its fee. */
  readonly fee: Compared
}

/** A price changes every few seconds. The first simulation finds the price, and the second one has the bound. */
const BOUND_SIMULATIONS_MAX = 4

/** Prepares a call. Rejects with SimulationFailed, with RpcFailure, or with the reason of the signal. */
export type Prepare = (request: PrepareRequest, options?: Pick<CallOptions, 'signal' | 'requester'>) => Promise<PreparedTransaction>

export function createPrepare(parts: PrepareParts): Prepare {
  const { rpc, deployment, contractErrors } = parts
  const usualFees = createUsualFees()

  /** Warns of a fee that is out of line, and learns from the others. A node alone must not make its fees usual. */
  function judgeFee(op: string, feeStroops: bigint, { agreeing, asked }: Compared): Warning[] {
    const isUnusual = usualFees.isUnusual(op, feeStroops)
    const warning = isUnusual ? feeUnusual(op, { feeStroops, usualStroops: usualFees.usual(op), isDisputed: agreeing === 1 && asked > 1 }) : null
    if (!isUnusual || agreeing > 1 || rpc.endpoints === 1) usualFees.record(op, feeStroops)
    return warning === null ? [] : [warning]
  }

  /** Simulates the call; with a price bound until the bound follows from the price of the same simulation. */
  async function simulate(request: PrepareRequest, exchange: Deployment, call: CallOptions): Promise<Simulated> {
    const { contract, trader, functionName, priceBound } = request
    const called = exchange.contracts[contract]
    let { args } = request
    let bound: bigint | null = null
    for (let count = 0; count < BOUND_SIMULATIONS_MAX; count++) {
      const envelopeXdr = simulationEnvelope(draftCall({ source: trader, contract: called, functionName, args }))
      const { value: simulation, ...fee } = await readCompared(parts, {
        figure: 'fees', fault: 'false_fee', read: (options) => rpc.simulateTransaction(envelopeXdr, options), compare: compareFees,
      }, call)
      if (simulation.error !== null) throw toSimulationError(simulation.error, simulation.eventsXdr, called, contractErrors)
      if (simulation.mustRestore) throw new SimulationFailed('the call needs archived ledger entries. Restore them first.', { cause: null })
      const trade = previewSimulation(simulation, { trader, contract: called, exchange })
      if (priceBound === null) return { ...trade, args, simulation, fee }
      const wanted = acceptablePrice(trade.effects, priceBound.slippageBps)
      if (wanted === null) throw new SimulationFailed('the price of the trade is unknown. Set acceptablePrice instead of slippageBps.', { cause: null })
      if (wanted === bound) return { ...trade, args, simulation, fee }
      bound = wanted
      args = priceBound.argsWith(wanted)
    }
    throw new SimulationFailed('the price moved while the transaction was prepared. Prepare it again.', { cause: null })
  }

  return async (request, options = {}) => {
    const { op, contract, trader, clientId, functionName } = request
    // A node behind this ledger may return a used sequence number, or lack a position that the call needs.
    const call = { ...options, minLedger: parts.ledgerWatermarks.get(trader) }
    const exchange = deployment.current
    const called = exchange.contracts[contract]
    // Independent of each other: together they cost one round trip.
    const [sequence, [simulated], ledgerSec, conditions] = await Promise.all([
      readSequence(parts, trader, call),
      // A missing account is reported rather than what its simulation says.
      Promise.allSettled([simulate(request, exchange, call)]),
      parts.ledgerTime.nowSec(),
      parts.readConditions(),
      parts.footprints.prefetch({ contract, functionName, args: request.args, caller: trader }, options),
    ])
    if (sequence === null) throw new SimulationFailed('the account does not exist on the network. Fund it, then prepare again.', { cause: null })
    if (simulated.status === 'rejected') throw simulated.reason
    const { args, simulation, effects, preview, fee } = simulated.value
    const covered = { contract, functionName, args, caller: trader }
    const { simulation: extended, extraFee } = await parts.footprints.extend(covered, simulation, options).catch(toRpcFailure('simulateTransaction'))
    const { envelopeXdr, resourceFee } = decodeResponse('simulateTransaction', () => assembleTransaction(
      draftCall({ source: trader, contract: called, functionName, args }),
      { simulation: extended, sequence, maxTimeSec: ledgerSec + PREPARED_VALIDITY_SEC },
    ))
    const { hash, maxTimeSec, invocation } = decodeResponse('simulateTransaction', () => readPreparedEnvelope(envelopeXdr, parts.networkId))
    return {
      op, trader, xdr: envelopeXdr, minResourceFee: simulation.minResourceFee ?? (resourceFee - extraFee).toString(),
      extraResourceFee: extraFee.toString(),
      feeConfirmedBy: fee.agreeing, nodes: rpc.endpoints,
      hash, clientId, expiresAt: maxTimeSec, intent: describeIntent(invocation, exchange), preview,
      warnings: [
        ...judgeFee(op, resourceFee + BigInt(BASE_FEE_STROOPS), fee),
        ...findWarnings(effects, conditions, { op, nowSec: ledgerSec, priceTimestamp: preview.priceTimestamp }),
      ],
    }
  }
}

/** Fees follow from the state of one ledger, and the nodes may be a few ledgers apart. */
const FEE_RATIO_MAX = 2n

/** Compares what two nodes would charge. Either of two figures may be the one that ends in the envelope. */
function compareFees(first: SimulationResponse, second: SimulationResponse): Comparison {
  const [one, other] = [feeOf(first), feeOf(second)]
  if (one === null || other === null) return 'unknown'
  return one <= other * FEE_RATIO_MAX && other <= one * FEE_RATIO_MAX ? 'same' : 'different'
}

/** Null: the simulation failed, or its fee cannot be read. */
function feeOf({ error, minResourceFee, transactionDataXdr }: SimulationResponse): bigint | null {
  if (error !== null || transactionDataXdr === null) return null
  try {
    const declared = decodeTransactionData(transactionDataXdr).resourceFee
    const minimum = minResourceFee !== null && /^\d{1,20}$/.test(minResourceFee) ? BigInt(minResourceFee) : 0n
    return declared > minimum ? declared : minimum
  } catch (caught) {
    if (caught instanceof MalformedResponse || caught instanceof NewerThanKnown) return null
    throw caught
  }
}

/** The account's sequence number; null when the account does not exist. */
async function readSequence({ rpc, ledgerWatermarks }: PrepareParts, trader: string, call: CallOptions): Promise<bigint | null> {
  const key = accountKey(trader)
  const { entries, latestLedger } = await rpc.getLedgerEntries([key], call)
  ledgerWatermarks.record(trader, latestLedger)
  const entry = entries.find(({ keyXdr }) => keyXdr === key)
  return entry === undefined ? null : decodeResponse('getLedgerEntries', () => readAccountSequence(entry.dataXdr))
}

function decodeResponse<T>(method: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return toRpcFailure(method)(error)
  }
}

const toRpcFailure = (method: string) => (error: unknown): never => {
  if (error instanceof NewerThanKnown) throw newerFailure(method, error)
  if (!(error instanceof MalformedResponse)) throw error
  throw new RpcFailure({ method, kind: 'malformed', retryable: true, detail: error.message, cause: error })
}

/** A failed simulation: a contract's error, a host error, or a node that cannot simulate. */
function toSimulationError(text: string, eventsXdr: readonly string[], called: string, contractErrors: ContractErrors): Error {
  const raised = findSimulationError(text, eventsXdr)
  if (raised !== null) {
    const { contractError, advice } = contractErrors.explain(raised, called)
    return new SimulationFailed(advice, { cause: raised, contractError })
  }
  const host = readHostError(text)
  if (host !== null) return new SimulationFailed(adviceForHostError(host), { cause: host })
  return new RpcFailure({ method: 'simulateTransaction', kind: 'rpc', retryable: true, detail: text })
}
