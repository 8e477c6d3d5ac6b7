// GET / and /console/…: the web console. Its files are served from memory. They do not count against the API rate limit, which the API calls of the page use,
// but have their own limit.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../base/clock.ts'
import type { BuiltFile, ConsoleBuildOptions } from '../console/build.ts'
import { createConsoleFiles } from '../console/files.ts'
import { CACHE_REVALIDATE, matchesEtag } from '../http/response.ts'
import type { App } from '../http/app.ts'
import { HttpFailure, rateLimited } from '../http/errors.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { CONSOLE_FILES_PER_WINDOW } from '../limits.ts'

/** File names contain a content hash. */
const CACHE_FOREVER = 'public, max-age=31536000, immutable'

export interface ConsoleParts {
  /** Null disables the console. */
  readonly build: ConsoleBuildOptions | null
  readonly clock: Clock
}

export function consoleRoutes(app: App, { build, clock }: ConsoleParts): void {
  if (build === null) return
  const files = createConsoleFiles(build)
  const policy = contentPolicy(build.settings.localRpcUrl)
  const perAddress = { public: CONSOLE_FILES_PER_WINDOW, standard: CONSOLE_FILES_PER_WINDOW, market_maker: CONSOLE_FILES_PER_WINDOW }
  const limiter = createRateLimiter({ clock, limits: perAddress })
  const options = { schema: { hide: true }, config: { rateLimited: false } } as const

  async function count(request: FastifyRequest): Promise<void> {
    if ((await limiter.take('public', request.caller.bucket)) >= 0) return
    throw new HttpFailure(rateLimited(limiter.retryAfterSec()))
  }

  app.get('/', options, async (request, reply) => {
    await count(request)
    const { page } = await files()
    reply.headers({ 'cache-control': CACHE_REVALIDATE, 'content-security-policy': policy, 'cross-origin-opener-policy': 'same-origin' })
    return send(request, reply, page)
  })

  app.get('/console/*', options, async (request, reply) => {
    await count(request)
    const { assets } = await files()
    const asset = assets.get((request.raw.url ?? '').split('?')[0] ?? '')
    if (asset === undefined) return reply.callNotFound()
    reply.header('cache-control', CACHE_FOREVER)
    return send(request, reply, asset)
  })
}

/** The page may load from and connect to this server and the RPC server of the local network, if there is one. Inline scripts and styles are blocked. */
function contentPolicy(localRpcUrl: string | null): string {
  const rpcOrigin = localRpcUrl === null ? '' : ` ${new URL(localRpcUrl).origin}`
  return [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", `connect-src 'self'${rpcOrigin}`,
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].join('; ')
}

function send(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  const { 'accept-encoding': accepted = '', 'if-none-match': ifNoneMatch } = request.raw.headers
  const vary = reply.getHeader('vary')
  reply.headers({ etag: file.etag, vary: vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding` })
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, file.etag)) return reply.code(304).send()
  reply.type(file.type)
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli)
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip)
  return reply.send(file.plain)
}
