// The reader of outcomes for tests of submissions.

import { createLedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import type { LedgerWatermarks } from '../../src/chain/rpc/ledger-watermarks.ts'
import { createContractErrors } from '../../src/trading/contract-errors.ts'
import { createOutcomeReader } from '../../src/trading/outcomes.ts'
import type { HostFailure, OutcomeReader } from '../../src/trading/outcomes.ts'
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
    contractErrors: createContractErrors(currentDeploymentOf(CONTRACTS)), ledgerWatermarks, onHostFailure,
  })
}
