// The forms of the network's types that this project knows, as numbers of their enums and unions. A Stellar SDK that knows more is of a later protocol.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { KNOWN_PROTOCOL } from '../../src/base/protocol.ts'
import { KNOWN_VALUE_FORMS } from '../../src/chain/codec/ledger-header.ts'
import { GOLDEN_COMMAND, UPDATES_GOLDEN } from '../support/golden.ts'

const FILE = fileURLToPath(new URL('./known-forms.json', import.meta.url))

type Forms = Readonly<Record<string, readonly number[]>>

interface Schema {
  readonly kind: string
  readonly name?: string
  readonly nameByValue?: ReadonlyMap<number, string> | Readonly<Record<number, string>>
  readonly switchOn?: { readonly kind: string }
  readonly cases?: readonly { readonly discriminant: number }[]
}

/** Forms that the code reads by hand, because the SDK in the lock file does not know them. */
const BEYOND_THE_SDK: Forms = { StellarValueType: KNOWN_VALUE_FORMS, ScAddressType: [5], ContractCostType: [86, 87, 88, 89, 90, 91, 92, 93, 94] }

/** The numbers of each enum, and of each union that has numbers without names. */
function formsOfSdk(): Forms {
  const forms = new Map<string, readonly number[]>()
  for (const value of Object.values(xdr) as readonly { readonly schema?: Schema }[]) {
    const { kind, name = '', nameByValue = {}, switchOn, cases = [] } = value.schema ?? { kind: 'none' }
    if (kind === 'enum') forms.set(name, nameByValue instanceof Map ? [...nameByValue.keys()] : Object.keys(nameByValue).map(Number))
    if (kind === 'union' && switchOn?.kind !== 'enum') forms.set(name, cases.map(({ discriminant }) => discriminant))
  }
  return Object.fromEntries([...forms].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function combine(one: Forms, other: Forms): Forms {
  return Object.fromEntries(Object.keys({ ...one, ...other }).toSorted().map((name) => [
    name, [...new Set([...one[name] ?? [], ...other[name] ?? []])].toSorted((a, b) => a - b),
  ]))
}

/** Returns the forms that `found` has and `known` lacks, as text. */
function missing(found: Forms, known: Forms): readonly string[] {
  return Object.entries(found).flatMap(([name, numbers]) => numbers
    .filter((number) => known[name]?.includes(number) !== true)
    .map((number) => `${name} ${number}`))
}

function knownForms(): { readonly protocol: number; readonly forms: Forms } {
  return JSON.parse(readFileSync(FILE, 'utf8')) as { readonly protocol: number; readonly forms: Forms }
}

test('the Stellar SDK in the lock file knows no form that this project does not', () => {
  if (UPDATES_GOLDEN) {
    const lines = Object.entries(combine(formsOfSdk(), BEYOND_THE_SDK)).map(([name, numbers]) => `    ${JSON.stringify(name)}: ${JSON.stringify(numbers)}`)
    writeFileSync(FILE, `{\n  "protocol": ${KNOWN_PROTOCOL},\n  "forms": {\n${lines.join(',\n')}\n  }\n}\n`)
  }
  const { protocol, forms } = knownForms()
  const unknown = missing(formsOfSdk(), forms)
  assert.deepEqual(unknown, [], `the SDK knows a later protocol. Read these forms, follow docs/operating.md, "Protocol upgrades", then run ${GOLDEN_COMMAND}`)
  assert.deepEqual(missing(BEYOND_THE_SDK, forms), [])
  assert.equal(protocol, KNOWN_PROTOCOL, `when KNOWN_PROTOCOL changes: ${GOLDEN_COMMAND}`)
})

test('names a form that is missing, of a known type and of a new one', () => {
  const { forms } = knownForms()
  assert.deepEqual(missing({ ...forms, ScAddressType: [...forms['ScAddressType'] ?? [], 6], NewType: [0] }, forms), ['ScAddressType 6', 'NewType 0'])
  assert.ok(Object.keys(formsOfSdk()).length > 100, 'the types of the SDK were found')
})
