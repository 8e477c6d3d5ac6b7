// The part of a verification that needs no HTTP server: submissions are compared with the archive and the nodes, and what is open is driven.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { createAgreement } from '../chain/rpc/agreement.ts'
import { createLedgerWatermarks } from '../chain/rpc/ledger-watermarks.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { createRelay } from '../trading/relay/relay.ts'
import type { Store } from '../store/store.ts'
import { reservedUses } from './reserved-uses.ts'
import { createSubmissionService } from '../trading/submission-service.ts'
import type { SubmissionService } from '../trading/submission-service.ts'

export interface SubmissionVerifierParts {
  readonly store: Store
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export function createSubmissionVerifier(parts: SubmissionVerifierParts): Pick<SubmissionService, 'run'> {
  const { clock } = parts
  const relay = createRelay({
    ...parts, ledgerWatermarks: createLedgerWatermarks(clock), agreement: createAgreement(clock), readConditions: () => Promise.resolve(null),
  })
  return createSubmissionService({ ...parts, relay, uses: reservedUses(parts.store.write, clock) })
}
