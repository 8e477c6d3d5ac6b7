// Proves that a reading is of the indexed chain. A node can be reset, or serve another network, before the indexer notices. What it says then belongs to
// another chain, whose ids and ledger numbers may be the same. A page that is read and confirmed after a reading proves the reading.

import type { Writer } from '../../store/store.ts'
import type { StepResult } from '../pages/step-result.ts'

/** `refuted`: a step failed since the reading, so that it may be of another chain. */
type Proof = 'pending' | 'proven' | 'refuted'

export interface ChainProof {
  /** The current moment, to be taken right after a reading. */
  mark(): number
  /** Returns what the steps since that moment prove. */
  proofOf(mark: number): Proof
  /** Asks the node now: false when it serves another chain, or does not respond. */
  confirmNow(db: Writer, signal: AbortSignal | undefined): Promise<boolean>
}

export interface StepProof extends ChainProof {
  /** Runs a step of the indexer. */
  observeStep(step: () => Promise<StepResult>): Promise<StepResult>
}

export function createChainProof(confirmNow: ChainProof['confirmNow']): StepProof {
  /** Counts the begins and ends of steps. */
  let moment = 0
  let lastProofBegan = 0
  let lastFailureEnded = 0
  return {
    mark: () => moment,
    proofOf(mark) {
      if (lastFailureEnded > mark) return 'refuted'
      return lastProofBegan > mark ? 'proven' : 'pending'
    },
    confirmNow,
    async observeStep(step) {
      const began = ++moment
      let isIndexed = false
      try {
        const result = await step()
        isIndexed = result.kind === 'indexed'
        return result
      } finally {
        moment += 1
        if (isIndexed) lastProofBegan = began
        else lastFailureEnded = moment
      }
    },
  }
}
