// Lints docs/openapi.json and the AsyncAPI document of the stream. Part of `npm run lint`.

import { readFileSync } from 'node:fs'
import manifest from '../package.json' with { type: 'json' }
import { describeStream } from '../src/http/asyncapi.ts'
import { lintAsyncApi, lintOpenApi } from './docs/document-lint.ts'

const openApi = readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8')
const findings = [...await lintOpenApi(openApi), ...await lintAsyncApi(describeStream(manifest.version))]
for (const finding of findings) console.error(finding)
console.log(`API documents: ${findings.length} findings.`)
if (findings.length > 0) process.exitCode = 1
