// The contracts that are running, outermost first, and the calls that each of them has authorized in advance.

import type { ContractCode, Val } from '../contracts/shared/host.ts'
import type { AuthorizedCall } from './auth-tree.ts'
import { createInvocation } from './auth-tree.ts'
import type { Failure } from './host-events.ts'

/** A running contract. */
export interface Frame {
  readonly contract: string
  readonly functionName: string
  readonly args: readonly Val[]
  readonly code: ContractCode
  /** A failed host function traps the contract, even when its code catches the error. */
  fatalFailure: Failure | null
  /** Ids of deeper calls that the contract authorizes as itself: during its next call, and during the call that is running. */
  grantsForNextCall: readonly string[]
  grantsForRunningCall: readonly string[]
}

export interface CallStack {
  readonly depth: number
  /** The contract that runs now. */
  current(): Frame | undefined
  /** The contract that called the current one. */
  caller(): Frame | undefined
  isRunning(contract: string): boolean
  push(call: Pick<Frame, 'contract' | 'functionName' | 'args' | 'code'>): Frame
  pop(): void
  /** Moves the grants for the next call to the call that starts now. Returns a function that ends them with the call. */
  activateGrants(frame: Frame): () => void
  /** Uses up one grant of `address` for this call. Returns false when no running contract at that address authorized it. */
  consumeGrant(address: string, call: AuthorizedCall): boolean
  /** Returns a function that gives running contracts back the grants that were consumed since. */
  saveGrants(): () => void
}

/** An empty stack. */
export function createCallStack(): CallStack {
  const frames: Frame[] = []
  return {
    get depth() {
      return frames.length
    },
    current: () => frames.at(-1),
    caller: () => frames.at(-2),
    isRunning: (contract) => frames.some((frame) => frame.contract === contract),
    push(call) {
      const frame: Frame = { ...call, fatalFailure: null, grantsForNextCall: [], grantsForRunningCall: [] }
      frames.push(frame)
      return frame
    },
    pop: () => void frames.pop(),
    activateGrants(frame) {
      frame.grantsForRunningCall = frame.grantsForNextCall
      frame.grantsForNextCall = []
      return () => {
        frame.grantsForRunningCall = []
      }
    },
    consumeGrant(address, call) {
      const grantor = frames.find((frame) => frame.contract === address && frame.grantsForRunningCall.length > 0)
      const index = grantor?.grantsForRunningCall.indexOf(createInvocation(call).id) ?? -1
      if (grantor === undefined || index === -1) return false
      grantor.grantsForRunningCall = grantor.grantsForRunningCall.toSpliced(index, 1)
      return true
    },
    saveGrants() {
      const saved = frames.map((frame) => frame.grantsForRunningCall)
      return () => frames.forEach((frame, index) => (frame.grantsForRunningCall = saved[index] ?? []))
    },
  }
}
