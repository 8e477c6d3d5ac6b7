// Attempts to take what other users need: the running program stays within its limits and keeps serving everyone else.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { forEachConcurrently, startAttacked } from './attack.ts'
import type { Attacked } from './attack.ts'
import { createWallet, signChallenge } from '../support/keys.ts'

const CEILING = 150

let attacked: Attacked
before(async () => {
  attacked = await startAttacked({ ADDRESS_CEILING_PER_MIN: String(CEILING) })
})
after(() => attacked[Symbol.asyncDispose]())

/** One wallet claims a key for a new challenge. */
async function claim(wallet: ReturnType<typeof createWallet>, from: string): Promise<{ readonly status: number; readonly text: string }> {
  const address = wallet.publicKey()
  const challenge = await attacked.call('/v1/keys/challenge', { body: { address }, from })
  if (challenge.status !== 200) return challenge
  const { challengeHex } = JSON.parse(challenge.text) as { readonly challengeHex: string }
  return attacked.call('/v1/keys', { body: { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }, from })
}

test('one wallet gets a bounded number of keys, whatever addresses it uses', async () => {
  const wallet = createWallet('multiplying')
  await forEachConcurrently(Array.from({ length: 60 }, () => attacked.newAddress()), async (from) => {
    const { status, text } = await claim(wallet, from)
    assert.ok(status === 201 || (status === 409 && text.includes('key_limit_reached')), `${status} ${text}`)
  })
  const { status, text } = await claim(wallet, attacked.newAddress())
  assert.deepEqual([status, (JSON.parse(text) as { error: string }).error], [409, 'key_limit_reached'])
  await attacked.assertUnharmed()
})

test('one address gets a bounded number of keys per minute, whatever keys it presents', async () => {
  const from = attacked.newAddress()
  let issued = 0
  let key: IssuedKey | undefined
  for (let wallet = 0; wallet < RATE_LIMIT_PER_WINDOW.public; wallet++) {
    const address = createWallet(`crowd ${wallet}`).publicKey()
    const { status } = await attacked.call('/v1/keys/challenge', { body: { address }, from, ...(key === undefined ? {} : { key }) })
    if (status === 429) break
    const claimed = await claim(createWallet(`crowd ${wallet}`), from)
    if (claimed.status !== 201) break
    key = JSON.parse(claimed.text) as IssuedKey
    issued += 1
  }
  // A test that crosses a minute sees two windows.
  assert.ok(issued > 0 && issued <= (2 * RATE_LIMIT_PER_WINDOW.public) / 2, `${issued} keys from one address`)
  await attacked.assertUnharmed()
})

test('all keys used from one address share a ceiling', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, (_, index) => attacked.obtainKey(createWallet(`shared ${index}`))))
  const from = attacked.newAddress()
  const requests = Array.from({ length: 4 * CEILING }, (_, index) => keys[index % keys.length])
  let served = 0
  await forEachConcurrently(requests, async (key) => {
    const { status } = await attacked.call('/v1/trades?limit=1', { from, ...(key === undefined ? {} : { key }) })
    assert.ok(status === 200 || status === 429, `status ${status}`)
    if (status === 200) served += 1
  })
  assert.ok(served >= CEILING && served <= 2 * CEILING, `${served} of ${requests.length} requests were served`)
  const [key] = keys
  assert.equal((await attacked.call('/v1/trades?limit=1', key === undefined ? {} : { key })).status, 200, 'the key works from elsewhere')
})

test('a crowd of distinct networks does not lock out new clients', async () => {
  const flood = Array.from({ length: 1_500 }, (_, index) => `2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::1`)
  await forEachConcurrently(flood, async (from) => void (await attacked.call('/v1/trades?limit=1', { from })))
  let served = 0
  for (let client = 0; client < 100; client++) {
    const { status } = await attacked.call('/v1/trades?limit=1', { from: `2a02:${client.toString(16)}::1` })
    if (status === 200) served += 1
  }
  assert.ok(served >= 99, `${served} of 100 new clients were served`)
  await attacked.assertUnharmed()
})

test('a flood of unknown keys does not turn away valid ones', async () => {
  const key = await attacked.obtainKey(createWallet('honest'))
  const from = attacked.newAddress()
  const flood = Array.from({ length: 2_000 }, () => ({ keyId: `nk_${randomBytes(12).toString('hex')}`, secret: randomBytes(32).toString('hex') }))
  const flooding = forEachConcurrently(flood, async (unknown) => void (await attacked.call('/v1/trades?limit=1', { key: unknown })))
  for (let request = 0; request < 50; request++) {
    const { status, text } = await attacked.call('/v1/account/me', { key, from })
    assert.equal(status, 200, text)
  }
  await flooding
  await attacked.assertUnharmed()
})

test('strangers who keep requesting challenges for a wallet do not prevent it from getting its key', async () => {
  const wallet = createWallet('wanted')
  const address = wallet.publicKey()
  const from = attacked.newAddress()
  const challengeHex = await attacked.challenge(address, from)
  const strangers = Array.from({ length: 300 }, () => attacked.newAddress())
  await forEachConcurrently(strangers, async (stranger) => {
    const { status } = await attacked.call('/v1/keys/challenge', { body: { address }, from: stranger })
    assert.ok(status < 500, `status ${status}`)
    await attacked.call('/v1/keys', { body: { address, challenge: 'ab'.repeat(32), signature: 'AAAA' }, from: stranger })
  })
  const body = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
  assert.equal((await attacked.call('/v1/keys', { body, from })).status, 201)
  await attacked.assertUnharmed()
})

test('pages of other origins and rebound host names cannot control the local network', async () => {
  const rpcUrl = await attacked.main.rpcUrl()
  const hostile: readonly Readonly<Record<string, string>>[] = [
    { origin: new URL(attacked.url).origin.replace('http:', 'https:') },
    { origin: 'https://evil.example' }, { origin: 'null' }, { origin: 'http://127.0.0.1.evil.example' }, { origin: 'http://localhost:1' },
  ]
  for (const headers of hostile) {
    for (const [method, params] of [['local_setPrice', { asset: 'XLM', price: '1' }], ['local_info', {}], ['local_actors', { publisher: false }]] as const) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
      const text = await response.text()
      assert.ok(!text.includes('"result"'), `${method} from ${JSON.stringify(headers)}: ${text}`)
    }
    const friendbot = await fetch(`${new URL(rpcUrl).origin}/friendbot?addr=${createWallet('evil').publicKey()}`, { headers })
    assert.ok(!friendbot.ok, `friendbot from ${JSON.stringify(headers)}`)
  }
  const { hostname, port } = new URL(rpcUrl)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'local_info', params: {} })
  const socket = connect(Number(port), hostname)
  const head = `POST /rpc HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  socket.write(`${head}\r\n\r\n${body}`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  assert.ok(!text.includes('"result"'), text)
  assert.ok((await attacked.main.control<object>('local_info')) !== null, 'a program without an origin still can')
})
