// Worker thread that builds the console.

import { parentPort, workerData } from 'node:worker_threads'
import { buildConsole } from './build.ts'
import type { ConsoleBuildOptions } from './build.ts'

parentPort?.postMessage(buildConsole(workerData as ConsoleBuildOptions), [])
