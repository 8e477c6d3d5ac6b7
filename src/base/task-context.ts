// A value that follows a task through its asynchronous calls, without being an argument of each.

import { AsyncLocalStorage } from 'node:async_hooks'

export interface TaskContext<Value> {
  /** Runs `work`, and everything that it starts, with this value. */
  run<Result>(value: Value, work: () => Result): Result
  /** Undefined outside of `run`. */
  current(): Value | undefined
}

export function createTaskContext<Value>(): TaskContext<Value> {
  const storage = new AsyncLocalStorage<Value>()
  return { run: (value, work) => storage.run(value, work), current: () => storage.getStore() }
}
