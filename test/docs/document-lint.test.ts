// The linters of the API documents report planted faults. `npm run lint` runs them over the real documents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lintAsyncApi, lintOpenApi } from './document-lint.ts'

const OPEN_API = {
  openapi: '3.0.3',
  info: {
    title: 'Planted', version: '1.0.0', description: 'A document', license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    contact: { name: 'Maintainers', url: 'https://gateway.exchange/contact' },
  },
  servers: [{ url: 'https://gateway.exchange' }],
  tags: [{ name: 'things', description: 'Things' }],
  security: [],
  paths: {
    '/things': {
      get: {
        operationId: 'listThings', summary: 'List things', description: 'All things', tags: ['things'],
        responses: { '200': { description: 'Things' }, '400': { description: 'Not valid' } },
      },
    },
  },
}
const ASYNC_API = { asyncapi: '3.1.0', info: { title: 'Planted', version: '1.0.0' } }
const names = (findings: readonly string[]): string[] => findings.map((finding) => finding.split(' at ')[0] ?? '')

test('a correct OpenAPI document has no finding', async () => {
  assert.deepEqual(await lintOpenApi(JSON.stringify(OPEN_API)), [])
})

test('Redocly and Spectral report planted faults', async () => {
  const { license: _license, contact: _contact, ...info } = OPEN_API.info
  const { security: _security, tags: _tags, ...rest } = OPEN_API
  const findings = names(await lintOpenApi(JSON.stringify({ ...rest, info })))
  for (const expected of ['redocly security-defined', 'redocly info-license', 'spectral info-contact', 'spectral operation-tag-defined']) {
    assert.ok(findings.includes(expected), `${expected}: ${findings.join(', ')}`)
  }
})

test('the AsyncAPI parser reports a planted fault', async () => {
  assert.deepEqual(await lintAsyncApi(ASYNC_API), [])
  assert.deepEqual(names(await lintAsyncApi({ ...ASYNC_API, info: { title: 'Planted' } })), ['asyncapi asyncapi-document-resolved'])
})

test('rejects a remote reference without downloading it', async () => {
  await assert.rejects(lintOpenApi('{"$ref": "https://gateway.exchange/x.json"}'), /not to the document itself/)
})
