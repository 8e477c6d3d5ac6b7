// A program of its own that makes databases on the server and stays, to be killed: `store` opens a test's store, as a test file does; `run` makes a run's
// template, as the runner does.

import { openTestStore, testServerUrl, withServerTemplate } from './database.ts'

const [, , kind] = process.argv
const stay = (): Promise<never> => new Promise(() => void setInterval(() => {}, 60_000))

if (kind === 'run') {
  await withServerTemplate(testServerUrl() ?? '', async (template) => {
    process.stdout.write(`${template}\n`)
    return stay()
  })
} else {
  const store = await openTestStore()
  const [row] = await store.read.query<{ name: string }>('select current_database() as name')
  process.stdout.write(`${row?.name}\n`)
  await stay()
}
