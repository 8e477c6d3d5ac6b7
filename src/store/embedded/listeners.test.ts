import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListeners } from './listeners.ts'

test('listeners learn that the engine ended, and that its successor is listened to', async () => {
  const sent: string[] = []
  const listeners = createListeners(async (sql) => sent.push(sql))
  const changes: string[] = []
  const stop = await listeners.listen('prices', () => {}, { onConnected: (connected) => changes.push(`prices ${String(connected)}`) })
  await listeners.listen('other', () => {}, { onConnected: (connected) => changes.push(`other ${String(connected)}`) })
  listeners.disconnected()
  await stop()
  await listeners.resubscribe(async (sql) => sent.push(`new engine: ${sql}`))
  assert.deepEqual(changes, ['prices true', 'other true', 'prices false', 'other false', 'other true'])
  assert.deepEqual(sent, ['listen "prices"', 'listen "other"', 'unlisten "prices"', 'new engine: listen "other"'])
})

test('a listener whose LISTEN failed is never reported as connected', async () => {
  const listeners = createListeners(() => Promise.reject(new Error('away')))
  const changes: boolean[] = []
  await assert.rejects(listeners.listen('prices', () => {}, { onConnected: (connected) => changes.push(connected) }))
  listeners.disconnected()
  assert.deepEqual(changes, [])
})
