import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createReplaceableRpc } from './replaceable-rpc.ts'
import type { ReplaceableRpc } from './replaceable-rpc.ts'
import { createRpc } from './rpc.ts'

/** `called` lists the hosts of all calls. A call to `slow` ends when `release` is called. */
function build(urls: readonly string[]): { readonly rpc: ReplaceableRpc; readonly called: string[]; readonly release: () => void } {
  const called: string[] = []
  const gate = Promise.withResolvers<void>()
  const clock = createVirtualClock(0)
  const rpc = createReplaceableRpc((nodes) => createRpc({
    urls: nodes, clock, random: createSeededRandom('replaceable'), log: silentLog,
    async transport(url, body) {
      const host = new URL(url).host
      called.push(host)
      if (host === 'slow') await gate.promise
      const { id } = JSON.parse(body) as { id: unknown }
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: { passphrase: host, protocolVersion: 23 } }) }
    },
  }), urls)
  return { rpc, called, release: gate.resolve }
}

test('calls and sessions move to the new nodes, and a call in progress ends at the old one', async () => {
  const { rpc, called, release } = build(['http://slow'])
  const session = rpc.session()
  const inProgress = rpc.getNetwork()
  rpc.replaceNodes(['http://a', 'http://b'])
  assert.equal((await rpc.getNetwork()).passphrase, 'a')
  assert.equal((await session.getNetwork()).passphrase, 'a')
  assert.deepEqual([rpc.endpoints, session.endpoints, rpc.nodes().length], [2, 2, 2])
  release()
  assert.equal((await inProgress).passphrase, 'slow')
  assert.deepEqual(called, ['slow', 'a', 'a'])
})

test('watches the new nodes, and ends with its signal', async () => {
  const { rpc, called } = build(['http://single'])
  const stop = new AbortController()
  const watching = rpc.watch(stop.signal)
  rpc.replaceNodes(['http://a', 'http://b'])
  while (!called.includes('b')) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await watching
})
