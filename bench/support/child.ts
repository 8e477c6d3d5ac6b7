// What is measured runs in a process of its own, so that it does not share an event loop with what measures it.

import { fork } from 'node:child_process'

/** A process that answers questions; it ends when it is disposed of, or when this process goes away. */
export interface Child extends AsyncDisposable {
  /** Asks the child to do what its script knows by this name. Rejects with the child's own words. */
  call<Answer>(name: string, argument?: unknown): Promise<Answer>
  /** The processor time that the child has used so far, all its threads together. */
  cpuSec(): Promise<number>
  /** What the objects and buffers of its main thread take now, when those that nobody needs any more have been collected. */
  retainedBytes(): Promise<number>
  /** Ends it with SIGKILL, in the middle of whatever it does; what was asked is rejected. */
  kill(): Promise<void>
}

/** A question on its way to the child. */
export interface Request {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** The child's answer. */
export type Reply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly problem: string }

/** The questions that every child can answer. */
export const CPU_SEC = 'cpuSec'
export const RETAINED_BYTES = 'heldBytes'

interface PendingCall {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Starts `script` in a process of its own, with the same flags as this one: `node --cpu-prof bench/run.ts` profiles every child too. */
export function startChild(script: URL): Child {
  const child = fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const waiting = new Map<number, PendingCall>()
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  // An interrupted run ends its children; whoever waits for one hears of it, and everything is tidied up on the way out.
  const interrupt = (): void => void child.kill()
  process.once('SIGINT', interrupt)
  let asked = 0

  child.on('message', (reply: Reply) => {
    const asker = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('problem' in reply) asker?.reject(new Error(reply.problem))
    else asker?.resolve(reply.value)
  })
  child.once('exit', (code, signal) => {
    process.removeListener('SIGINT', interrupt)
    for (const asker of waiting.values()) asker.reject(new Error(`${script.pathname} ended: ${code ?? signal}`))
    waiting.clear()
  })

  function ask(name: string, argument?: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const question: Request = { id: ++asked, name, argument }
      waiting.set(question.id, { resolve, reject })
      child.send(question)
    })
  }

  return {
    call: <Answer>(name: string, argument?: unknown) => ask(name, argument) as Promise<Answer>,
    cpuSec: () => ask(CPU_SEC) as Promise<number>,
    retainedBytes: () => ask(RETAINED_BYTES) as Promise<number>,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
