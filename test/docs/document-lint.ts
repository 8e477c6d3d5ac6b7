// The published linters over the API documents: Redocly's recommended rules and Spectral's `spectral:oas` for OpenAPI, and the AsyncAPI parser. Every finding
// counts, whatever its severity, and no rule is off.

import asyncApi from '@asyncapi/parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import type { RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

interface Diagnostic {
  readonly code: string | number
  readonly message: string
  readonly path: readonly (string | number)[]
}

/** One line for each finding of Redocly and Spectral in an OpenAPI document, given as JSON. */
export async function lintOpenApi(source: string): Promise<string[]> {
  refuseRemoteReferences(source)
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  const checker = new spectral.Spectral()
  // The two packages describe the same object by types that do not match.
  checker.setRuleset({ extends: [rulesets.oas as RulesetDefinition] })
  return [
    ...problems.map(({ ruleId, message, location: [place] }) => `redocly ${ruleId} at ${place?.pointer ?? '#'}: ${message}`),
    ...(await checker.run(source)).map((found) => line('spectral', found)),
  ]
}

/** One line for each diagnostic of the AsyncAPI parser. */
export async function lintAsyncApi(document: object): Promise<string[]> {
  const source = JSON.stringify(document)
  refuseRemoteReferences(source)
  const { diagnostics } = await new asyncApi.Parser().parse(source)
  return diagnostics.map((found) => line('asyncapi', found))
}

function line(linter: string, { code, message, path }: Diagnostic): string {
  return `${linter} ${code} at ${path.join('/')}: ${message}`
}

/** The linters would download what a remote reference names. */
function refuseRemoteReferences(source: string): void {
  for (const [, target = ''] of source.matchAll(/"\$ref":\s*"([^"]*)"/g)) {
    if (!target.startsWith('#/')) throw new Error(`the reference ${target} is not to the document itself`)
  }
}
