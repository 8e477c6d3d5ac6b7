// Prepares transactions, which the client signs, and submits them. Uses no database and no private key.

import { createCache } from '../../base/cache.ts'
import type { Clock } from '../../base/clock.ts'
import { createLedgerClock } from '../../base/ledger-clock.ts'
import type { LedgerClock } from '../../base/ledger-clock.ts'
import type { Log } from '../../base/log.ts'
import type { Agreement } from '../../chain/rpc/agreement.ts'
import type { LedgerWatermarks } from '../../chain/rpc/ledger-watermarks.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { NewerThanKnown } from '../../chain/codec/newer-than-known.ts'
import { decodeEnvelope, MalformedEnvelope, networkIdOf } from '../../chain/codec/transaction.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import type { CurrentDeployment } from '../../exchange/deployment.ts'
import { createJudge } from './absence.ts'
import type { Judge } from './absence.ts'
import { createContractErrors } from './error-advice.ts'
import { createFlights } from './flights.ts'
import type { Flights } from './flights.ts'
import { createFootprints } from './footprints.ts'
import { findOperation, readSubmittedCall } from './intent.ts'
import type { SubmittedCall } from './intent.ts'
import { createBoundsTime } from './ledger-time.ts'
import { createOutcomeReader } from './outcomes.ts'
import type { HostFailure, OutcomeReader } from './outcomes.ts'
import { createPrepare } from './prepare.ts'
import type { Prepare } from './prepare.ts'
import type { ReadConditions } from './warnings.ts'

export interface Relay {
  readonly prepare: Prepare
  /** The operation of a transaction; null for a call that is none. */
  operationOf(signed: Pick<SignedTransaction, 'contract' | 'functionName'>): string | null
  /** Decodes a signed envelope; undefined when it is not valid, or newer than this gateway. */
  decode(signedXdr: string): SignedTransaction | undefined
  /** The call of a signed transaction; null when it is not exactly one that can be prepared for its source account. */
  callOf(signed: Pick<SignedTransaction, 'envelopeXdr'>): SubmittedCall | null
  /** Explains to its sender why an envelope cannot be decoded. */
  explainUndecoded(signedXdr: string): string
  readonly flights: Flights
  readonly outcomes: OutcomeReader
  readonly judgeNow: Judge['judgeNow']
}

/** The most recent preparations whose failures are learned from. */
const PREPARED_MAX = 10_000

export function createRelay(parts: {
  readonly rpc: Rpc
  readonly clock: Clock
  readonly log: Log
  readonly deployment: CurrentDeployment
  readonly ledgerWatermarks: LedgerWatermarks
  /** Shared with the parts that need the ledger's time; its own by default. */
  readonly ledgerClock?: LedgerClock
  readonly readConditions: ReadConditions
  readonly agreement: Pick<Agreement, 'record'>
}): Relay {
  const { rpc, clock, log, deployment, ledgerWatermarks, readConditions, agreement, ledgerClock = createLedgerClock({ clock }) } = parts
  // The passphrase stays the same: a process serves one network.
  const networkId = networkIdOf(deployment.current.passphrase)
  const contractErrors = createContractErrors(deployment)
  const footprints = createFootprints({ rpc, clock, deployment })
  const prepared = createCache<string, true>(PREPARED_MAX)
  const outcomes = createOutcomeReader({ rpc, clock, networkId, deployment, agreement, contractErrors, ledgerWatermarks, onHostFailure })
  const { judge, judgeNow } = createJudge({ rpc, clock, outcomes })
  const prepare = createPrepare({
    rpc, clock, agreement, deployment, networkId, contractErrors, ledgerWatermarks, readConditions, footprints,
    ledgerTime: createBoundsTime({ rpc, clock, ledgerClock }),
  })

  function decode(signedXdr: string): SignedTransaction | MalformedEnvelope | NewerThanKnown {
    try {
      return decodeEnvelope(signedXdr, networkId)
    } catch (error) {
      if (error instanceof MalformedEnvelope || error instanceof NewerThanKnown) return error
      throw error
    }
  }

  /** Learns once, and only from what was prepared here: others may declare anything, and all users pay for what is learned. */
  function onHostFailure({ hash, envelopeXdr, ...failure }: HostFailure): void {
    if (envelopeXdr !== null && prepared.delete(hash)) footprints.learnFailure({ envelopeXdr, ...failure })
  }

  return {
    async prepare(request, options) {
      const transaction = await prepare(request, options)
      prepared.set(transaction.hash, true)
      return transaction
    },
    operationOf: ({ contract, functionName }) => findOperation(contract, functionName, deployment.current),
    callOf: ({ envelopeXdr }) => readSubmittedCall(envelopeXdr, deployment.current),
    decode(signedXdr) {
      const decoded = decode(signedXdr)
      return decoded instanceof Error ? undefined : decoded
    },
    explainUndecoded(signedXdr) {
      const decoded = decode(signedXdr)
      if (!(decoded instanceof NewerThanKnown)) return 'signedXdr is not a base64 transaction envelope.'
      return `signedXdr contains ${decoded.what}, which is newer than this gateway. Nothing was submitted. Submit it to a node of the network.`
    },
    flights: createFlights({ rpc, clock, log, outcomes, judge }),
    outcomes,
    judgeNow,
  }
}
