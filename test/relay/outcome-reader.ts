// Envelopes in flight, and the reader of their outcomes, for tests of a scripted node.

import { silentLog } from '../../src/base/log.ts'
import { createLedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import type { LedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import { createJudge } from '../../src/trading/relay/absence.ts'
import { createContractErrors } from '../../src/trading/relay/error-advice.ts'
import { createFlights } from '../../src/trading/relay/flights.ts'
import type { Flights } from '../../src/trading/relay/flights.ts'
import { createOutcomeReader } from '../../src/trading/relay/outcomes.ts'
import type { HostFailure, OutcomeReader } from '../../src/trading/relay/outcomes.ts'
import { currentDeploymentOf } from '../support/deployments.ts'
import { networkIdOf } from '../../src/chain/codec/transaction.ts'
import { NO_WARNINGS } from '../support/no-warnings.ts'
import { CONTRACTS, PASSPHRASE } from './responses.ts'
import type { ScriptedNode } from './scripted-node.ts'

export function outcomesOf(
  { rpc, clock }: ScriptedNode, ledgerWatermarks: LedgerWatermarks = createLedgerWatermarks(clock), onHostFailure: (failure: HostFailure) => void = () => {},
): OutcomeReader {
  return createOutcomeReader({
    rpc, clock, networkId: networkIdOf(PASSPHRASE), ...NO_WARNINGS,
    deployment: currentDeploymentOf(CONTRACTS), contractErrors: createContractErrors(currentDeploymentOf(CONTRACTS)), ledgerWatermarks, onHostFailure,
  })
}

export function flightsOf(node: ScriptedNode, outcomes: OutcomeReader = outcomesOf(node)): Flights {
  const { rpc, clock } = node
  return createFlights({ rpc, clock, log: silentLog, outcomes, judge: createJudge({ rpc, clock, outcomes }).judge })
}
