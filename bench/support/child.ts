// Each measured server runs in a child process, so that it does not share an event loop with the load generator.

import { fork } from 'node:child_process'

/** A child process that handles calls. It ends when it is disposed, or when this process ends. */
export interface Child extends AsyncDisposable {
  /** Calls the child's handler of this name. Rejects with the stack trace of the child's error. */
  call<Result>(name: string, argument?: unknown): Promise<Result>
  /** The processor time used so far by all threads of the child. */
  cpuSec(): Promise<number>
  /** The bytes that objects and buffers of its main thread use after a garbage collection. */
  retainedBytes(): Promise<number>
  /** Kills it with SIGKILL. Pending calls are rejected. */
  kill(): Promise<void>
}

/** A call, as sent to the child. */
export interface CallRequest {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** The child's response. */
export type CallResponse = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string }

/** The calls that every child handles. */
export const CPU_SEC = 'cpuSec'
export const RETAINED_BYTES = 'retainedBytes'

interface PendingCall {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Starts `script` in a child process with the same flags as this one: `node --cpu-prof bench/run.ts` profiles every child too. */
export function startChild(script: URL): Child {
  const child = fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const pending = new Map<number, PendingCall>()
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  // An interrupted run kills its children. Pending calls are rejected, so that their callers dispose everything.
  const interrupt = (): void => void child.kill()
  process.once('SIGINT', interrupt)
  let lastId = 0

  child.on('message', (response: CallResponse) => {
    const call = pending.get(response.id)
    pending.delete(response.id)
    if ('error' in response) call?.reject(new Error(response.error))
    else call?.resolve(response.value)
  })
  child.once('exit', (code, signal) => {
    process.removeListener('SIGINT', interrupt)
    for (const call of pending.values()) call.reject(new Error(`${script.pathname} exited: ${code ?? signal}`))
    pending.clear()
  })

  function send(name: string, argument?: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const request: CallRequest = { id: ++lastId, name, argument }
      pending.set(request.id, { resolve, reject })
      child.send(request)
    })
  }

  return {
    call: <Result>(name: string, argument?: unknown) => send(name, argument) as Promise<Result>,
    cpuSec: () => send(CPU_SEC) as Promise<number>,
    retainedBytes: () => send(RETAINED_BYTES) as Promise<number>,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
