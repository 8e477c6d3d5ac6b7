// The thread that builds the console.

import { parentPort, workerData } from 'node:worker_threads'
import { buildConsole } from './build.ts'
import type { BuildOrder } from './built.ts'

parentPort?.postMessage(buildConsole(workerData as BuildOrder), [])
