import { cpSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PROJECT_ROOT } from './program.ts'

const NOT_COPIED: ReadonlySet<string> = new Set(['node_modules', '.git', 'data', 'client/dist'])

/** Copies the project as it is after a clone and `npm ci`; returns the path. */
export function copyProject(folder: string): string {
  const copy = join(folder, 'project')
  cpSync(PROJECT_ROOT, copy, { recursive: true, filter: (path) => !NOT_COPIED.has(relative(PROJECT_ROOT, path)) })
  symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
