// The client's stream against the real program, which is killed and restarted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../client/src/client.ts'
import type { EventRow } from '../../client/src/generated/resources.ts'
import type { EventData, Frame, StreamProblem } from '../../client/src/stream-frames.ts'
import { freePort } from '../support/tcp-proxy.ts'
import { startMain } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { assertUnbroken } from '../support/stream-client.ts'

const KILLS = 2
const FRAMES_EACH = 15

test('the loop gets every event once and in order across restarts of the gateway', async () => {
  await using folder = await temporaryFolder()
  const port = String(await freePort())
  const environment = { DATA_DIR: folder.path, PORT: port, LOCAL_SEED: 'client stream', LOCAL_TRADERS: '6', LOG_LEVEL: 'error' }
  let main = startMain(environment)
  try {
    await main.waitForLine(/^Indexer in sync/)
    const client = createClient({ url: `http://127.0.0.1:${port}` })
    const stream = client.stream({ silenceMs: 5_000 })
    const problems: StreamProblem[] = []
    stream.onProblem((problem) => problems.push(problem))
    const frames: Frame<'events'>[] = []
    let kills = 0
    for await (const frame of stream.frames('events', { since: 0 })) {
      frames.push(frame)
      if (frames.length % FRAMES_EACH !== 0) continue
      if (kills === KILLS) break
      kills += 1
      await main.stop('SIGKILL')
      main = startMain(environment)
      await main.waitForLine(/^Indexer in sync/)
    }
    assert.equal(problems.filter(({ kind }) => kind === 'gap').length, 0, JSON.stringify(problems))
    assert.ok(problems.filter(({ kind }) => kind === 'disconnected').length >= KILLS, JSON.stringify(problems))
    assertUnbroken(frames.map(({ channel, seq = 0, prev = -1 }) => ({ channel, seq, prev })), 0)
    stream.close()
    // The list has the same events, newest first.
    const rows: EventRow[] = []
    for await (const row of client.rows('listEvents', { limit: 500 })) rows.unshift(row)
    const event = ({ topic, ledger, txHash }: EventRow | EventData): string => `${topic} ${ledger} ${txHash}`
    assert.deepEqual(frames.map(({ data }) => event(data)), rows.slice(0, frames.length).map(event))
  } finally {
    await main[Symbol.asyncDispose]()
  }
})
