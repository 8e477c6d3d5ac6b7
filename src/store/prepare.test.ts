// The script that runs at installation.

import { strict as assert } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

test('an installation whose database cannot be prepared succeeds and says so', async () => {
  await using folder = await temporaryFolder()
  const occupied = join(folder.path, 'occupied')
  await writeFile(occupied, '')
  const script = fileURLToPath(import.meta.resolve('./prepare.ts'))
  const { status, stderr } = spawnSync(process.execPath, [script, occupied], { encoding: 'utf8' })
  assert.equal(status, 0)
  assert.match(stderr, /^Cannot prepare the embedded database; its first start will take a few seconds longer: Error: EEXIST/)
})
