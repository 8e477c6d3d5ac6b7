import { fileURLToPath } from 'node:url'

/** Where processes keep what they have compiled, for those after them that read the same modules: half of what a start costs is reading them again. */
export const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url))
