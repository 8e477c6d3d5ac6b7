// A key that was returned with 201, and its revocation, survive a crash of the process.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { openStore } from '../../src/store/open.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import { bearer, call, createWallet, signChallenge } from '../support/keys.ts'
import { startScript } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const KEYS = 15
const wallet = createWallet('survivor')

interface Served extends AsyncDisposable {
  readonly url: string
  /** Kills the process and resolves when it has exited. */
  kill(): Promise<unknown>
}

async function serve(dataDir: string): Promise<Served> {
  const program = startScript(new URL('./keys-process.ts', import.meta.url), [dataDir])
  return { url: await program.waitForLine(/^http:/), kill: () => program.stop('SIGKILL'), [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() }
}

async function post<Body>(url: string, body: object): Promise<Body> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  assert.ok(answer.ok, `${url} answered ${answer.status}`)
  return (await answer.json()) as Body
}

async function issue(url: string): Promise<IssuedKey> {
  const address = wallet.publicKey()
  const { challengeHex } = await post<KeyChallenge>(`${url}/v1/keys/challenge`, { address })
  return post<IssuedKey>(`${url}/v1/keys`, { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) })
}

test('kill -9 loses no issued key and no revocation', async () => {
  await using folder = await temporaryFolder()
  const issued: IssuedKey[] = []
  let revoked: IssuedKey
  {
    await using served = await serve(folder.path)
    while (issued.length < KEYS) issued.push(await issue(served.url))
    revoked = issued[3] as IssuedKey
    const authorization = bearer(issued[0] as IssuedKey)
    const answer = await fetch(`${served.url}/v1/keys/${revoked.keyId}`, { method: 'DELETE', headers: { authorization } })
    assert.equal(answer.status, 200)
    // Kills the process while it issues another key.
    const interrupted = issue(served.url).then((key) => issued.push(key), () => 0)
    await served.kill()
    await interrupted
  }
  const clock = createSystemClock({ keepAlive: false })
  await using store = await openStore({ databaseUrl: null, dataDir: folder.path, clock, log: silentLog })
  await using bare = await createBareGateway({ store, clock })
  for (const key of issued) {
    const { status } = await call(bare.gateway.app, '/v1/account/me', { key })
    assert.equal(status, key === revoked ? 401 : 200, key.keyId)
  }
})
