// Names the caller that a request's database reads run for, so that callers take turns (docs/decisions/fair-shares.md).

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TaskContext } from '../base/task-context.ts'
import type { TurnCaller } from '../base/turns.ts'

/** Pages with more rows are large reads. */
const SMALL_PAGE_ROWS = 100

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for routes without a `limit` that read many rows. */
    readsMany?: boolean
    /** The default of the parameter `limit`. Set from the schema. */
    pageRows?: number
  }
}

/** Runs every handler for the caller of its request. Call it before the routes are added. */
export function attributeReads(app: FastifyInstance, reading: TaskContext<TurnCaller>): void {
  app.addHook('onRoute', (route) => {
    const pageRows = defaultLimit(route.schema?.querystring)
    if (pageRows !== undefined) route.config = { ...route.config, pageRows }
  })
  // The last hook before the handler: the context would not survive the arrival of a body.
  app.addHook('preHandler', (request, _reply, done) => reading.run(readerOf(request), done))
}

function readerOf({ caller, query, routeOptions: { config } }: FastifyRequest): TurnCaller {
  const rows = (query as { readonly limit?: unknown } | undefined)?.limit ?? config.pageRows ?? 0
  return {
    address: caller.network.bucket,
    ...(caller.key === null ? {} : { owner: caller.key.owner }),
    isLarge: config.readsMany === true || (typeof rows === 'number' && rows > SMALL_PAGE_ROWS),
  }
}

function defaultLimit(schema: unknown): number | undefined {
  const { properties } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, { readonly default?: unknown }>> }
  const limit = properties?.['limit']?.default
  return typeof limit === 'number' ? limit : undefined
}
