// A thread of the embedded engine that never reports anything.

import { parentPort } from 'node:worker_threads'

parentPort?.on('message', () => {})
