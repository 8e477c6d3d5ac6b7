// Worker thread that reads large responses.

import { parentPort } from 'node:worker_threads'
import { readMessage } from './message.ts'
import type { Message } from './message.ts'

parentPort?.on('message', (message: Message) => parentPort?.postMessage(readMessage(message), []))
