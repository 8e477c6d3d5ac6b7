import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLock } from './lock.ts'

test('work runs one after the other, in order, and a failure stops nobody behind it', async () => {
  const lock = createLock()
  const story: string[] = []
  const work = (name: string, fails = false) => lock.exclusive(async () => {
    story.push(`${name} begins`)
    await Promise.resolve()
    story.push(`${name} ends`)
    if (fails) throw new Error(name)
    return name
  })
  const [first, second, third] = [work('first'), work('second', true), work('third')]
  await assert.rejects(second, /second/)
  assert.deepEqual([await first, await third], ['first', 'third'])
  assert.deepEqual(story, ['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends'])
})

test('too many waiting are turned away, and idle waits for the rest', async () => {
  const lock = createLock()
  let release = (): void => {}
  const blocker = lock.exclusive(() => new Promise<void>((resolve) => (release = resolve)))
  const waiting = Array.from({ length: 255 }, () => lock.exclusive(async () => 'done'))
  await assert.rejects(lock.exclusive(async () => 'one too many'), /too many/)
  let idle = false
  const idling = lock.idle().then(() => (idle = true))
  await Promise.resolve()
  assert.equal(idle, false)
  release()
  await blocker
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['done']))
  await idling
})
