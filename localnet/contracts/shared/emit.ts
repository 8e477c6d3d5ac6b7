// Events of the exchange's contracts: the topic is a symbol; the data is a tuple, even for one value, and void if there is none.

import type { ContractEnv, Val } from './host.ts'
import { symbol, vec, VOID } from './host.ts'

/** Emits an event with one topic. */
export function emit(env: ContractEnv, topic: string, ...data: readonly Val[]): void {
  env.emit([symbol(topic)], data.length === 0 ? VOID : vec(...data))
}

/** Emits an event with a second topic, such as the asset or the vault id. */
export function emitWithSubject(env: ContractEnv, topic: string, subject: Val, ...data: readonly Val[]): void {
  env.emit([symbol(topic), subject], data.length === 0 ? VOID : vec(...data))
}
