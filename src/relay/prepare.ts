// POST /v1/orders/prepare and /v1/actions/prepare: builds and simulates the unsigned transaction of a contract call. Keeps no state.

import { MalformedResponse } from '../chain/responses.ts'
import { readPreparedEnvelope } from '../chain/prepared-envelope.ts'
import type { SimulationResponse } from '../chain/responses.ts'
import { RpcFailure } from '../chain/failure.ts'
import { findSimulationError, readHostError } from '../chain/outcome.ts'
import type { HostError, RaisedError } from '../chain/outcome.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import { accountKey, assembleTransaction, draftCall, readAccountSequence, simulationEnvelope } from '../chain/transaction.ts'
import type { ContractCall } from '../exchange/call-arguments.ts'
import type { ContractKey } from '../exchange/contracts.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { PREPARED_VALIDITY_SEC } from '../limits.ts'
import type { PreparedTransaction } from '../resources/prepared-transaction.ts'
import type { ContractError } from '../resources/submit-result.ts'
import { adviceForHostError } from './advice.ts'
import { hostText } from './contract-errors.ts'
import type { ContractErrors } from './contract-errors.ts'
import { describeIntent } from './intent.ts'
import type { LedgerWatermarks } from '../chain/ledger-watermarks.ts'
import type { Footprints } from './footprints.ts'
import type { LedgerTime } from './ledger-time.ts'
import { previewSimulation } from './preview.ts'
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
  readonly ledgerTime: LedgerTime
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
}

/** Prepares a call. Rejects with SimulationFailed, with RpcFailure, or with the reason of the signal. */
export type Prepare = (request: PrepareRequest, options?: Pick<CallOptions, 'signal' | 'requester'>) => Promise<PreparedTransaction>

export function createPrepare(parts: PrepareParts): Prepare {
  const { rpc, deployment, contractErrors } = parts

  return async ({ op, contract, trader, clientId, functionName, args }, options = {}) => {
    // A node behind this ledger may return a used sequence number, or lack a position that the call needs.
    const call = { ...options, minLedger: parts.ledgerWatermarks.get(trader) }
    const exchange = deployment.current
    const called = exchange.contracts[contract]
    const draft = draftCall({ source: trader, contract: called, functionName, args })
    const covered = { contract, functionName, args, caller: trader }
    // Independent of each other: together they cost one round trip.
    const [sequence, simulation, ledgerSec, conditions] = await Promise.all([
      readSequence(parts, trader, call),
      rpc.simulateTransaction(simulationEnvelope(draft), call),
      parts.ledgerTime.nowSec(),
      parts.readConditions(),
      parts.footprints.prefetch(covered, options),
    ])
    if (sequence === null) throw new SimulationFailed('the account does not exist on the network. Fund it, then prepare again.', { cause: null })
    if (simulation.error !== null) throw toSimulationError(simulation.error, simulation.eventsXdr, called, contractErrors)
    if (simulation.mustRestore) throw new SimulationFailed('the call needs archived ledger entries. Restore them first.', { cause: null })
    const { simulation: extended, extraFee } = await parts.footprints.extend(covered, simulation, options).catch(toRpcFailure('simulateTransaction'))
    const { envelopeXdr, resourceFee } = assemble(extended, sequence, ledgerSec)
    const { effects, preview } = previewSimulation(simulation, { trader, contract: called, exchange })
    const { hash, maxTimeSec, invocation } = decodeResponse('simulateTransaction', () => readPreparedEnvelope(envelopeXdr, parts.networkId))
    return {
      op, trader, xdr: envelopeXdr, minResourceFee: simulation.minResourceFee ?? (resourceFee - extraFee).toString(),
      extraResourceFee: extraFee.toString(),
      hash, clientId, expiresAt: maxTimeSec, intent: describeIntent(invocation, exchange), preview,
      warnings: findWarnings(effects, conditions, { nowSec: ledgerSec, priceTimestamp: preview.priceTimestamp }),
    }

    function assemble(answer: SimulationResponse, account: bigint, timeSec: number): ReturnType<typeof assembleTransaction> {
      const placed = { simulation: answer, sequence: account, maxTimeSec: timeSec + PREPARED_VALIDITY_SEC }
      return decodeResponse('simulateTransaction', () => assembleTransaction(draft, placed))
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
