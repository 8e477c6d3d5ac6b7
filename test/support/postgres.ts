// PostgreSQL servers that a test starts, kills and replicates. They need the server's programs on this machine.

import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { chmod, chown, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createSystemClock } from '../../src/base/clock.ts'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'
import { freePort } from './tcp-proxy.ts'
import { temporaryFolder } from './temporary-folder.ts'

const DEBIAN_FOLDER = '/usr/lib/postgresql'
/** A killed server's shared memory is in use until its last process has exited; until then a start fails. */
const START_ATTEMPTS = 100
const START_PAUSE_MS = 100
const clock = createSystemClock({ keepAlive: true })

/** The newest server's programs, or null. */
function findPrograms(): string | null {
  try {
    const newest = readdirSync(DEBIAN_FOLDER).toSorted((a, b) => Number(a) - Number(b)).at(-1)
    return newest === undefined ? null : join(DEBIAN_FOLDER, newest, 'bin')
  } catch {
    const found = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
    return found.error === undefined ? found.stdout.trim() : null
  }
}

const PROGRAMS = findPrograms()

/** The reason to skip a test that starts its own server, or false. */
export const WITHOUT_OWN_POSTGRES = PROGRAMS === null ? 'needs the programs of a PostgreSQL server, which are not installed' : false

/** PostgreSQL refuses to run as root. */
const AS_POSTGRES = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []

function command(program: string, ...args: readonly string[]): [string, ...string[]] {
  const [first = '', ...rest] = [...AS_POSTGRES, join(PROGRAMS ?? '', program), ...args]
  return [first, ...rest]
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const [file, ...rest] = command(program, ...args)
  await promisify(execFile)(file, rest, { cwd: '/' })
}

async function giveToPostgres(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  if (AS_POSTGRES.length > 0) await chown(folder, Number(execFileSync('id', ['-u', 'postgres'])), Number(execFileSync('id', ['-g', 'postgres'])))
}

interface PostgresServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  start(): Promise<void>
  /** Restarts a server that has ended without being killed. */
  startIfEnded(): Promise<void>
  /** Kills all of it at once, as a crash of the machine does. */
  kill(): Promise<void>
}

/** Starts the server of the cluster in `folder/name`. */
async function startCluster(folder: string, name: string, settings: readonly string[]): Promise<PostgresServer> {
  const directory = join(folder, name)
  const port = await freePort()
  const options = ['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting])
  let running: Program | undefined

  async function start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const program = startProgram(command('postgres', '-D', directory, '-p', String(port), '-k', folder, ...options), {}, { cwd: '/' })
      running = program
      void program.exited.then(() => {
        if (running === program) running = undefined
      })
      try {
        await program.waitForLine(/ready to accept/)
        return
      } catch (error) {
        if (attempt === START_ATTEMPTS) throw error
        await clock.sleep(START_PAUSE_MS)
      }
    }
  }

  /** Signals the server itself: `running` may be the program that switched the user. */
  async function signal(name_: NodeJS.Signals): Promise<void> {
    const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')
    const pid = Number(text.split('\n')[0])
    if (running !== undefined && Number.isInteger(pid) && pid > 1) process.kill(pid, name_)
  }

  await start()
  return {
    port, start,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    kill: () => signal('SIGKILL'),
    async startIfEnded() {
      if (running === undefined) await start()
    },
    async [Symbol.asyncDispose]() {
      const { exited } = running ?? {}
      // Immediate shutdown: without a checkpoint.
      await signal('SIGQUIT')
      await exited
    },
  }
}

/** Creates a cluster in this folder and starts its server. */
export async function startPostgres(folder: string, settings: readonly string[] = ['max_wal_size=8MB', 'min_wal_size=2MB']): Promise<PostgresServer> {
  await giveToPostgres(folder)
  await run('initdb', '-D', join(folder, 'primary'), '-A', 'trust', '-U', 'postgres', '--wal-segsize=1', '--no-sync', '--no-instructions')
  return startCluster(folder, 'primary', settings)
}

interface ReplicatedServer extends AsyncDisposable {
  readonly url: string
  readonly replicaUrl: string
}

const REPLICATION_SETTINGS = ['fsync=off', 'shared_buffers=16MB', 'max_standby_streaming_delay=0']

/** Starts a server and a streaming replica of it. */
export async function startReplicatedServer(): Promise<ReplicatedServer> {
  await using building = new AsyncDisposableStack()
  const folder = building.use(await temporaryFolder()).path
  const primary = building.use(await startPostgres(folder, REPLICATION_SETTINGS))
  const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
  await run('pg_basebackup', ...source, '-D', join(folder, 'replica'), '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
  const replica = building.use(await startCluster(folder, 'replica', REPLICATION_SETTINGS))
  const owned = building.move()
  return { url: primary.url, replicaUrl: replica.url, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
