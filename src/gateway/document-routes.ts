// The documentation and the console.

import { serveAsyncApi } from '../http/asyncapi.ts'
import type { App } from '../http/app.ts'
import type { ConsoleBuildOptions } from '../http/console/build.ts'
import { createDocuments } from '../http/documents.ts'
import { serveGuides } from '../http/guides.ts'
import { serveLlmsText } from '../http/llms.ts'
import { serveOpenApi } from '../http/openapi.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { consoleRoutes } from '../routes/console.ts'

/** Serves the documents of the API, the guides, and the console if it is enabled. */
export async function documentRoutes(
  app: App, { version, requestLimits, consoleBuild }: {
    readonly version: string; readonly requestLimits: RequestLimits; readonly consoleBuild: ConsoleBuildOptions | null
  },
): Promise<void> {
  const documents = createDocuments(requestLimits)
  const product = { version, hasConsole: consoleBuild !== null }
  await serveOpenApi(app, documents, product)
  serveAsyncApi(app, version, documents)
  serveGuides(app, documents, product)
  serveLlmsText(app, documents)
  consoleRoutes(app, { build: consoleBuild, documents })
}
