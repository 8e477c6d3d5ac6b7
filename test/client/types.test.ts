// What the client says of answers and calls is what the gateway's document says.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { writeClientTypes } from '../support/client-types.ts'
import type { OpenApiDocument } from '../support/client-types.ts'

const HOW = 'The document has changed. Renew the client\'s types with: UPDATE_GOLDEN=1 npm test -- test/client/types.test.ts'
const SOURCES = new URL('../../client/src/', import.meta.url)
const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as OpenApiDocument

test('the client\'s types are those of the document', () => {
  for (const [name, text] of Object.entries(writeClientTypes(document))) {
    const file = new URL(name, SOURCES)
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text)
    assert.equal(readFileSync(file, 'utf8'), text, HOW)
  }
})
