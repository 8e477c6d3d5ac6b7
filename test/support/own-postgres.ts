// A PostgreSQL server of the test's own, and a replica that follows it: what a test may stop, hold back and throw away.

import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './proxies.ts'

const ROLE = 'gateway'
const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** Where the newest server's programs are; null when there is none. */
function programsFolder(): string | null {
  try {
    const newest = readdirSync(DEBIAN_FOLDER).toSorted((a, b) => Number(a) - Number(b)).at(-1)
    return newest === undefined ? null : join(DEBIAN_FOLDER, newest, 'bin')
  } catch {
    const found = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
    return found.error === undefined ? found.stdout.trim() : null
  }
}

const PROGRAMS = programsFolder()

/** Why a test cannot start a server of its own here, or false. */
export const WITHOUT_OWN_POSTGRES = PROGRAMS === null ? 'needs the programs of a PostgreSQL server, which are not installed' : false

/** A server and its replica, with one database that is empty. */
export interface ReplicatedServer extends AsyncDisposable {
  readonly url: string
  readonly replicaUrl: string
}

/** The server does not run as the machine's administrator. */
const AS_POSTGRES = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []

/** A command line of one of the server's programs. */
export function postgresCommand(program: string, ...args: readonly string[]): [string, readonly string[]] {
  const [first = '', ...rest] = [...AS_POSTGRES, join(PROGRAMS ?? '', program), ...args]
  return [first, rest]
}

/** Gives a folder to whom the server runs as. */
export async function giveToPostgres(folder: string): Promise<void> {
  if (AS_POSTGRES.length > 0) await chown(folder, Number(execFileSync('id', ['-u', 'postgres'])), Number(execFileSync('id', ['-g', 'postgres'])))
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const [first, rest] = postgresCommand(program, ...args)
  await promisify(execFile)(first, rest, { cwd: '/' })
}

/** Starts both; they are stopped and removed when disposed. */
export async function startReplicatedServer(): Promise<ReplicatedServer> {
  await using building = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'gateway-postgres-'))
  building.defer(() => rm(folder, { recursive: true, force: true }))
  await giveToPostgres(folder)
  const [port, replicaPort] = [await freePort(), await freePort()]
  const start = async (name: string, at: number): Promise<void> => {
    const settings = `-p ${at} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c shared_buffers=16MB -c max_standby_streaming_delay=0`
    await run('pg_ctl', 'start', '--wait', '--silent', '-D', join(folder, name), '-l', join(folder, `${name}.log`), '-o', settings)
    building.defer(() => run('pg_ctl', 'stop', '--silent', '--mode', 'immediate', '-D', join(folder, name)))
  }
  await run('initdb', '-D', join(folder, 'server'), '-U', ROLE, '--auth=trust', '--no-sync')
  await start('server', port)
  await run('pg_basebackup', '-h', '127.0.0.1', '-p', String(port), '-U', ROLE, '-D', join(folder, 'replica'), '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
  await start('replica', replicaPort)
  const owned = building.move()
  const urlAt = (at: number): string => `postgres://${ROLE}@127.0.0.1:${at}/postgres`
  return { url: urlAt(port), replicaUrl: urlAt(replicaPort), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
