import { strict as assert } from 'node:assert'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PROJECT_ROOT } from '../../../test/support/program.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createConsoleFiles } from './files.ts'

test('a failed build rejects with its reason, and the next request builds again', async () => {
  await using folder = await temporaryFolder()
  const root = join(folder.path, 'project')
  const files = createConsoleFiles({ root, settings: { networkName: 'testnet', networkPassphrase: 'a network', localRpcUrl: null } })
  await assert.rejects(files(), (error: Error) => error.message.startsWith('The console could not be built: ') && error.message.includes('console/main.tsx'))
  symlinkSync(PROJECT_ROOT, root)
  const built = await files()
  assert.match(Buffer.from(built.page.plain).toString(), /^<!doctype html>/i)
  const scripts = [...built.assets].filter(([path]) => path.endsWith('.js')).map(([, { plain }]) => Buffer.from(plain).toString())
  assert.ok(scripts.length > 0 && scripts.every((script) => !/\n {2}\w/.test(script)), 'every script is minified')
  assert.equal(await files(), built)
})
