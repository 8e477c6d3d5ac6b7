// POST /v1/orders/prepare and /v1/actions/prepare: builds and simulates the unsigned transaction of a contract call. Keeps no state.

import { MalformedResponse } from '../chain/responses.ts'
import { readPreparedEnvelope } from '../chain/prepared-envelope.ts'
import type { SimulationResponse } from '../chain/responses.ts'
import { newerFailure, RpcFailure } from '../chain/failure.ts'
import { NewerThanKnown } from '../chain/newer-than-known.ts'
import { findSimulationError, readHostError } from '../chain/outcome.ts'
import type { HostError, RaisedError } from '../chain/outcome.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import { accountKey, assembleTransaction, draftCall, readAccountSequence, simulationEnvelope } from '../chain/transaction.ts'
import type { CallArgument, ContractCall } from '../exchange/call-arguments.ts'
import type { ContractKey } from '../exchange/contracts.ts'
import type { CurrentDeployment, Deployment } from '../exchange/deployment.ts'
import { acceptablePrice } from '../exchange/price-bound.ts'
import { PREPARED_VALIDITY_SEC } from '../limits.ts'
import type { PreparedTransaction } from '../resources/prepared-transaction.ts'
import type { ContractError } from '../resources/submit-result.ts'
import { adviceForHostError } from './advice.ts'
import { hostText } from './contract-errors.ts'
import type { ContractErrors } from './contract-errors.ts'
import { describeIntent } from './intent.ts'
import type { LedgerWatermarks } from '../chain/ledger-watermarks.ts'
import type { Footprints } from './footprints.ts'
import type { BoundsTime } from './ledger-time.ts'
import { previewSimulation } from './preview.ts'
import type { SimulatedTrade } from './preview.ts'
import { findWarnings } from './warnings.ts'
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
export interface PriceBound {
  readonly slippageBps: number
  /** The arguments with this acceptable price. */
  argsWith(price: bigint): readonly CallArgument[]
}

/** A simulation that succeeded. */
interface Simulated extends SimulatedTrade {
  readonly args: readonly CallArgument[]
  readonly simulation: SimulationResponse
}

/** A price changes every few seconds. The first simulation finds the price, and the second one has the bound. */
const BOUND_SIMULATIONS_MAX = 4

/** Prepares a call. Rejects with SimulationFailed, with RpcFailure, or with the reason of the signal. */
export type Prepare = (request: PrepareRequest, options?: Pick<CallOptions, 'signal' | 'requester'>) => Promise<PreparedTransaction>

export function createPrepare(parts: PrepareParts): Prepare {
  const { rpc, deployment, contractErrors } = parts

  /** Simulates the call; with a price bound until the bound follows from the price of the same simulation. */
  async function simulate(request: PrepareRequest, exchange: Deployment, call: CallOptions): Promise<Simulated> {
    const { contract, trader, functionName, priceBound } = request
    const called = exchange.contracts[contract]
    let { args } = request
    let bound: bigint | null = null
    for (let count = 0; count < BOUND_SIMULATIONS_MAX; count++) {
      const simulation = await rpc.simulateTransaction(simulationEnvelope(draftCall({ source: trader, contract: called, functionName, args })), call)
      if (simulation.error !== null) throw toSimulationError(simulation.error, simulation.eventsXdr, called, contractErrors)
      if (simulation.mustRestore) throw new SimulationFailed('the call needs archived ledger entries. Restore them first.', { cause: null })
      const trade = previewSimulation(simulation, { trader, contract: called, exchange })
      if (priceBound === null) return { ...trade, args, simulation }
      const wanted = acceptablePrice(trade.effects, priceBound.slippageBps)
      if (wanted === null) throw new SimulationFailed('the price of the trade is unknown. Set acceptablePrice instead of slippageBps.', { cause: null })
      if (wanted === bound) return { ...trade, args, simulation }
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
    const { args, simulation, effects, preview } = simulated.value
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
      hash, clientId, expiresAt: maxTimeSec, intent: describeIntent(invocation, exchange), preview,
      warnings: findWarnings(effects, conditions, { op, nowSec: ledgerSec, priceTimestamp: preview.priceTimestamp }),
    }
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
