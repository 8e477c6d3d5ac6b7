// The other end of child.ts: what a child's script does when it is asked.

import { CPU_SEC } from './child.ts'
import type { Question, Reply } from './child.ts'

/** What a child knows how to do, by name. What it throws goes back to the asker as text. */
export type Skills = Readonly<Record<string, (argument: never) => unknown>>

/** Answers the parent's questions until the parent lets go; then `end` runs, and the process has nothing left to do. */
export function serveParent(skills: Skills, end: () => Promise<void>): void {
  process.on('message', (question: Question) => void answer(skills, question).then(reply))
  process.once('disconnect', () => void end())
}

/** Whoever asked may be gone by now. */
function reply(message: Reply): void {
  if (process.connected) process.send?.(message)
}

async function answer(skills: Skills, { id, name, argument }: Question): Promise<Reply> {
  try {
    const skill = name === CPU_SEC ? cpuSec : skills[name]
    if (skill === undefined) throw new Error(`nobody knows ${name} here`)
    return { id, value: await skill(argument as never) }
  } catch (error) {
    return { id, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function cpuSec(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}
