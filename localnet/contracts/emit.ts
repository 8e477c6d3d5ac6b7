// How the exchange's contracts speak: the topic as a symbol, the data as a tuple even when it is one value, void when it is none.

import type { ContractEnv, Val } from './host.ts'
import { symbol, vec, VOID } from './host.ts'

/** Emits an event with one topic. */
export function emit(env: ContractEnv, topic: string, ...data: readonly Val[]): void {
  env.emit([symbol(topic)], data.length === 0 ? VOID : vec(...data))
}

/** Emits an event whose second topic names what it is about. */
export function emitWithSubject(env: ContractEnv, topic: string, subject: Val, ...data: readonly Val[]): void {
  env.emit([symbol(topic), subject], data.length === 0 ? VOID : vec(...data))
}
