// The other end of child.ts: what a child's script does when it is asked.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CPU_SEC, RETAINED_BYTES } from './child.ts'
import type { Request, Reply } from './child.ts'

/** What a child knows how to do, by name. What it throws goes back to the asker as text. */
export type Handlers = Readonly<Record<string, (argument: never) => unknown>>

/** Answers the parent's questions until the parent lets go; then `end` runs, and the process has nothing left to do. */
export function serveParent(skills: Handlers, end: () => Promise<void>): void {
  process.on('message', (question: Request) => void answer(skills, question).then(reply))
  process.once('disconnect', () => void end())
}

/** Whoever asked may be gone by now. */
function reply(message: Reply): void {
  if (process.connected) process.send?.(message)
}

async function answer(skills: Handlers, { id, name, argument }: Request): Promise<Reply> {
  try {
    const skill = COMMON_HANDLERS[name] ?? skills[name]
    if (skill === undefined) throw new Error(`nobody knows ${name} here`)
    return { id, value: await skill(argument as never) }
  } catch (error) {
    return { id, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

const COMMON_HANDLERS: Handlers = { [CPU_SEC]: cpuSec, [RETAINED_BYTES]: retainedBytes }

function cpuSec(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

function retainedBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // What the first pass lets go of frees buffers that only a second one counts.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
