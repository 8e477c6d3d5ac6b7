import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListeners } from './listeners.ts'

test('whoever listens is told when the engine is gone, and when it is listened to again', async () => {
  const sent: string[] = []
  const listeners = createListeners(async (sql) => sent.push(sql))
  const told: string[] = []
  const stop = await listeners.listen('bell', () => {}, (heard) => told.push(`bell ${String(heard)}`))
  await listeners.listen('other', () => {}, (heard) => told.push(`other ${String(heard)}`))
  listeners.disconnected()
  await stop()
  await listeners.resubscribe()
  assert.deepEqual(told, ['bell true', 'other true', 'bell false', 'other false', 'other true'])
  assert.deepEqual(sent, ['listen "bell"', 'listen "other"', 'unlisten "bell"', 'listen "other"'])
})

test('a channel that cannot be listened to is not said to be heard', async () => {
  const listeners = createListeners(() => Promise.reject(new Error('away')))
  const told: boolean[] = []
  await assert.rejects(listeners.listen('bell', () => {}, (heard) => told.push(heard)))
  listeners.disconnected()
  assert.deepEqual(told, [])
})
