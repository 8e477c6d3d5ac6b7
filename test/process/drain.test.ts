// Graceful shutdown as a stream client sees it: the gateway announces the drain, delivers every committed event and closes the connection. The client
// resumes from the next process at the same position.

import { strict as assert } from 'node:assert'
import { join } from 'node:path'
import test from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { openStore } from '../../src/store/open.ts'
import { startMain } from '../support/main-process.ts'
import { assertUnbroken, connectStream } from '../support/stream-client.ts'
import type { StreamClient, StreamFrame } from '../support/stream-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const DRAIN_MS = 2_000

const isType = (type: string) => (frame: StreamFrame): boolean => frame.type === type

/** The positions of the events in the log, read from the database without the gateway. Transfers of the token are in the log too. */
async function committedEvents(dataDir: string): Promise<readonly number[]> {
  const clock = createSystemClock({ keepAlive: false })
  await using store = await openStore({ databaseUrl: null, dataDir: join(dataDir, 'local', 'database'), clock, log: silentLog })
  return (await store.read.query<{ seq: number }>('select seq from idx.events where not is_transfer order by seq')).map(({ seq }) => seq)
}

interface Position {
  readonly since: number
  readonly epoch?: unknown
}

/** Subscribes to all events from a position and waits for a heartbeat with a head. */
async function subscribe(url: string, position: Position): Promise<{ client: StreamClient; epoch: unknown; head: unknown }> {
  const client = await connectStream(url)
  client.send({ op: 'subscribe', channels: ['events', 'heartbeat'], ...position })
  const { data } = await client.frame((frame) => frame.channel === 'heartbeat' && frame.data?.['head'] !== 0)
  return { client, epoch: data?.['epoch'], head: data?.['head'] }
}

test('announces the drain, delivers every committed event, and lets the client resume from the next process without loss', async () => {
  await using folder = await temporaryFolder()
  const environment = { DATA_DIR: folder.path, LOCAL_SEED: 'drain', LOCAL_TRADERS: '4', WS_DRAIN_MS: String(DRAIN_MS) }
  await using first = startMain(environment)
  await first.waitForLine(/^Indexer in sync/)
  const { client: before, epoch, head } = await subscribe(await first.url(), { since: 0 })
  await before.frame(({ seq }) => seq === head)
  const exited = first.stop('SIGTERM')
  assert.deepEqual(await before.frame(isType('draining')), { type: 'draining', graceMs: DRAIN_MS })
  assert.deepEqual(await before.closed, { code: 1012, reason: 'restart' })
  assert.equal(await exited, 0, first.errors())
  const drainingIndex = before.frames.findIndex(isType('draining'))
  assert.ok(before.frames.slice(drainingIndex).some(({ channel }) => channel === 'heartbeat'), 'delivery continues until the connection closes')
  const lastSeq = before.of('events').at(-1)?.seq ?? 0
  assert.equal(lastSeq, (await committedEvents(folder.path)).at(-1), 'every committed event was delivered')

  await using second = startMain(environment)
  await second.waitForLine(/^Indexer in sync/)
  const { client: after } = await subscribe(await second.url(), { since: lastSeq, epoch })
  await after.frame(({ seq }) => seq !== undefined)
  await after.close()
  const delivered = [...before.of('events'), ...after.of('events')]
  assertUnbroken(delivered, 0)
  assert.deepEqual(after.frames.filter(isType('gap')), [])
  assert.equal(await second.stop('SIGINT'), 0, second.errors())
  const committed = await committedEvents(folder.path)
  assert.deepEqual(delivered.map(({ seq }) => seq), committed.slice(0, delivered.length), 'every event of the log exactly once')
  for (const { errors } of [first, second]) assert.doesNotMatch(errors(), /"level":(50|60)/)
})
