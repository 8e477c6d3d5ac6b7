// Runs the session of docs/websocket.md against a local network on a virtual clock, and compares the transcript with the page.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'
import { GOLDEN_COMMAND, UPDATES_GOLDEN } from '../support/golden.ts'

const PAGE = fileURLToPath(new URL('../../docs/websocket.md', import.meta.url))
/** The text block under the heading. */
const BLOCK = /(?<=^## Example session\n[^#]*?^```text\n)[\s\S]*?(?=^```$)/m

const POSITION = { asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' } as const

/** The messages of the session's connections, and notes between them. */
interface Transcript {
  readonly lines: string[]
  /** Adds the frames received since the last call. */
  recordFrames(client: StreamClient): Promise<void>
  /** Sends a message and adds it, or `shown` instead, and the frames in response. */
  send(client: StreamClient, message: object, shown?: object): Promise<void>
  note(text: string): void
}

function createTranscript(): Transcript {
  const lines: string[] = []
  const frameCounts = new Map<StreamClient, number>()
  const transcript: Transcript = {
    lines,
    async recordFrames(client) {
      await client.settle()
      const from = frameCounts.get(client) ?? 0
      frameCounts.set(client, client.frames.length)
      const shown = client.frames.slice(from).filter(({ id }) => !String(id).startsWith('settle'))
      lines.push(...shown.map((frame) => `< ${JSON.stringify(frame)}`))
    },
    async send(client, message, shown = message) {
      lines.push(`> ${JSON.stringify(shown)}`)
      client.send(message)
      await transcript.recordFrames(client)
    },
    note(text) {
      lines.push(`  (${text})`)
    },
  }
  return transcript
}

test('the session on the page matches a real one', async () => {
  const { lines, recordFrames, send, note } = createTranscript()
  await using fixture = await createGatewayFixture({ generation: '1', seed: 'session', traders: 0, listen: true })
  const { connect, publishLedgers } = fixture
  const { stream } = fixture.gateway
  const alice = await createTrader(fixture, 'alice')
  await publishLedgers(3)
  const open = async (): Promise<void> => {
    await alice.trade({ op: 'open_position', ...POSITION })
    await publishLedgers(1)
  }
  await open()
  const client = await connect()
  await recordFrames(client)
  await send(client, { op: 'subscribe', channels: ['ticker.BTC', 'trades.BTC', 'trades.SHIB'], snapshot: true, id: 1 })
  await stream.tick()
  await recordFrames(client)
  const { keyId, secret } = alice.key
  await send(client, { op: 'login', keyId, secret }, { op: 'login', keyId: 'nk_…', secret: '…' })
  const own = `account.events.${alice.address}`
  await send(client, { op: 'subscribe', channels: [own], snapshot: true, id: 2 })
  note('another position is opened')
  await open()
  await recordFrames(client)
  await send(client, { op: 'unsubscribe', channels: [own, 'ticker.BTC'] })
  const hello = client.frames[0] ?? {}
  const since = client.of('trades.BTC').at(-1)?.seq
  await client.close()
  note('the connection drops, and another position is opened')
  await open()
  const reconnected = await connect()
  await recordFrames(reconnected)
  await send(reconnected, { op: 'subscribe', channels: ['trades.BTC', 'heartbeat'], since, epoch: hello['epoch'] })
  stream.heartbeat()
  await recordFrames(reconnected)
  await send(reconnected, { op: 'buy', id: 'unknown' })
  const closing = fixture.gateway.close()
  await reconnected.frame(({ type }) => type === 'draining')
  await recordFrames(reconnected)
  fixture.clock.advance(5_000)
  const { code, reason } = await reconnected.closed
  note(`closed with ${code}, ${reason}`)
  await closing
  const found = `${lines.join('\n')}\n`
  const page = await readFile(PAGE, 'utf8')
  assert.ok(BLOCK.test(page), 'the page has the text block')
  if (UPDATES_GOLDEN) await writeFile(PAGE, page.replace(BLOCK, () => found))
  const shown = BLOCK.exec(await readFile(PAGE, 'utf8'))?.[0]
  assert.equal(found, shown, `the session differs from the one in docs/websocket.md. To update it: ${GOLDEN_COMMAND}`)
})
