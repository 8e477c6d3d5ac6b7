#!/usr/bin/env node
// The command-line process: streams, signals and exit code. Only this file of the client touches them.

import { readFileSync } from 'node:fs'
import { systemClock } from '../clock.ts'
import { Interrupted, OutputClosed } from './failures.ts'
import { run } from './run.ts'

const ended = new AbortController()
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

// `… | head` closes the output early.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: { readonly code?: string }) => {
    ended.abort(error.code === 'EPIPE' ? new OutputClosed('the output was closed') : error)
  })
}

// The first signal ends the command in order; a second one ends the process.
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
  signal: ended.signal,
  isErrorTerminal: process.stderr.isTTY,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  readInput,
})
