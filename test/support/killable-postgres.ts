// A PostgreSQL server in a folder of the test's choice: to be killed, filled up, and started again.

import { execFile, spawn } from 'node:child_process'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createSystemClock } from '../../src/base/clock.ts'
import { giveToPostgres, postgresCommand } from './own-postgres.ts'
import { freePort } from './proxies.ts'

/** A server that was killed lets go of its memory when the last of its processes has noticed. */
const START_TRIES = 100
const START_PAUSE_MS = 100
const clock = createSystemClock({ keepAlive: true })

export interface KillablePostgres extends AsyncDisposable {
  readonly url: string
  start(): Promise<void>
  /** Starts it where it has ended by itself. */
  startIfEnded(): Promise<void>
  /** Ends it as a crash of the machine would: at once, without a word to anybody. */
  kill(): Promise<void>
}

/** Makes a cluster in `folder/cluster` and starts it. */
export async function startKillablePostgres(folder: string): Promise<KillablePostgres> {
  const directory = join(folder, 'cluster')
  await chmod(folder, 0o755)
  await giveToPostgres(folder)
  const settings = ['-A', 'trust', '-U', 'postgres', '--wal-segsize=1', '--no-sync', '--no-instructions']
  await promisify(execFile)(...postgresCommand('initdb', '-D', directory, ...settings), { cwd: '/' })
  const port = await freePort()

  let running = false

  async function start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const args = ['-D', directory, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'max_wal_size=8MB', '-c', 'min_wal_size=2MB']
      const [command, words] = postgresCommand('postgres', ...args)
      const server = spawn(command, words, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
      let said = ''
      const outcome = await new Promise<'ready' | 'ended'>((resolve) => {
        server.stderr.on('data', (chunk: Buffer) => {
          said += chunk.toString()
          if (said.includes('ready to accept connections')) resolve('ready')
        })
        server.once('close', () => {
          running = false
          resolve('ended')
        })
      })
      running = outcome === 'ready'
      if (running) return
      if (tries === START_TRIES) throw new Error(`PostgreSQL does not start:\n${said}`)
      await clock.sleep(START_PAUSE_MS)
    }
  }

  async function kill(): Promise<void> {
    const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')
    const pid = Number(text.split('\n')[0])
    if (Number.isInteger(pid) && pid > 1) process.kill(pid, 'SIGKILL')
  }

  async function startIfEnded(): Promise<void> {
    if (!running) await start()
  }

  await start()
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, start, startIfEnded, kill, [Symbol.asyncDispose]: kill }
}
