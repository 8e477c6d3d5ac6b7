// kill -9 under load: after a restart of the program, everything that it acknowledged is still true.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { startAttacked } from './attack.ts'
import type { Attacked } from './attack.ts'
import { createWallet } from '../support/keys.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const KILLS = 3
/** Acknowledged keys after which the program is killed, while more are being issued. */
const KEYS_PER_LIFE = 30
const CLIENTS = 6

interface EventRow {
  readonly eventId: string
}

/** Keys and events that the program acknowledged. */
interface Acknowledged {
  readonly keys: IssuedKey[]
  readonly revoked: IssuedKey[]
  /** The ids of events that a client has seen. */
  readonly events: Set<string>
}

/** Issues and revokes keys and reads events until the program dies. */
async function load(attacked: Attacked, client: string, acknowledged: Acknowledged): Promise<void> {
  for (let round = 0; ; round++) {
    try {
      const key = await attacked.obtainKey(createWallet(`${client} ${round}`))
      acknowledged.keys.push(key)
      const { status, text } = await attacked.call('/v1/events?limit=50')
      if (status === 200) for (const { eventId } of (JSON.parse(text) as { events: EventRow[] }).events) acknowledged.events.add(eventId)
      if (round % 2 === 0) continue
      // Whether an unacknowledged revocation was stored is unknown, also when the process dies during the call.
      acknowledged.keys.splice(acknowledged.keys.indexOf(key), 1)
      const revocation = await attacked.call(`/v1/keys/${key.keyId}`, { method: 'DELETE', key })
      if (revocation.status === 200) acknowledged.revoked.push(key)
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) return
      // A busy program may refuse, which acknowledges nothing.
      if (!error.message.includes('unavailable')) throw error
    }
  }
}

async function verify(attacked: Attacked, { keys, revoked, events }: Acknowledged): Promise<void> {
  for (const [list, expected] of [[keys, 200], [revoked, 401]] as const) {
    for (const key of list) {
      const { status, text } = await attacked.call('/v1/account/me', { key })
      assert.equal(status, expected, `${key.keyId}: ${text}\n${attacked.main.errors()}`)
    }
  }
  const missing = new Set(events)
  const served = new Set<string>()
  let url: string | null = '/v1/events?limit=200'
  while (url !== null) {
    const { status, text, headers } = await attacked.call(url)
    assert.equal(status, 200, text)
    for (const { eventId } of (JSON.parse(text) as { events: EventRow[] }).events) {
      assert.ok(!served.has(eventId), `event ${eventId} is served twice`)
      served.add(eventId)
      missing.delete(eventId)
    }
    url = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null
  }
  assert.deepEqual([...missing], [], 'every event that was served still is')
}

test(`keys, revocations and events that were acknowledged survive ${KILLS} kills under load`, async () => {
  await using folder = await temporaryFolder()
  const acknowledged: Acknowledged = { keys: [], revoked: [], events: new Set() }
  for (let life = 0; life < KILLS; life++) {
    await using attacked = await startAttacked({}, folder.path)
    await verify(attacked, acknowledged)
    const goal = acknowledged.keys.length + KEYS_PER_LIFE
    const clients = Array.from({ length: CLIENTS }, (_, client) => load(attacked, `life ${life} client ${client}`, acknowledged))
    await Promise.race([until(() => acknowledged.keys.length >= goal, 'acknowledged keys'), Promise.all(clients)])
    await attacked.main.stop('SIGKILL')
    await Promise.all(clients)
  }
  await using attacked = await startAttacked({}, folder.path)
  await verify(attacked, acknowledged)
  const { keys, revoked, events } = acknowledged
  assert.ok(keys.length > 0 && revoked.length > 0 && events.size > 0, `${keys.length} keys, ${revoked.length} revocations, ${events.size} events`)
  await attacked.assertUnharmed()
})
