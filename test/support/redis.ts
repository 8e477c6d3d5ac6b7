// Redis servers for tests.

import { spawnSync } from 'node:child_process'
import { startServer } from './program.ts'

/** The server that TEST_REDIS_URL names, or null. Tests may delete its keys. */
export function testRedisUrl(): string | null {
  return process.env['TEST_REDIS_URL'] ?? null
}

/** The reason to skip a test that needs Redis, or false. */
export const WITHOUT_REDIS = testRedisUrl() === null ? 'needs a Redis server: set TEST_REDIS_URL' : false

/** The reason to skip a test that starts its own Redis, or false. */
export const WITHOUT_OWN_REDIS = spawnSync('redis-server', ['--version']).error === undefined ? false : 'needs redis-server, which is not installed'

/** Starts a server without persistence. */
export function startOwnRedis(port: number): Promise<AsyncDisposable> {
  const command = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  return startServer(command, /eady to accept connections/)
}
