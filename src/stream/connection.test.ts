import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { createVirtualClock } from '../base/clock.ts'
import { createFailureLog } from '../base/failure-log.ts'
import { silentLog } from '../base/log.ts'
import { STREAM_LIMITS } from '../limits.ts'
import { createConnection } from './connection.ts'

/** A socket whose peer does not read. */
function createStuckSocket(): Socket {
  const stream = new Duplex({ read() {}, write() {}, writableHighWaterMark: 500 })
  return Object.defineProperty(stream, 'bytesWritten', { get: () => stream.writableLength }) as Socket
}

function createStuck() {
  const calls: string[] = []
  const webSocket = Object.assign(new EventEmitter(), {
    close: (code: number, reason: string) => void calls.push(`close ${code} ${reason}`),
    terminate: () => void calls.push('terminate'),
    ping: () => void calls.push('ping'),
  })
  const clock = createVirtualClock(0)
  const failures = createFailureLog({ clock, log: silentLog, level: 'warn', message: 'failed' })
  const connection = createConnection({
    webSocket: webSocket as unknown as WebSocket,
    socket: createStuckSocket(),
    limits: { ...STREAM_LIMITS, waitingBytes: 1_000 },
    clock,
    failures,
    clientFailures: failures,
    requestId: 'r',
    handle: () => {},
    onClose: () => void calls.push('onClose'),
  })
  return { calls, clock, connection, webSocket }
}

test('closes a client that does not read when its buffer exceeds the limit', () => {
  const { calls, clock, connection } = createStuck()
  for (let frame = 0; frame < 10; frame++) connection.write(Buffer.alloc(100))
  assert.deepEqual(calls, [], 'no close up to the limit')
  connection.write(Buffer.alloc(1))
  connection.write(Buffer.alloc(1))
  assert.deepEqual(calls, ['onClose', 'close 1013 backpressure'])
  clock.advance(2_000)
  assert.deepEqual(calls.at(-1), 'terminate', 'terminated without a close handshake')
})

test('terminates a connection without a pong at the next ping', () => {
  const { calls, connection, webSocket } = createStuck()
  connection.ping()
  webSocket.emit('pong')
  connection.ping()
  assert.deepEqual(calls, ['ping', 'ping'])
  connection.ping()
  assert.deepEqual(calls.slice(2), ['onClose', 'terminate'])
})

test('closes a client that responds to pings without reading', () => {
  const { calls, connection, webSocket } = createStuck()
  connection.write(Buffer.alloc(900))
  connection.ping()
  webSocket.emit('pong')
  assert.deepEqual(calls, ['ping'])
  connection.ping()
  assert.deepEqual(calls, ['ping', 'onClose', 'close 1013 backpressure'])
})
