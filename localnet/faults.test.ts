import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ARMED_FAULTS_MAX, createFaults } from './faults.ts'
import type { FaultRequest } from './faults.ts'

const names = (triggered: readonly { name: string }[]): string[] => triggered.map((fault) => fault.name)

test('a fault affects the given number of calls', () => {
  const faults = createFaults()
  faults.arm({ name: 'http_status', count: 2 })
  assert.deepEqual([1, 2, 3].map(() => faults.trigger('getHealth').length), [1, 1, 0])
  assert.deepEqual(faults.armed(), [])
})

test('without a count a fault uses its default: one call, or until cleared', () => {
  const faults = createFaults()
  assert.equal(faults.arm({ name: 'timeout' }).remaining, 1)
  assert.equal(faults.arm({ name: 'lagging' }).remaining, null)
  assert.equal(faults.arm({ name: 'timeout', count: null }).remaining, null)
  assert.equal(faults.clear(), 3)
  assert.deepEqual(faults.trigger('getHealth'), [])
})

test('a fault affects only its method, only applicable methods, and only every n-th call', () => {
  const faults = createFaults()
  faults.arm({ name: 'rpc_error', method: 'getEvents', everyNth: 3, count: null })
  faults.arm({ name: 'duplicate', count: null })
  const hits = Array.from({ length: 7 }, () => [faults.trigger('getHealth').length, faults.trigger('getEvents').length])
  assert.deepEqual(hits, [[0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [0, 1], [0, 0]])
  assert.deepEqual(names(faults.trigger('sendTransaction')), ['duplicate'])
})

test('parameters have defaults, and the list counts the hits of each fault', () => {
  const faults = createFaults()
  faults.arm({ name: 'http_status', status: 429, retryAfterSec: 7, count: 5 })
  const [fault] = faults.trigger('getHealth')
  assert.deepEqual(fault, { name: 'http_status', values: { status: 429, retryAfterSec: 7, executed: false } })
  const [armed] = faults.armed()
  assert.deepEqual([armed?.hits, armed?.remaining, armed?.everyNth, armed?.method], [1, 4, 1, null])
})

test('rejects a request with all of its problems', () => {
  const faults = createFaults()
  const refused = (request: FaultRequest, ...texts: readonly RegExp[]): void => {
    assert.throws(() => faults.arm(request), (error) => {
      assert.ok(error instanceof RangeError)
      for (const text of texts) assert.match(error.message, text)
      return true
    })
  }
  refused({ name: 'earthquake' }, /unknown fault earthquake/, /http_status/)
  const wrong = { name: 'http_status', status: 200, executed: 'yes', ms: 1 }
  refused(wrong, /status must be an integer from 400 to 599/, /executed must be a boolean/, /unknown parameter ms/)
  refused({ name: 'duplicate', method: 'getEvents' }, /method must be one of sendTransaction/)
  refused({ name: 'timeout', everyNth: 0, count: 0 }, /everyNth/, /count/)
  refused({ name: 'timeout', count: 1.5 }, /count/)
  assert.deepEqual(faults.armed(), [])
})

test('limits the number of armed faults', () => {
  const faults = createFaults()
  for (let count = 0; count < ARMED_FAULTS_MAX; count++) faults.arm({ name: 'slow' })
  assert.throws(() => faults.arm({ name: 'slow' }), /32 faults are armed/)
})

test('`decide` gets the method and number of each call, before the armed faults', () => {
  const seen: string[] = []
  const faults = createFaults({
    decide({ method, nth }) {
      seen.push(`${method} ${nth}`)
      return method === 'getEvents' && nth === 2 ? [{ name: 'torn_json' }] : []
    },
  })
  faults.arm({ name: 'slow', count: null })
  assert.deepEqual(names(faults.trigger('getEvents')), ['slow'])
  assert.deepEqual(names(faults.trigger('getHealth')), ['slow'])
  assert.deepEqual(names(faults.trigger('getEvents')), ['torn_json', 'slow'])
  assert.deepEqual(names(faults.trigger('getEvents')), ['slow'])
  assert.deepEqual(seen, ['getEvents 1', 'getHealth 1', 'getEvents 2', 'getEvents 3'])
})

test('every kind has a description, and defaults within its bounds', () => {
  for (const kind of createFaults().kinds) {
    assert.ok(kind.description.length > 10, kind.name)
    createFaults().arm({ name: kind.name })
  }
})
