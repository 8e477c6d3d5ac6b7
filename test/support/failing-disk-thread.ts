// The embedded engine's thread on a disk that fails as soon as the file `<folder>.fails` is there: at fsync, or (file content `full`) at every write.

import fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { defined } from '../../src/base/assert.ts'
import type { Job } from '../../src/store/embedded/messages.ts'
import { serveJob } from '../../src/store/embedded/serve-job.ts'

const job = workerData as Job
const sign = `${job.directory ?? ''}.fails`
const failure = (): string => (fs.existsSync(sign) ? fs.readFileSync(sign, 'utf8') : '')

const writeSync = fs.writeSync.bind(fs)
// The engine's file system writes through this very function.
fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
  if (failure() === 'full') throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  return writeSync(...args)
}) as typeof fs.writeSync

await serveJob(job, defined(parentPort, 'the port of the thread that started this one'), (descriptor) => {
  if (failure() === 'fsync') throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
  fs.fsyncSync(descriptor)
})
