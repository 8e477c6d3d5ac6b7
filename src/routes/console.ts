// GET / and /console/…: the web console. Its files are served from memory. They do not count against the API rate limit, which the API calls of the page use,
// but by their size (src/http/documents.ts).

import type { ConsoleBuildOptions } from '../http/console/build.ts'
import { createConsoleFiles } from '../http/console/files.ts'
import { CACHE_REVALIDATE } from '../http/response.ts'
import type { App } from '../http/app.ts'
import type { Documents } from '../http/documents.ts'

/** File names contain a content hash. */
const CACHE_FOREVER = 'public, max-age=31536000, immutable'

export interface ConsoleParts {
  /** Null disables the console. */
  readonly build: ConsoleBuildOptions | null
  readonly documents: Documents
}

export function consoleRoutes(app: App, { build, documents }: ConsoleParts): void {
  if (build === null) return
  const files = createConsoleFiles(build)
  const policy = contentPolicy(build.settings.localRpcUrl)
  const options = { schema: { hide: true }, config: { rateLimited: false } } as const
  const pageHeaders = { 'cache-control': CACHE_REVALIDATE, 'content-security-policy': policy, 'cross-origin-opener-policy': 'same-origin' }

  app.get('/', options, async (request, reply) => documents.send(request, reply, (await files()).page, pageHeaders))

  app.get('/console/*', options, async (request, reply) => {
    const { assets } = await files()
    const asset = assets.get((request.raw.url ?? '').split('?')[0] ?? '')
    if (asset !== undefined) return documents.send(request, reply, asset, { 'cache-control': CACHE_FOREVER })
    await documents.count(request)
    return reply.callNotFound()
  })
}

/** The page may load from and connect to this server and the RPC server of the local network, if there is one. Inline scripts and styles are blocked. */
function contentPolicy(localRpcUrl: string | null): string {
  const rpcOrigin = localRpcUrl === null ? '' : ` ${new URL(localRpcUrl).origin}`
  return [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'", "img-src 'self'", `connect-src 'self'${rpcOrigin}`,
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].join('; ')
}
