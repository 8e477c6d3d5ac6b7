import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { folderChannel, TaskNotReported } from './task-channel.ts'

test('a command waits for a gateway that restarts, and ends when none reports for a minute', async () => {
  await using folder = await temporaryFolder()
  const clock = createVirtualClock(1_700_000_000_000)
  const channel = folderChannel(folder.path, clock)
  const requested = channel.request('verify')
  let compared = 0
  const report = (state: string): void => {
    const task = { id: 7, state, progress: { compared: ++compared } }
    writeFileSync(join(folder.path, 'tasks.json'), JSON.stringify({ verify: task }))
  }
  report('running')
  rmSync(join(folder.path, 'verify-request'))
  clock.advance(250)
  assert.equal(await requested, 7)

  for (let restart = 0; restart < 3; restart++) {
    await channel.read('verify')
    clock.advance(59_000)
    assert.equal((await channel.read('verify'))?.state, 'running')
    report('running')
  }
  assert.equal((await channel.read('verify'))?.progress.compared, 4)
  clock.advance(60_001)
  await assert.rejects(channel.read('verify'), (error: unknown) => error instanceof TaskNotReported && /Does it run\? .*`npm run verify`/.test(error.message))
  report('done')
  clock.advance(120_000)
  assert.equal((await channel.read('verify'))?.state, 'done')
})
