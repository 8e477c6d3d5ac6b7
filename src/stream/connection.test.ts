import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { STREAM_LIMITS } from '../limits.ts'
import { createConnection } from './connection.ts'

/** A socket whose other side does not read. */
function createStuckSocket(): Duplex {
  return new Duplex({ read() {}, write() {} })
}

function createStuck() {
  const calls: string[] = []
  const webSocket = Object.assign(new EventEmitter(), {
    close: (code: number, reason: string) => void calls.push(`close ${code} ${reason}`),
    terminate: () => void calls.push('terminate'),
    ping: () => void calls.push('ping'),
  })
  const clock = createVirtualClock(0)
  const connection = createConnection({
    webSocket: webSocket as unknown as WebSocket,
    socket: createStuckSocket(),
    limits: { ...STREAM_LIMITS, waitingBytes: 1_000 },
    clock,
    log: silentLog,
    requestId: 'r',
    handle: () => {},
    onClose: () => void calls.push('end'),
  })
  return { calls, clock, connection, webSocket }
}

test('a client that does not read is cut off at its limit: nothing more waits for it', () => {
  const { calls, clock, connection } = createStuck()
  for (let frame = 0; frame < 10; frame++) connection.write(Buffer.alloc(100))
  assert.deepEqual(calls, [], 'up to the limit it is waited for')
  connection.write(Buffer.alloc(1))
  connection.write(Buffer.alloc(1))
  assert.deepEqual(calls, ['end', 'close 1013 backpressure'])
  clock.advance(2_000)
  assert.deepEqual(calls.at(-1), 'terminate', 'it does not answer the close either')
})

test('a connection that answers no ping is ended by the next one', () => {
  const { calls, connection, webSocket } = createStuck()
  connection.ping()
  webSocket.emit('pong')
  connection.ping()
  assert.deepEqual(calls, ['ping', 'ping'])
  connection.ping()
  assert.deepEqual(calls.slice(2), ['end', 'terminate'])
})
