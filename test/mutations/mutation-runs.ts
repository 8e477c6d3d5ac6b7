// Runs test files on a copy of the project in which one bug is planted.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Mutation } from './find-mutations.ts'
import { PROJECT_ROOT } from '../support/program.ts'
import { copyProject } from '../support/project-copy.ts'
import { createImportGraph, findTestFiles, isSlow } from '../runner/test-files.ts'

/** Two cores are what a small machine has. */
const CONCURRENCY = 2
/** As in `npm test`. */
const TEST_TIMEOUT_MS = 120_000
/** A file that still runs after this many times its time without the bug, and as many seconds more, does not end because of the bug. */
const HANGS_AFTER = { times: 5, seconds: 10 }
/** Seconds of a file that count as much as one import between it and the bug. */
const SECONDS_PER_IMPORT = 4
/** Imports by which the test that shares the most words with the bug counts as nearer. */
const RELEVANCE_IN_IMPORTS = 8
/** The lines around a bug that say what it is about. */
const CONTEXT_LINES = 6
/** Assumed until a file has run. */
const EXPECTED_SECONDS = { store: 4, other: 0.5 }

export interface PlantedBug extends Mutation {
  readonly file: string
}

interface Failure {
  readonly file: string
  readonly test: string
}

/** The end of the hunt for a bug. Without a failure and with files left, its time was over. */
export interface Hunt {
  readonly failure: Failure | null
  /** The test files that passed with the bug. */
  readonly passed: readonly string[]
  /** Number of test files that import the bug's file, but did not run. */
  readonly left: number
  readonly seconds: number
}

interface Round {
  readonly failure: Failure | null
  readonly passed: readonly string[]
  /** Files that were stopped, with the seconds that they had run. */
  readonly stopped: ReadonlyMap<string, number>
}

export interface MutationRuns extends Disposable {
  hunt(bug: PlantedBug): Promise<Hunt>
  /** Test files that fail without any bug. */
  readonly broken: ReadonlySet<string>
}

export interface MutationRunsOptions {
  /** An empty folder, which is removed at the end. */
  readonly folder: string
  /** A hunt ends after this time. */
  readonly limitSeconds: number
  /** Test files and folders that may run; null for all that `npm test` runs. */
  readonly tests: readonly string[] | null
  /** Ends a hunt at once. */
  readonly signal: AbortSignal
}

/** Copies the project into `folder`. */
export function createMutationRuns({ folder, limitSeconds, tests: named, signal }: MutationRunsOptions): MutationRuns {
  const copy = copyProject(folder)
  separateModules(copy)
  const tests = findTestFiles(copy, named ?? []).filter((file) => named !== null || !isSlow(file))
  const measured = new Map<string, number>()
  const testsNear = createTestOrder(copy, tests, measured)
  const clean = new Set<string>()
  const broken = new Set<string>()
  const running = new Set<ChildProcess>()

  function stopAll(): void {
    for (const child of running) killGroup(child)
  }
  signal.addEventListener('abort', stopAll)

  /** The name of the first failing test of a file; null when all pass, undefined when the run was stopped. */
  async function run(file: string): Promise<string | null | undefined> {
    const startedMs = performance.now()
    const args = ['--test', `--test-timeout=${TEST_TIMEOUT_MS}`, '--test-reporter=tap', file]
    const env = { NODE_COMPILE_CACHE: join(copy, 'node_modules/.cache/node-compile'), ...process.env }
    const child = spawn(process.execPath, args, { cwd: copy, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    running.add(child)
    let failed: string | undefined
    const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve))
    for await (const line of createInterface({ input: child.stdout })) {
      failed ??= /^\s*not ok \d+ - (.*)$/.exec(line)?.[1]
      // The rest of a file with a bug often hangs.
      if (failed !== undefined) killGroup(child)
    }
    const code = await exited
    running.delete(child)
    if (failed !== undefined) return failed
    if (code === null) return undefined
    if (code === 0) measured.set(file, (performance.now() - startedMs) / 1000)
    return code === 0 ? null : `exit code ${code}`
  }

  /** Runs the files, two at a time, until one fails or the time is over. */
  async function runUntilFailure(files: readonly string[], stopAtMs: number): Promise<Round> {
    const waiting = [...files]
    const passed: string[] = []
    const stopped = new Map<string, number>()
    let failure: Failure | null = null
    const isOver = (): boolean => failure !== null || signal.aborted || performance.now() >= stopAtMs
    async function work(): Promise<void> {
      for (let file = waiting.shift(); file !== undefined && !isOver(); file = waiting.shift()) {
        const startedMs = performance.now()
        const test = await run(file)
        if (test === null) passed.push(file)
        if (test === undefined) stopped.set(file, (performance.now() - startedMs) / 1000)
        if (typeof test !== 'string' || failure !== null) continue
        failure = { file, test }
        stopAll()
      }
    }
    const timer = setTimeout(stopAll, Math.max(stopAtMs - performance.now(), 0))
    try {
      await Promise.all(Array.from({ length: CONCURRENCY }, work))
    } finally {
      clearTimeout(timer)
    }
    for (const file of passed) clean.add(file)
    return { failure, passed, stopped }
  }

  /** A file that was stopped because it did not end. Needs the copy without a bug. */
  async function findHanging(stopped: ReadonlyMap<string, number>): Promise<Failure | null> {
    for (const [file, seconds] of stopped) {
      if (!(await passesWithoutBug(file))) continue
      const usual = measured.get(file) ?? Infinity
      if (seconds <= HANGS_AFTER.times * usual + HANGS_AFTER.seconds) continue
      return { file, test: `runs for more than ${Math.floor(seconds)} s instead of ${usual.toFixed(1)} s` }
    }
    return null
  }

  /** Returns whether the failure is the bug's: the file passes without it. Needs the copy without a bug. */
  async function passesWithoutBug(file: string): Promise<boolean> {
    if (clean.has(file)) return true
    const passes = (await run(file)) === null
    if (passes) clean.add(file)
    else if (!signal.aborted) broken.add(file)
    return passes
  }

  return {
    broken,
    async hunt(bug) {
      const startedMs = performance.now()
      const stopAtMs = startedMs + limitSeconds * 1000
      const path = join(copy, bug.file)
      const original = readFileSync(path, 'utf8')
      const passed: string[] = []
      for (;;) {
        const files = testsNear(bug).filter((file) => !passed.includes(file) && !broken.has(file))
        writeFileSync(path, original.slice(0, bug.start) + bug.text + original.slice(bug.end))
        const round = await runUntilFailure(files, stopAtMs).finally(() => writeFileSync(path, original))
        passed.push(...round.passed)
        const isWrongFailure = round.failure !== null && !(await passesWithoutBug(round.failure.file))
        if (isWrongFailure && !signal.aborted) continue
        const left = files.length - round.passed.length
        const failure = round.failure ?? (signal.aborted ? null : await findHanging(round.stopped))
        return { failure: isWrongFailure ? null : failure, passed, left, seconds: (performance.now() - startedMs) / 1000 }
      }
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', stopAll)
      stopAll()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Finds the tests of a bug in the copy: its file's own first, then those that are near, fast, and about the same things. */
function createTestOrder(copy: string, tests: readonly string[], measured: ReadonlyMap<string, number>): (bug: PlantedBug) => string[] {
  const graph = createImportGraph(copy)
  const words = new Map(tests.map((test) => [test, wordsOf(`${test} ${readFileSync(join(copy, test), 'utf8')}`)]))
  return (bug) => {
    const near = tests.flatMap((test) => {
      const distance = graph.distance(test, bug.file)
      return distance === null ? [] : [{ test, distance }]
    })
    const relevance = relevanceOf(bug, readFileSync(join(copy, bug.file), 'utf8'), new Map(near.map(({ test }) => [test, words.get(test) ?? new Set()])))
    const scored = near.map(({ test, distance }) => {
      const seconds = measured.get(test) ?? (graph.reaches(test, ['test/support/database.ts']) ? EXPECTED_SECONDS.store : EXPECTED_SECONDS.other)
      const score = distance + seconds / SECONDS_PER_IMPORT - RELEVANCE_IN_IMPORTS * (relevance.get(test) ?? 0)
      return { test, score: test === bug.file.replace(/\.ts$/, '.test.ts') ? -Infinity : score }
    })
    return scored.sort((a, b) => a.score - b.score).map(({ test }) => test)
  }
}

/** Returns how much of what the bug's surroundings mention occurs in each test, as a part of the most; rare words count more. */
function relevanceOf({ file, start }: PlantedBug, source: string, near: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, number> {
  const line = source.slice(0, start).split('\n').length - 1
  const around = source.split('\n').slice(Math.max(line - CONTEXT_LINES, 0), line + CONTEXT_LINES + 1).join('\n')
  const weights = [...wordsOf(`${file} ${around}`)].map((word) => {
    const users = [...near.values()].filter((known) => known.has(word)).length
    return { word, weight: users === 0 ? 0 : Math.log(near.size / users) }
  })
  const sums = [...near].map(([test, known]) => ({ test, sum: weights.reduce((sum, { word, weight }) => sum + (known.has(word) ? weight : 0), 0) }))
  const most = Math.max(...sums.map(({ sum }) => sum), 1)
  return new Map(sums.map(({ test, sum }) => [test, sum / most]))
}

/** The words of a text, also those inside names: `lastDepositTs` has four. */
function wordsOf(text: string): Set<string> {
  const names = text.match(/[A-Za-z][A-Za-z0-9]*/g) ?? []
  const parts = names.flatMap((name) => name.match(/[A-Z]?[a-z]{3,}/g) ?? [])
  return new Set([...names, ...parts].map((word) => word.toLowerCase().replace(/s$/, '')))
}

/** A test file starts processes of its own; they are in its group. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')) throw cause
  }
}

/** Gives the copy its own caches: a bug in the store must not write a template that other runs use. */
function separateModules(copy: string): void {
  const modules = join(PROJECT_ROOT, 'node_modules')
  const own = join(copy, 'node_modules')
  rmSync(own)
  mkdirSync(own)
  for (const name of readdirSync(modules)) if (name !== '.cache') symlinkSync(join(modules, name), join(own, name))
  for (const cache of ['store-template', 'database-cluster']) {
    // An installation without scripts has not prepared the cluster.
    if (!existsSync(join(modules, '.cache', cache))) continue
    cpSync(join(modules, '.cache', cache), join(own, '.cache', cache), { recursive: true, errorOnExist: false, force: true })
  }
}
