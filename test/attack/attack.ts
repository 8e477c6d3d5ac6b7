// The running program as an attacker reaches it: requests from any number of client addresses, raw connections, and what the program logged.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Keypair } from '@stellar/stellar-sdk'
import type { IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { bearer, signChallenge } from '../support/keys.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface AttackResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface AttackCall {
  readonly method?: string
  readonly body?: string | object
  readonly contentType?: string
  readonly key?: { readonly keyId: string; readonly secret: string }
  readonly headers?: Readonly<Record<string, string>>
  /** The client's address; a new one for each call by default. */
  readonly from?: string
}

export interface Attacked extends AsyncDisposable {
  readonly main: MainProcess
  readonly url: string
  call(path: string, call?: AttackCall): Promise<AttackResponse>
  /** A client address that was not used before. */
  newAddress(): string
  /** Obtains a key for the wallet; fails unless it is issued. */
  obtainKey(wallet: Keypair, from?: string): Promise<IssuedKey>
  challenge(address: string, from?: string): Promise<string>
  /** Sends these bytes over a new connection, and resolves with everything received until it closes. */
  sendRaw(...chunks: readonly (string | Buffer)[]): Promise<string>
  connect(): Promise<Socket>
  /** Fails unless the program serves and has logged no error. */
  assertUnharmed(): Promise<void>
}

const ERROR_LEVEL = 50
const CONCURRENCY = 8

/** Starts the program behind a trusted proxy, which this process is. */
export async function startAttacked(environment: Readonly<Record<string, string>> = {}, directory?: string): Promise<Attacked> {
  await using building = new AsyncDisposableStack()
  const dataDir = directory ?? building.use(await temporaryFolder()).path
  const main = building.use(startMain({ DATA_DIR: dataDir, LOCAL_TRADERS: '2', LOCAL_SEED: 'attack', TRUST_PROXY: 'true', LOG_FORMAT: 'json', ...environment }))
  const url = await main.url()
  const { hostname, port } = new URL(url)
  const owned = building.move()
  let addresses = 0

  function newAddress(): string {
    addresses += 1
    return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
  }

  async function call(path: string, options: AttackCall = {}): Promise<AttackResponse> {
    const { method = options.body === undefined ? 'GET' : 'POST', body, contentType = 'application/json', key, headers = {}, from = newAddress() } = options
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-forwarded-for': from, ...(body === undefined ? {} : { 'content-type': contentType }), ...(key === undefined ? {} : { authorization: bearer(key) }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  async function challenge(address: string, from?: string): Promise<string> {
    const response = await call('/v1/keys/challenge', { body: { address }, ...(from === undefined ? {} : { from }) })
    assert.equal(response.status, 200, response.text)
    return (JSON.parse(response.text) as KeyChallenge).challengeHex
  }

  return {
    main, url, call, newAddress, challenge,
    async obtainKey(wallet, from = newAddress()) {
      const challengeHex = await challenge(wallet.publicKey(), from)
      const body = { address: wallet.publicKey(), challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
      const response = await call('/v1/keys', { body, from })
      assert.equal(response.status, 201, response.text)
      return JSON.parse(response.text) as IssuedKey
    },
    async sendRaw(...chunks) {
      const socket = connect(Number(port), hostname)
      let text = ''
      socket.on('data', (data: Buffer) => (text += data.toString('latin1')))
      socket.on('error', () => {})
      for (const chunk of chunks) socket.write(chunk)
      await untilClosed(socket)
      return text
    },
    async connect() {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      await once(socket, 'connect')
      return socket
    },
    async assertUnharmed() {
      const health = await call('/v1/health')
      assert.equal(health.status, 200, health.text)
      const lines = main.errors().split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { readonly level: number })
      assert.deepEqual(lines.filter(({ level }) => level >= ERROR_LEVEL), [], 'no error was logged')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Resolves when the socket has closed, also after a reset, which `events.once` would reject with. */
export async function untilClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
}

/** Runs `work` for all items, a few at a time. */
export async function forEachConcurrently<Item>(items: readonly Item[], work: (item: Item, index: number) => Promise<void>): Promise<void> {
  const queue = items.entries()
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (const [index, item] of queue) await work(item, index)
  }))
}
