// The tests' processes without the runner's tracking still report what goes wrong.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PRELOADED = new URL('./without-tracking.ts', import.meta.url).href

/** Failures while the test waits, outside of what the test awaits, and the event of the process that follows. */
const UNCAUGHT = {
  exception: ["setImmediate(() => { throw new Error('lost') })", 'uncaughtExceptionMonitor'],
  rejection: ["void Promise.reject(new Error('lost'))", 'unhandledRejection'],
} as const

for (const [name, [statement, event]] of Object.entries(UNCAUGHT)) {
  test(`an uncaught ${name} fails the test's file, and its stack is printed`, async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'x.test.mjs')
    const body = `  ${statement}\n  await new Promise((resolve) => process.once('${event}', resolve))`
    await writeFile(file, `import { test } from 'node:test'\ntest('waits', async () => {\n${body}\n})\n`)
    await using run = startProgram([process.execPath, `--import=${PRELOADED}`, '--test', file])
    assert.equal(await run.exited, 1)
    assert.match(run.output(), /Error: lost\n +at .*x\.test\.mjs:3/)
  })
}
