// The local contracts against recorded calls of the published ones:
//   CONTRACT_VECTORS=<folder> npm test -- localnet/contracts/vectors.test.ts

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOT_COMPARED, readVectors, vectorsMissing } from '../test/contracts/recorded-calls.ts'
import { runFiles } from '../test/contracts/run-scenario.ts'

test('every recorded call has the recorded result, events, storage and balances', { skip: vectorsMissing }, (t) => {
  const files = readVectors()
  const { differences, summary } = runFiles(files)
  t.diagnostic(`${files.map(({ name }) => name).join(', ')}; not compared: ${NOT_COMPARED.join(', ')}`)
  for (const difference of differences) t.diagnostic(difference)
  t.diagnostic(summary)
  assert.equal(differences.length, 0, `${differences.join('\n')}\n${summary}`)
})
