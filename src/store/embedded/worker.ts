// The entry point of the embedded engine's thread.

import { fsyncSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { defined } from '../../base/assert.ts'
import type { Job } from './messages.ts'
import { serveJob } from './serve-job.ts'

await serveJob(workerData as Job, defined(parentPort, 'the port of the parent thread'), fsyncSync)
