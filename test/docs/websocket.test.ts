// The session that docs/websocket.md shows: played against the local network on a clock that only the test moves, and compared line by line.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'

const PAGE = fileURLToPath(new URL('../../docs/websocket.md', import.meta.url))
const REFRESH = 'UPDATE_GOLDEN=1 npm test -- test/docs/websocket.test.ts'
/** The block under its heading. */
const BLOCK = /(?<=^## Example session\n[^#]*?^```text\n)[\s\S]*?(?=^```$)/m

const POSITION = { asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' } as const

/** What was said on some connections, and what happened beside them. */
interface Transcript {
  readonly lines: string[]
  /** Takes what came since the last time. */
  hear(client: StreamClient): Promise<void>
  say(client: StreamClient, message: object, shown?: object): Promise<void>
  happens(what: string): void
}

function createTranscript(): Transcript {
  const lines: string[] = []
  const heard = new Map<StreamClient, number>()
  const transcript: Transcript = {
    lines,
    async hear(client) {
      await client.settle()
      const from = heard.get(client) ?? 0
      heard.set(client, client.frames.length)
      const shown = client.frames.slice(from).filter(({ id }) => !String(id).startsWith('settle'))
      lines.push(...shown.map((frame) => `< ${JSON.stringify(frame)}`))
    },
    async say(client, message, shown = message) {
      lines.push(`> ${JSON.stringify(shown)}`)
      client.send(message)
      await transcript.hear(client)
    },
    happens(what) {
      lines.push(`  (${what})`)
    },
  }
  return transcript
}

test('the session on the page is a real one', async () => {
  const { lines, hear, say, happens } = createTranscript()
  await using fixture = await createGatewayFixture({ seed: 'session', traders: 0, listen: true })
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
  await hear(client)
  await say(client, { op: 'subscribe', channels: ['ticker.BTC', 'trades.BTC', 'trades.SHIB'], snapshot: true, id: 1 })
  await stream.tick()
  await hear(client)
  const { keyId, secret } = alice.key
  await say(client, { op: 'login', keyId, secret }, { op: 'login', keyId: 'nk_…', secret: '…' })
  const own = `account.events.${alice.address}`
  await say(client, { op: 'subscribe', channels: [own], snapshot: true, id: 2 })
  happens('another position is opened')
  await open()
  await hear(client)
  await say(client, { op: 'unsubscribe', channels: [own, 'ticker.BTC'] })
  const hello = client.frames[0] ?? {}
  const since = client.of('trades.BTC').at(-1)?.seq
  await client.close()
  happens('the connection drops, and another position is opened')
  await open()
  const again = await connect()
  await hear(again)
  await say(again, { op: 'subscribe', channels: ['trades.BTC', 'heartbeat'], since, epoch: hello['epoch'] })
  stream.heartbeat()
  await hear(again)
  await say(again, { op: 'buy', id: 'unknown' })
  const closing = fixture.gateway.close()
  await again.frame(({ type }) => type === 'draining')
  await hear(again)
  fixture.clock.advance(5_000)
  const { code, reason } = await again.closed
  happens(`closed with ${code}, ${reason}`)
  await closing
  const found = `${lines.join('\n')}\n`
  const page = await readFile(PAGE, 'utf8')
  assert.ok(BLOCK.test(page), 'the page has its block')
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(PAGE, page.replace(BLOCK, () => found))
  const shown = BLOCK.exec(await readFile(PAGE, 'utf8'))?.[0]
  assert.equal(found, shown, `the session differs from the one in docs/websocket.md. If the change is meant: ${REFRESH}`)
})
