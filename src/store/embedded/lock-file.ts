// One process per folder. The embedded engine takes no lock of its own, and two engines on one folder lose each other's acknowledged rows silently.

import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { assert } from '../../base/assert.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { LOCK_FILE_HEARTBEAT_MS, LOCK_FILE_STALE_AFTER_MS, LOCK_FILE_ATTEMPTS } from '../bounds.ts'

/** Raised when another process, or this one, has the folder open already. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

/** Who holds a folder. What the system does not tell (there is no /proc) is an empty text. */
export interface LockHolder {
  readonly pid: number
  /** Clock ticks between the machine's start and the process's: a later process with the same pid has another number. */
  readonly startedAtTicks: string
  /** A restart of the machine changes it. */
  readonly bootId: string
  /** The set of processes that can see each other: containers have their own. */
  readonly pidNamespace: string
  /** Tells two holders within one process apart. */
  readonly serial: number
}

/** The held lock; `release` removes the file. */
export interface LockFile {
  release(): void
}

let serial = 0

/** Takes `path` for this process. Raises FolderInUse, naming `folder` and the holder; the file of a dead process is taken over. */
export async function acquireLockFile(options: { path: string; folder: string; clock: Clock; onLost: () => void }): Promise<LockFile> {
  const { path, folder, clock, onLost } = options
  const self: LockHolder = { ...describeProcess(process.pid), serial: ++serial }
  const own = `${path}.${self.pid}.${self.serial}`
  writeFileSync(own, JSON.stringify(self))
  try {
    for (let tries = 0; tries < LOCK_FILE_ATTEMPTS; tries++) {
      if (tryLink(own, path)) return holdLockFile(path, self, clock, onLost)
      const found = readHolder(path)
      if (found === undefined) continue
      if (await isAlive(found, path, clock)) throw inUse(folder, found, path)
      removeStale(path, own, found)
    }
  } finally {
    rmSync(own, { force: true })
  }
  throw new FolderInUse(`the folder ${folder} is being opened by several processes at this moment; start one of them`)
}

function inUse(folder: string, holder: LockHolder, path: string): FolderInUse {
  const who = holder.pid === process.pid ? `this process (${holder.pid})` : `process ${holder.pid}`
  const advice = 'Two programs in one folder would lose data: stop that one, or use a folder of its own (or a PostgreSQL server)'
  return new FolderInUse(`the folder ${folder} is in use by ${who}, as ${path} says. ${advice}.`)
}

/** Creates the lock file with its content in one step. False when there is one already. */
function tryLink(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return false
    throw cause
  }
}

/** The holder that a lock file names; undefined when the file is gone. A file without sense is the rest of a crash: its holder is nobody. */
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

/** Moves a dead holder's file out of the way. When another process was quicker and the moved file is its own, it is put back. */
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

/** Whether a holder that cannot be seen from here (another container on this machine) still says that it lives. */
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

/** Touches the file from time to time, and notices when it is no longer ours. */
function holdLockFile(path: string, self: LockHolder, clock: Clock, onLost: () => void): LockFile {
  let timer: Timer | undefined
  const isOurs = (): boolean => {
    const holder = readHolder(path)
    return holder !== undefined && isSame(holder, self)
  }
  function beat(): void {
    timer = undefined
    if (!isOurs() || !touch(path, clock)) return onLost()
    timer = clock.setTimer(LOCK_FILE_HEARTBEAT_MS, beat)
  }
  timer = clock.setTimer(LOCK_FILE_HEARTBEAT_MS, beat)
  return {
    release() {
      timer?.cancel()
      timer = undefined
      if (isOurs()) rmSync(path, { force: true })
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

/** What the system says about a process, as far as it says anything. */
export function describeProcess(pid: number): Omit<LockHolder, 'serial'> {
  // The second field is the program's name in brackets, which may itself hold spaces and brackets; the start time is the 20th behind it.
  const fields = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).split(')').at(-1)?.trim().split(' ') ?? []
  return {
    pid,
    // A process that has ended stays in the table until its parent has looked.
    startedAtTicks: ['Z', 'X'].includes(fields[0] ?? '') ? 'ended' : (fields[19] ?? ''),
    bootId: readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
    pidNamespace: readOrEmpty(() => readlinkSync('/proc/self/ns/pid')),
  }
}

function processExists(pid: number): boolean {
  try {
    // Signal 0 reaches nobody: it only asks whether the process is there.
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
  assert(cause instanceof Error, 'the file system raises errors')
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}
