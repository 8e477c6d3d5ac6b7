// Creates databases on the server and waits to be killed: `store` opens a test store, as a test file does; `run` creates a run's template, as the runner does.

import { openTestStore, testServerUrl, withServerTemplate } from './database.ts'

const [, , kind] = process.argv
const waitForever = (): Promise<never> => new Promise(() => void setInterval(() => {}, 60_000))

if (kind === 'run') {
  await withServerTemplate(testServerUrl() ?? '', async (template) => {
    process.stdout.write(`${template}\n`)
    return waitForever()
  })
} else {
  const store = await openTestStore()
  const [row] = await store.read.query<{ name: string }>('select current_database() as name')
  process.stdout.write(`${row?.name}\n`)
  await waitForever()
}
