import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobList } from './job-list.ts'
import type { JobList } from './job-list.ts'
import { JOB_KINDS } from './keeper-jobs.ts'
import type { Job } from './keeper-jobs.ts'

const job = (kind: Job['kind'], name: string): Job => ({ kind, name: `${kind} ${name}`, invocation: { contract: 'C', functionName: kind, args: [] } })
const jobs = (kind: Job['kind'], count: number): Job[] => Array.from({ length: count }, (_, index) => job(kind, String(index)))

/** Takes all queued jobs at one time. */
function taken(list: JobList, nowSec: number): string[] {
  const names: string[] = []
  for (let next = list.takeNext(nowSec); next !== undefined; next = list.takeNext(nowSec)) names.push(next.name)
  return names
}

test('takes the most urgent job first, whatever the order in which it was found', () => {
  const list = createJobList()
  list.update(JOB_KINDS.toReversed().flatMap((kind) => jobs(kind, 2)), 0)
  assert.deepEqual(taken(list, 0), JOB_KINDS.flatMap((kind) => [`${kind} 0`, `${kind} 1`]))
})

test('with endless liquidations, every second job is one that has waited half a minute, oldest first', () => {
  const list = createJobList()
  const done: string[] = []
  const rest = [job('funding', ''), ...jobs('sync', 2)]
  for (let sec = 0; sec < 60; sec += 5) {
    const left = rest.filter(({ name }) => !done.includes(name))
    list.update([...jobs('liquidation', 20).map(({ name, ...other }) => ({ ...other, name: `${name} at ${sec}` })), ...left], sec)
    done.push(list.takeNext(sec)?.name ?? '')
  }
  const first = done.findIndex((name) => name.startsWith('funding'))
  assert.equal(first, 6 + (first % 2), 'not before half a minute, and then at once')
  assert.deepEqual(done.slice(first, first + 5).map((name) => name.split(' ')[0]), ['funding', 'liquidation', 'sync', 'liquidation', 'sync'])
})

test('postpones a refused job by 5, 10, 20 … at most 300 seconds, and continues with others of its kind', () => {
  const list = createJobList()
  const [bad = job('execution', 'bad'), good = job('execution', 'good')] = jobs('execution', 2)
  const triedAt: number[] = []
  for (let sec = 0; sec <= 1_300; sec += 5) {
    list.update([bad, good], sec)
    const names = taken(list, sec)
    assert(names.includes(good.name), `the good one has no turn at ${sec}`)
    if (!names.includes(bad.name)) continue
    triedAt.push(sec)
    list.postpone(bad, sec)
  }
  assert.deepEqual(triedAt.slice(1).map((sec, index) => sec - (triedAt[index] ?? 0)), [5, 10, 20, 40, 80, 160, 300, 300, 300])
})

test('hundreds of refused jobs do not block the jobs after them', () => {
  const list = createJobList()
  const refusing = jobs('execution', 100)
  const last = job('execution', 'the last one')
  for (let sec = 0; ; sec += 5) {
    // A snapshot queues 32 jobs, so the fourth reaches the 101st.
    assert(sec <= 15, 'the last one has to wait for those that were refused before')
    list.update([...refusing, last], sec)
    let found = false
    for (let next = list.takeNext(sec); next !== undefined; next = list.takeNext(sec)) {
      if (next === last) found = true
      else list.postpone(next, sec)
    }
    if (found) break
  }
})

test('drops jobs that are not due anymore with their refusals, and all jobs on forget', () => {
  const list = createJobList()
  const [only = job('peak', '')] = jobs('peak', 1)
  list.update([only], 0)
  list.postpone(only, 0)
  list.update([only], 1)
  assert.deepEqual(taken(list, 1), [])
  list.update([], 2)
  list.update([only], 3)
  assert.deepEqual(taken(list, 3), [only.name])
  list.postpone(only, 3)
  list.forget()
  assert.deepEqual(taken(list, 4), [])
  list.update([only], 4)
  assert.deepEqual(taken(list, 4), [only.name])
})
