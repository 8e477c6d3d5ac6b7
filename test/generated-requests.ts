// Starts a local network and lets schemathesis generate requests from the document that its gateway serves: no undocumented status, no body outside its
// schema, no internal error. The requests are the same in every run; a slow machine gets less far.
//   npm run test:requests -- [program schemathesis] [its options]

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { KEY_SCOPES } from '../src/limits.ts'
import type { IssuedKey, KeyChallenge } from '../src/resources/api-key.ts'
import { bearer, createWallet, signChallenge } from './support/keys.ts'
import { startMain } from './support/main-process.ts'
import type { MainProcess } from './support/main-process.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

/** Each has a wallet of its own, so that no request revokes the key of another. */
const KEYS = 8
const COLLATERAL = '100000000000'
const HEARTBEAT_SECRET = 'heartbeat of generated requests'
const TOTAL_SEC = 120
const CASES_PER_OPERATION = 20
/** Far more than any response takes, so that load does not fail the run. */
const RESPONSE_SEC = 90
/** What the document promises. The other checks guess which requests a server should accept. The last one is in the hooks. */
const CHECKS = ['status_code_conformance', 'content_type_conformance', 'response_schema_conformance', 'no_internal_error']
/** Its response does not end. */
const EXCLUDED_PATH = '/v1/stream'

const besides = (extension: string): string => fileURLToPath(new URL(`generated-requests.${extension}`, import.meta.url))

async function post<Body>(url: string, body: object): Promise<Body> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`)
  return (await response.json()) as Body
}

/** The Authorization header of a new key of a funded wallet. */
async function issueKey(main: MainProcess, name: string): Promise<string> {
  const wallet = createWallet(name)
  const [keys, address] = [`${await main.url()}/v1/keys`, wallet.publicKey()]
  await main.control('local_fund', { address, usdc: COLLATERAL })
  const { challengeHex } = await post<KeyChallenge>(`${keys}/challenge`, { address, restrictions: { scopes: KEY_SCOPES } })
  return bearer(await post<IssuedKey>(keys, { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }))
}

/** Returns the exit code of schemathesis. */
async function generateRequests(program: string, options: readonly string[]): Promise<number> {
  await using folder = await temporaryFolder()
  await using main = startMain({
    DATA_DIR: folder.path, LOCAL_GENERATION: '2', LOCAL_SEED: 'generated requests', LOCAL_TRADERS: '4', LOG_LEVEL: 'error',
    TRUST_PROXY: '1', ADDRESS_CEILING_PER_MIN: '1000000', ORACLE_HEARTBEAT_SECRET: HEARTBEAT_SECRET,
  })
  const url = await main.url()
  const keys: string[] = []
  for (let index = 0; index < KEYS; index++) keys.push(await issueKey(main, `generated requests ${index}`))
  const child = spawn(program, [
    '--config-file', besides('toml'),
    'run', `${url}/docs/json`, '--no-color', '--phases', 'examples,coverage,fuzzing', '--checks', CHECKS.join(','), '--exclude-path', EXCLUDED_PATH,
    '--generation-deterministic', '--max-examples', String(CASES_PER_OPERATION), '--max-time', String(TOTAL_SEC), '--request-timeout', String(RESPONSE_SEC),
    '--suppress-health-check', 'all', '--warnings', 'off', ...options,
  ], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'], PYTHONHASHSEED: '0', SCHEMATHESIS_HOOKS: besides('py'),
      REQUEST_KEYS: keys.join('\n'), REQUEST_HEARTBEAT_SECRET: HEARTBEAT_SECRET,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'close')) as [number | null]
  process.stderr.write(main.errors())
  return code ?? 1
}

const [program = 'schemathesis', ...options] = process.argv.slice(2)
process.exitCode = await generateRequests(program, options)
