// The tests' processes without the runner's tracking still report what goes wrong.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PRELOADED = new URL('./without-tracking.ts', import.meta.url).href

/** Each fails while the test waits, and outside of what the test awaits. */
const UNCAUGHT = {
  exception: "setTimeout(() => { throw new Error('lost') }, 0)",
  rejection: "void Promise.reject(new Error('lost'))",
}

for (const [name, statement] of Object.entries(UNCAUGHT)) {
  test(`an uncaught ${name} fails the test's file, and its stack is printed`, async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'x.test.mjs')
    const wait = 'await new Promise((resolve) => setTimeout(resolve, 50))'
    await writeFile(file, `import { test } from 'node:test'\ntest('waits', async () => {\n  ${statement}\n  ${wait}\n})\n`)
    await using run = startProgram([process.execPath, `--import=${PRELOADED}`, '--test', file])
    assert.equal(await run.exited, 1)
    assert.match(run.output(), /Error: lost\n +at .*x\.test\.mjs:3/)
  })
}
