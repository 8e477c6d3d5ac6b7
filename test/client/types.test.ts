// The client's generated files match docs/openapi.json.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { generateClientTypes } from './client-types.ts'
import type { OpenApiDocument } from './client-types.ts'

const HINT = 'docs/openapi.json has changed. Regenerate the client\'s types: UPDATE_GOLDEN=1 npm test -- test/client/types.test.ts'
const GENERATED = new URL('../../client/src/generated/', import.meta.url)
const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as OpenApiDocument

test('the generated client files match the OpenAPI document', async () => {
  for (const [name, text] of Object.entries(await generateClientTypes(document))) {
    const file = new URL(name, GENERATED)
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text)
    assert.equal(readFileSync(file, 'utf8'), text, HINT)
  }
})
