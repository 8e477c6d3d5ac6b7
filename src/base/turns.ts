// The order in which waiting tasks run. Clients take turns by address and, at one address, by owner, so that one with many tasks does not delay the others
// (docs/decisions/fair-shares.md). Large tasks wait in queues of their own, which take turns with those of the small ones.

import { findSurplusHolder } from './fair-share.ts'
import type { Holder, Requester } from './fair-share.ts'

/** The client that a task runs for. */
export interface TurnCaller {
  /** The client's address. */
  readonly address: string
  /** The wallet of the client's key. Its tasks at several addresses wait in one queue. */
  readonly owner?: string
  /** True for tasks that may take long, such as reads of large pages. */
  readonly isLarge?: boolean
}

export interface Turns<Task extends object> {
  /** Tasks without a caller belong to the program itself and go first. */
  add(task: Task, caller?: TurnCaller): void
  /** Removes the next task. Without `allowLarge` large ones stay. */
  take(allowLarge?: boolean): Task | undefined
  /** False when the task does not wait. */
  remove(task: Task): boolean
  /**
   * Removes the newest task of the caller with the most, if that is more than this caller would have. A task of the program itself always gets room while
   * a caller's task waits.
   */
  makeRoom(caller?: TurnCaller): Task | undefined
  /** The number of waiting tasks at the caller's address; 0 for the program itself. */
  countOf(caller?: TurnCaller): number
  /** Removes all tasks. */
  clear(): readonly Task[]
  size(): number
}

interface Waiting<Task> extends Holder {
  readonly task: Task
  readonly taskSize: TaskSize
}

type TaskSize = 'small' | 'large'

export function createTurns<Task extends object>(): Turns<Task> {
  const own = new Set<Task>()
  /** In the order of arrival. */
  const waiting = new Map<Task, Waiting<Task>>()
  const rotations = { small: createRotation<Task>(), large: createRotation<Task>() }
  const owners = createOwnerAddresses()
  let lastSize: TaskSize = 'large'

  /** An owner has one queue, at the address where its first task waits. */
  function requesterFor({ address, owner = '' }: TurnCaller): Requester {
    return { address: owners.addressOf(owner) ?? address, key: owner }
  }

  function remove(task: Task): boolean {
    const found = waiting.get(task)
    if (found === undefined) return own.delete(task)
    waiting.delete(task)
    owners.release(found.requester)
    rotations[found.taskSize].remove(found.requester, task)
    return true
  }

  function nextTask(allowLarge: boolean): Task | undefined {
    const [first] = own
    if (first !== undefined) return first
    const order: readonly TaskSize[] = lastSize === 'large' ? ['small', 'large'] : ['large', 'small']
    for (const taskSize of order) {
      const task = taskSize === 'large' && !allowLarge ? undefined : rotations[taskSize].next()
      if (task === undefined) continue
      lastSize = taskSize
      return task
    }
    return undefined
  }

  return {
    add(task, caller) {
      if (caller === undefined) {
        own.add(task)
        return
      }
      const requester = requesterFor(caller)
      const taskSize = caller.isLarge === true ? 'large' : 'small'
      waiting.set(task, { task, requester, taskSize })
      owners.hold(requester)
      rotations[taskSize].add(requester, task)
    },
    take(allowLarge = true) {
      const task = nextTask(allowLarge)
      if (task !== undefined) remove(task)
      return task
    },
    remove,
    makeRoom(caller) {
      const newcomer = caller === undefined ? { address: '', key: '' } : requesterFor(caller)
      const surplus = findSurplusHolder(waiting.values(), newcomer, () => true) ?? (caller === undefined ? [...waiting.values()].at(-1) : undefined)
      if (surplus !== undefined) remove(surplus.task)
      return surplus?.task
    },
    countOf(caller) {
      if (caller === undefined) return 0
      const { address } = requesterFor(caller)
      return [...waiting.values()].filter(({ requester }) => requester.address === address).length
    },
    clear() {
      const tasks = [...own, ...waiting.keys()]
      for (const task of tasks) remove(task)
      return tasks
    },
    size: () => own.size + waiting.size,
  }
}

/** Queues by address and key. Those without tasks are removed. */
function createRotation<Task>() {
  /** Both in the order of their turns. */
  const addresses = new Map<string, Map<string, Task[]>>()
  return {
    add({ address, key }: Requester, task: Task): void {
      const queues = addresses.get(address) ?? new Map<string, Task[]>()
      addresses.set(address, queues)
      const queue = queues.get(key)
      if (queue === undefined) queues.set(key, [task])
      else queue.push(task)
    },
    /** The task whose turn it is. The next turn of its address, and of its key there, comes after those of the others. */
    next(): Task | undefined {
      const [address] = addresses
      const [key] = address?.[1] ?? []
      if (address === undefined || key === undefined) return undefined
      moveToEnd(addresses, address)
      moveToEnd(address[1], key)
      return key[1][0]
    },
    remove({ address, key }: Requester, task: Task): void {
      const queues = addresses.get(address)
      const queue = queues?.get(key)
      if (queues === undefined || queue === undefined) return
      queue.splice(queue.indexOf(task), 1)
      if (queue.length === 0) queues.delete(key)
      if (queues.size === 0) addresses.delete(address)
    },
  }
}

function moveToEnd<Value>(map: Map<string, Value>, [name, value]: readonly [string, Value]): void {
  map.delete(name)
  map.set(name, value)
}

/** The address of the queue of each owner with waiting tasks. */
function createOwnerAddresses() {
  const queues = new Map<string, { readonly address: string; tasks: number }>()
  return {
    addressOf: (owner: string): string | undefined => queues.get(owner)?.address,
    hold({ address, key }: Requester): void {
      if (key === '') return
      const known = queues.get(key)
      if (known === undefined) queues.set(key, { address, tasks: 1 })
      else known.tasks += 1
    },
    release({ key }: Requester): void {
      const known = queues.get(key)
      if (known === undefined) return
      known.tasks -= 1
      if (known.tasks === 0) queues.delete(key)
    },
  }
}
