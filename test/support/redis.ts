// A real Redis for the tests that are about it.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** The server that tests may use, or null; its keys are the tests' own. */
export function testRedisUrl(): string | null {
  return process.env['TEST_REDIS_URL'] ?? null
}

/** For `test(name, { skip })`: why a test that needs Redis does not run here, or false. */
export const WITHOUT_REDIS = testRedisUrl() === null ? 'needs a Redis server: set TEST_REDIS_URL' : false

/** Why a test cannot start a server of its own here, or false. */
export const WITHOUT_OWN_REDIS = spawnSync('redis-server', ['--version']).error === undefined ? false : 'needs redis-server, which is not installed'

/** A server of the test's own, that keeps nothing; resolves when it takes connections. */
export async function startOwnRedis(port: number): Promise<AsyncDisposable> {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'close')
  let told = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      told += chunk.toString()
      if (told.includes('eady to accept connections')) resolve()
    })
    void exited.then(() => reject(new Error(`redis-server ended:\n${told}`)))
  })
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
