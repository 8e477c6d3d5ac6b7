import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { createSystemRandom } from '../../base/random.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { fileChannel, TaskNotReported } from './task-files.ts'

test('a command waits for a gateway that restarts, and ends when none reports for a minute', async () => {
  await using folder = await temporaryFolder()
  const clock = createVirtualClock(1_700_000_000_000)
  const channel = fileChannel(folder.path, { clock, random: createSystemRandom() })
  const requested = channel.request('verify')
  const { command } = JSON.parse(readFileSync(join(folder.path, 'task-request.json'), 'utf8')) as { readonly command: string }
  let compared = 0
  const report = (state: string): void => {
    const task = { id: 7, state, progress: { compared: ++compared } }
    writeFileSync(join(folder.path, 'task-status.json'), JSON.stringify({ kind: 'verify', command, id: 7, task }))
  }
  report('running')
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
