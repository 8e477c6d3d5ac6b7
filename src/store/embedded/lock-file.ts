// One process per data folder. PGlite does not lock its folder, and two engines in one folder silently overwrite each other's acknowledged rows.

import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { assert } from '../../base/assert.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { LOCK_FILE_HEARTBEAT_MS, LOCK_FILE_STALE_AFTER_MS, LOCK_FILE_ATTEMPTS } from '../bounds.ts'

/** Raised when another process, or this one, already has the folder open. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

/** The process that holds a folder. A field is empty where the system does not provide it (there is no /proc). */
export interface LockHolder {
  readonly pid: number
  /** Clock ticks from the machine's start to that of the process. It differs for a later process with the same pid. */
  readonly startedAtTicks: string
  /** Changes when the machine restarts. */
  readonly bootId: string
  /** Processes in different namespaces (containers) cannot see each other. */
  readonly pidNamespace: string
  /** Distinguishes holders within one process. */
  readonly serial: number
}

export interface LockFile {
  /** Removes the file. */
  release(): void
}

let lastSerial = 0

/** Acquires `path` for this process; the file of a dead process is taken over. Raises FolderInUse, which names `folder` and the holder. */
export async function acquireLockFile(options: { path: string; folder: string; clock: Clock; onLost: () => void }): Promise<LockFile> {
  const { path, folder, clock, onLost } = options
  const self: LockHolder = { ...describeProcess(process.pid), serial: ++lastSerial }
  const own = `${path}.${self.pid}.${self.serial}`
  writeFileSync(own, JSON.stringify(self))
  try {
    for (let attempt = 0; attempt < LOCK_FILE_ATTEMPTS; attempt++) {
      if (tryLink(own, path)) return holdLockFile(path, self, clock, onLost)
      const found = readHolder(path)
      if (found === undefined) continue
      if (await isAlive(found, path, clock)) throw inUse(folder, found, path)
      removeStale(path, own, found)
    }
  } finally {
    rmSync(own, { force: true })
  }
  throw new FolderInUse(`several processes are opening the folder ${folder} at the same time. Start only one of them`)
}

function inUse(folder: string, holder: LockHolder, path: string): FolderInUse {
  const owner = holder.pid === process.pid ? `this process (${holder.pid})` : `process ${holder.pid}`
  const advice = 'Two processes in one folder would lose data. Stop the other one, use another folder, or use a PostgreSQL server'
  return new FolderInUse(`the folder ${folder} is in use by ${owner} (${path}). ${advice}.`)
}

/** Creates the lock file atomically, with its content. False when it exists. */
function tryLink(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return false
    throw cause
  }
}

/** The holder in a lock file; undefined when there is no file. An unreadable file was left by a crash; its holder has pid 0, which is never alive. */
function readHolder(path: string): LockHolder | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockHolder>
    const { pid = 0, startedAtTicks = '', bootId = '', pidNamespace = '', serial = 0 } = value
    return { pid, startedAtTicks, bootId, pidNamespace, serial }
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    return { pid: 0, startedAtTicks: '', bootId: '', pidNamespace: '', serial: 0 }
  }
}

function isSame(a: LockHolder, b: LockHolder): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Removes a dead holder's file. If another process has replaced it in between, its file is put back. */
function removeStale(path: string, own: string, stale: LockHolder): void {
  const aside = `${own}.stale`
  try {
    renameSync(path, aside)
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return
    throw cause
  }
  const moved = readHolder(aside)
  if (moved !== undefined && !isSame(moved, stale)) tryLink(aside, path)
  rmSync(aside, { force: true })
}

async function isAlive(holder: LockHolder, path: string, clock: Clock): Promise<boolean> {
  if (holder.pid <= 0) return false
  const self = describeProcess(process.pid)
  if (holder.bootId !== self.bootId) return false
  if (holder.pidNamespace !== self.pidNamespace) return hasHeartbeat(path, clock)
  if (!processExists(holder.pid)) return false
  return holder.startedAtTicks === describeProcess(holder.pid).startedAtTicks
}

/** True if a holder in another container, whose process cannot be seen, still touches its file. */
async function hasHeartbeat(path: string, clock: Clock): Promise<boolean> {
  const before = modifiedMs(path)
  for (let waitedMs = 0; waitedMs < LOCK_FILE_STALE_AFTER_MS; waitedMs += LOCK_FILE_HEARTBEAT_MS) {
    await clock.sleep(LOCK_FILE_HEARTBEAT_MS)
    if (modifiedMs(path) !== before) return true
  }
  return false
}

function modifiedMs(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

/** Touches the file regularly. Calls `onLost` when it is no longer ours. */
function holdLockFile(path: string, self: LockHolder, clock: Clock, onLost: () => void): LockFile {
  let timer: Timer | undefined
  const isOwn = (): boolean => {
    const holder = readHolder(path)
    return holder !== undefined && isSame(holder, self)
  }
  function heartbeat(): void {
    timer = undefined
    if (!isOwn() || !touch(path, clock)) return onLost()
    timer = clock.setTimer(LOCK_FILE_HEARTBEAT_MS, heartbeat)
  }
  timer = clock.setTimer(LOCK_FILE_HEARTBEAT_MS, heartbeat)
  return {
    release() {
      timer?.cancel()
      timer = undefined
      if (isOwn()) rmSync(path, { force: true })
    },
  }
}

function touch(path: string, clock: Clock): boolean {
  try {
    utimesSync(path, clock.nowMs() / 1000, clock.nowMs() / 1000)
    return true
  } catch {
    return false
  }
}

/** The system's data on a process; fields are empty where it has none. */
export function describeProcess(pid: number): Omit<LockHolder, 'serial'> {
  // The second field is the program's name in parentheses and may contain spaces and parentheses. The start time is the 20th field after it.
  const fields = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).split(')').at(-1)?.trim().split(' ') ?? []
  return {
    pid,
    // An ended process stays in the process table until its parent has waited for it.
    startedAtTicks: ['Z', 'X'].includes(fields[0] ?? '') ? 'ended' : (fields[19] ?? ''),
    bootId: readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    pidNamespace: readOrEmpty(() => readlinkSync('/proc/self/ns/pid')),
  }
}

function processExists(pid: number): boolean {
  try {
    // Signal 0 is not delivered; it checks whether the process exists.
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return errorCode(cause) === 'EPERM'
  }
}

function readOrEmpty(from: () => string): string {
  try {
    return from()
  } catch {
    return ''
  }
}

function errorCode(cause: unknown): string | undefined {
  assert(cause instanceof Error, 'node:fs raises Error objects')
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}
