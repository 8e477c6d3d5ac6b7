// RPC faults of a simulation: each call may misbehave as the seed decides.

import { createFaults } from '../../localnet/faults.ts'
import type { Faults } from '../../localnet/faults.ts'
import type { Choice, Decisions, Option } from './decisions.ts'
import type { Profile } from './profile.ts'

/** The fields of the choice are the parameters of the fault. */
function fault(name: string, parameters: Readonly<Record<string, string | number | boolean>> = {}): Choice {
  return { name, ...parameters }
}

function optionsOf(method: string, profile: Profile): readonly Option[] {
  const { rpc } = profile
  const everywhere: readonly Option[] = [
    // On either side of the client's own timeout.
    { chance: rpc.timeout, choice: (roll) => fault('timeout', { ms: roll.integer(5_000, 60_000) }) },
    { chance: rpc.status5xx, choice: (roll) => fault('http_status', { status: [502, 503, 504][roll.integer(0, 2)] ?? 503 }) },
    { chance: rpc.reset, choice: () => fault('connection_reset') },
    { chance: rpc.tornJson, choice: (roll) => fault('torn_json', { keepPercent: roll.integer(1, 99) }) },
    { chance: rpc.html, choice: () => fault('html_200') },
    { chance: rpc.rpcError, choice: (roll) => fault('rpc_error', { code: [-32001, -32098, -32603][roll.integer(0, 2)] ?? -32001 }) },
    { chance: rpc.lagging, choice: (roll) => fault('lagging', { ledgers: roll.integer(1, 10) }) },
  ]
  if (method === 'sendTransaction') return [...sendOptions(profile), ...everywhere]
  if (method !== 'getEvents') return everywhere
  return [
    ...everywhere,
    { chance: rpc.repeatedPage, choice: () => fault('repeated_page') },
    { chance: rpc.cursorIgnored, choice: () => fault('cursor_ignored') },
    { chance: rpc.cutPage, choice: (roll) => fault('cut_page', { events: roll.integer(1, 12) }) },
  ]
}

/** Additional faults of submissions. */
function sendOptions({ send }: Profile): readonly Option[] {
  if (send === undefined) return []
  return [
    { chance: send.tryAgainLater, choice: (roll) => fault('try_again_later', { executed: roll.integer(0, 1) === 1 }) },
    { chance: send.duplicate, choice: () => fault('duplicate') },
    { chance: send.lost / 2, choice: (roll) => fault('submission_lost', { executed: roll.integer(0, 1) === 1 }) },
    { chance: send.lost / 2, choice: () => fault('invalid_status') },
    { chance: send.executed / 2, choice: (roll) => fault('timeout', { ms: roll.integer(1_000, 60_000), executed: true }) },
    { chance: send.executed / 2, choice: () => fault('connection_reset', { executed: true }) },
  ]
}

/** Injects the decided faults and no others. */
export function simulatedFaults(decisions: Decisions, profile: Profile): Faults {
  return createFaults({
    decide({ method }) {
      const choice = decisions.decide(`rpc ${method}`, optionsOf(method, profile))
      return choice === undefined ? [] : [choice]
    },
  })
}
