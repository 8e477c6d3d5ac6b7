import { fileURLToPath } from 'node:url'

/** Node's compile cache, shared by all child processes: it halves their start-up time. */
export const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url))
