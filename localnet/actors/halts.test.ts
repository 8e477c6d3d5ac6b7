import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '../../src/base/random.ts'
import { plain } from '../test-network.ts'
import { createHalts } from './halts.ts'
import { createTestLedger, DEPLOYMENT, IDENTITIES, NOW_SEC } from './test-client.ts'

test('halts an asset for a minute or two, then resumes it, and starts no halt while it is switched off', async () => {
  const client = createTestLedger().client(IDENTITIES.admin.address)
  const halts = createHalts({ client, market: DEPLOYMENT.market, assets: ['PUMP', 'UNI'], random: createSeededRandom('halts') })
  const calls: (readonly [second: number, asset: unknown, halted: unknown])[] = []
  async function live(fromSec: number, untilSec: number): Promise<void> {
    for (let second = fromSec; second < untilSec; second += 5) {
      const before = client.calls.length
      await halts.act({ sequence: second, closeTimeSec: NOW_SEC + second })
      const [call] = client.calls.slice(before)
      if (call !== undefined) calls.push([second, ...call.args.map(plain)] as never)
    }
  }
  client.results.push({ kind: 'later', reason: 'another transaction of the admin is pending' })
  for (let second = 0; calls.length < 3; second += 5) await live(second, second + 5)
  const [refused, halted, resumed] = calls
  assert.deepEqual([refused?.[2], halted?.[2], resumed?.[2], resumed?.[1]], [true, true, false, halted?.[1]])
  const lastedSec = (resumed?.[0] ?? 0) - (halted?.[0] ?? 0)
  assert.ok(lastedSec >= 60 && lastedSec <= 155, `${lastedSec} s`)
  halts.setEnabled(false)
  await live(100_000, 200_000)
  assert.equal(calls.length, 3)
})
