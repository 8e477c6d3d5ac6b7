// x-ignored-parameters: names the query parameters that an operation does not have. They are ignored, because deployed clients send some, but a misspelt
// `limit` would otherwise only look as if it had no effect.

import type { FastifyInstance } from 'fastify'

export const IGNORED_PARAMETERS = 'x-ignored-parameters'

/** Bounds of the header. */
const MAX_NAMES = 10
const MAX_NAME_CHARACTERS = 64
/** Of names: one more edit is another word. */
const MAX_EDITS = 2

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query parameters of a documented operation. */
    knownParameters?: readonly string[]
  }
}

/** Applies to every documented operation. Call it before the hook that admits requests, so that rejections carry the header too. */
export function reportIgnoredParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { schema } = route
    if (schema?.response === undefined || schema.hide === true) return
    const { properties = {} } = (schema.querystring ?? {}) as { readonly properties?: object }
    route.config = { ...route.config, knownParameters: Object.keys(properties) }
  })
  app.addHook('onRequest', (request, reply, done) => {
    const known = request.routeOptions.config.knownParameters
    const ignored = known === undefined ? [] : Object.keys(request.query as object).filter((name) => !known.includes(name))
    if (known !== undefined && ignored.length > 0) {
      reply.header(IGNORED_PARAMETERS, ignored.slice(0, MAX_NAMES).map((name) => describe(name, known)).join(', '))
    }
    done()
  })
}

/** The name and the nearest known one: `limt (limit?)`. Escapes what a header cannot hold. */
function describe(name: string, known: readonly string[]): string {
  const shown = encodeURIComponent(name.slice(0, MAX_NAME_CHARACTERS).toWellFormed())
  const nearest = nearestName(name.slice(0, MAX_NAME_CHARACTERS), known)
  return nearest === undefined ? shown : `${shown} (${nearest}?)`
}

/** The known name with the fewest edits from this one, if they are few: case and separators do not count. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = lettersOf(name)
  const byEdits = known.map((candidate) => ({ candidate, edits: editsBetween(wanted, lettersOf(candidate)) })).sort((a, b) => a.edits - b.edits)
  const [best] = byEdits
  // Most letters must agree: two edits turn `to` into any other name of two letters.
  return best !== undefined && best.edits <= Math.min(MAX_EDITS, Math.floor(best.candidate.length / 2)) ? best.candidate : undefined
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** The Levenshtein distance. */
function editsBetween(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[to.length] ?? 0
}
