// The engine's compiled code. V8 optimizes it while it runs, which takes seconds of another core. All threads of a process share it, so an engine that is
// restarted runs fast at once.

import { readFile } from 'node:fs/promises'
import { StoreUnavailable } from '../store.ts'

/** The types of Node.js declare the namespace without its functions. */
const { compile } = (globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<WebAssembly.Module> } }).WebAssembly

let compiled: Promise<WebAssembly.Module> | undefined

/** Compiles the code once per process. Raises StoreUnavailable when it cannot be read. */
export function engineCode(): Promise<WebAssembly.Module> {
  return (compiled ??= load())
}

async function load(): Promise<WebAssembly.Module> {
  try {
    return await compile(await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))))
  } catch (cause) {
    compiled = undefined
    throw new StoreUnavailable(`cannot load the embedded database engine: ${String(cause)}`, { cause })
  }
}
