// The embedded engine's thread with a disk that fails once the file `<folder>.fails` exists: at fsync, or (content `full`) at every write. With
// the content `full, except its log` the write-ahead log was allocated before.

import fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { defined } from '../../base/assert.ts'
import type { Job } from './messages.ts'
import { serveJob } from './serve-job.ts'

const job = workerData as Job
const marker = `${job.directory ?? ''}.fails`
const failure = (): string => (fs.existsSync(marker) ? fs.readFileSync(marker, 'utf8') : '')

const isLog = (descriptor: number): boolean => fs.readlinkSync(`/proc/self/fd/${descriptor}`).includes('/pg_wal/')

const writeSync = fs.writeSync.bind(fs)
// The engine's file system calls this function.
fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
  const isFull = failure() === 'full' || (failure() === 'full, except its log' && !isLog(args[0]))
  if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  return writeSync(...args)
}) as typeof fs.writeSync

await serveJob(job, defined(parentPort, 'the port of the parent thread'), (descriptor) => {
  if (failure() === 'fsync') throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
  fs.fsyncSync(descriptor)
})
