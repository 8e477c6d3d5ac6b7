// GET /v1/stream across a kill -9 of the instance, directly and through the shipped proxy configuration: nothing is lost.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { openEventSource } from '../stream/event-source.ts'
import type { EventSourceClient } from '../stream/event-source.ts'
import { startCaddy, WITHOUT_CADDY } from './load-balancers.ts'
import { startMain } from '../support/main-process.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamFrame } from '../support/stream-client.ts'
import { freePort } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const CHANNELS = ['events', 'trades.BTC', 'trades.ETH', 'heartbeat']
const PATH = `/v1/stream?channels=${CHANNELS.join(',')}`

function framesOf(channel: string, ...sources: readonly EventSourceClient[]): readonly StreamFrame[] {
  const seen = new Set<number | undefined>()
  const frames = sources.flatMap(({ events }) => events.map(({ frame }) => frame)).filter((frame) => frame.channel === channel)
  // A connection that broke within a position gets its frames again.
  return frames.filter(({ seq }) => !seen.has(seq) && seen.add(seq))
}

for (const [name, skip, throughProxy] of [['directly', false, false], ['through the proxy', WITHOUT_CADDY, true]] as const) {
  test(`server-sent events resume after kill -9 of the instance, ${name}`, { skip }, async () => {
    await using folder = await temporaryFolder()
    const port = await freePort()
    const environment = { DATA_DIR: folder.path, PORT: String(port), LOCAL_SEED: 'event stream', LOCAL_TRADERS: '4', LOG_LEVEL: 'error' }
    await using first = startMain(environment)
    await first.waitForLine(/^Indexer in sync/)
    await using proxy = throughProxy ? await startCaddy([port]) : null
    const url = `${proxy?.url ?? await first.url()}${PATH}`
    using source = await openEventSource(`${url}&since=0`)
    // Arrives within a second only if the proxy does not collect the response.
    await source.frame(({ channel }) => channel === 'heartbeat')
    await source.frame(({ channel, seq = 0 }) => channel === 'events' && seq > 20)
    await first.stop('SIGKILL')
    // The proxy may end the response of a broken connection regularly. The client reconnects in both cases.
    assert.ok(!(await source.ended) || throughProxy, 'the response breaks off')

    await using second = startMain(environment)
    await second.waitForLine(/^Indexer in sync/)
    const from = Number(framesOf('events', source).at(-1)?.seq)
    using resumed = await openEventSource(`${url}&since=0`, { lastEventId: source.lastEventId() })
    await resumed.frame(({ channel, seq = 0 }) => channel === 'events' && seq > from + 5)
    assert.equal(resumed.events.some(({ frame }) => frame.type === 'gap'), false)
    for (const channel of CHANNELS.filter((one) => one !== 'heartbeat')) assertUnbroken(framesOf(channel, source, resumed), 0)
  })
}
