// The client's generated files match docs/openapi.json.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { generateClientTypes } from './client-types.ts'
import type { OpenApiDocument } from './client-types.ts'
import { GOLDEN_COMMAND, UPDATES_GOLDEN } from '../support/golden.ts'

const HINT = `docs/openapi.json has changed. Generate the client's types again: ${GOLDEN_COMMAND}`
const GENERATED = new URL('../../client/src/generated/', import.meta.url)
const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as OpenApiDocument

test('the generated client files match the OpenAPI document', async () => {
  for (const [name, text] of Object.entries(await generateClientTypes(document))) {
    const file = new URL(name, GENERATED)
    if (UPDATES_GOLDEN) writeFileSync(file, text)
    assert.equal(readFileSync(file, 'utf8'), text, HINT)
  }
})
