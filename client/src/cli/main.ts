#!/usr/bin/env node
// The command line as a process: its streams, its signals, and the code that it ends with. The only file of the client that knows them.

import { readFileSync } from 'node:fs'
import { systemClock } from '../clock.ts'
import { platform } from '../platform.ts'
import { Interrupted, OutputClosed } from './failures.ts'
import { run } from './run.ts'
import { NodeWebSocket } from './web-socket.ts'

const ended = new AbortController()
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

// `… | head` reads what it wants and leaves.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: { readonly code?: string }) => {
    ended.abort(error.code === 'EPIPE' ? new OutputClosed('nobody reads any more') : error)
  })
}

// The first time it ends what can be ended in order; the second time the process itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort(new Interrupted(signal)))

async function readInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk)
  return text
}

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  version: manifest.version,
  clock: systemClock,
  WebSocket: platform.WebSocket ?? NodeWebSocket,
  signal: ended.signal,
  isErrorTerminal: process.stderr.isTTY,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  readInput,
})
