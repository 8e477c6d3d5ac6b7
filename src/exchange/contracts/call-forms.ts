// The forms of a contract function: its parameters changed between generations, and the gateway calls the form that the deployed contract accepts.

import { argumentType, encodeArgument, encodeTimeInForce } from './call-arguments.ts'
import type { ArgumentField, CallArgument, CallField, CallFields, ContractCall } from './call-arguments.ts'
import type { ContractAddresses, ContractKey } from './contracts.ts'
import { isAtLeast } from './generations.ts'
import type { Generation } from './generations.ts'

/** Arguments that are not fields of the request. */
export const SIGNER = Symbol('signer')
export const LIQUIDITY_VAULT = Symbol('liquidity vault')
/** The optional fields `timeInForce` and `reduceOnly` in one number. */
export const TIME_IN_FORCE = Symbol('time in force')

type ParameterSymbol = typeof SIGNER | typeof LIQUIDITY_VAULT | typeof TIME_IN_FORCE

/** Optional fields end with a question mark. Their default is 0. */
type OptionalField = `${Extract<ArgumentField, 'acceptablePrice' | 'limitPrice' | 'minOut'>}?`
type Parameter = ArgumentField | OptionalField | ParameterSymbol | CallArgument

export interface CallForm {
  /** The first generation whose contract has this form. */
  readonly since: Generation
  readonly parameters: readonly Parameter[]
}

/** A contract function that the gateway calls. */
export interface CallDefinition {
  readonly contract: ContractKey
  readonly functionName: string
  /** Newest first. */
  readonly forms: readonly CallForm[]
}

type ParameterOf<Definition extends { readonly forms: readonly CallForm[] }> = Definition['forms'][number]['parameters'][number]
type RequiredFieldOf<P> = Extract<P, ArgumentField>
type OptionalFieldOf<P> =
  | (P extends `${infer Field}?` ? Extract<Field, CallField> : never)
  | (typeof TIME_IN_FORCE extends P ? 'timeInForce' | 'reduceOnly' : never)
  | ('acceptablePrice?' extends P ? 'slippageBps' : never)

/** The request fields of a definition. */
export type FieldsOf<Definition extends { readonly forms: readonly CallForm[] }> =
  Pick<CallFields, RequiredFieldOf<ParameterOf<Definition>>> & Partial<Pick<CallFields, OptionalFieldOf<ParameterOf<Definition>>>>

export interface FieldNames {
  readonly required: readonly ArgumentField[]
  /** Fields that older forms may lack. */
  readonly optional: readonly CallField[]
}

/** The fields of all forms. */
export function fieldNames(forms: readonly CallForm[]): FieldNames {
  const parameters = new Set(forms.flatMap((form) => form.parameters))
  const names = [...parameters].filter((parameter) => typeof parameter === 'string')
  return {
    required: names.filter((name): name is ArgumentField => !name.endsWith('?')),
    optional: [
      ...names.filter((name) => name.endsWith('?')).map(nameOf),
      ...(parameters.has(TIME_IN_FORCE) ? ['timeInForce', 'reduceOnly'] as const : []),
      ...(parameters.has('acceptablePrice?') ? ['slippageBps'] as const : []),
    ],
  }
}

/** The generation and interface of a deployed contract, as far as known. */
export interface CallTarget {
  readonly generation: Generation
  /** True when the contract has the function with these argument types; null when the contract's interface is unknown. */
  readonly accepts: ((functionName: string, types: readonly string[]) => boolean) | null
}

/** The form that the contract accepts; undefined when it accepts none. */
export function findForm({ functionName, forms }: CallDefinition, { generation, accepts }: CallTarget): CallForm | undefined {
  return forms.find((form) => (accepts === null ? isAtLeast(generation, form.since) : accepts(functionName, typesOf(form))))
}

/** The argument types of a form, as contracts declare them. */
export function typesOf({ parameters }: CallForm): readonly CallArgument['type'][] {
  return parameters.map((parameter) => {
    if (typeof parameter === 'object') return parameter.type
    if (typeof parameter === 'string') return argumentType(nameOf(parameter))
    return parameter === TIME_IN_FORCE ? 'u32' : 'address'
  })
}

/** The first field of the request with another value than its default that the form cannot pass on. */
export function findUnsupportedField({ forms }: CallDefinition, form: CallForm, fields: Partial<CallFields>): CallField | undefined {
  const { required, optional } = fieldNames([form])
  const known = new Set<CallField>([...required, ...optional])
  return fieldNames(forms).optional.find((field) => !known.has(field) && BigInt(fields[field] ?? 0) !== 0n)
}

/** The contract call of a request signed by account `signer`. Throws TypeError if a required field is missing. */
export function encodeCall(
  { contract, functionName }: CallDefinition, form: CallForm,
  request: { readonly fields: Partial<CallFields>; readonly signer: string; readonly contracts: Pick<ContractAddresses, 'vault'> },
): ContractCall & { readonly contract: ContractKey } {
  const { fields, signer, contracts } = request
  const args = form.parameters.map((parameter): CallArgument => {
    if (typeof parameter === 'object') return parameter
    if (typeof parameter === 'string') return encodeArgument(parameter.endsWith('?') ? { [nameOf(parameter)]: '0', ...fields } : fields, nameOf(parameter))
    if (parameter === TIME_IN_FORCE) return encodeTimeInForce(fields)
    return { type: 'address', value: parameter === SIGNER ? signer : contracts.vault }
  })
  return { contract, functionName, args }
}

/** A value as a transaction has it. */
interface ArgumentValue {
  readonly type: string
  readonly value?: unknown
}

/**
 * The fields of a call that was encoded in one of the forms for account `signer`; undefined when it was not. Values are as the contract gets them: amounts and
 * ids as integers, choices as their numbers.
 */
export function decodeCall(
  { forms }: CallDefinition, args: readonly ArgumentValue[], request: { readonly signer: string; readonly contracts: Pick<ContractAddresses, 'vault'> },
): Readonly<Partial<Record<ArgumentField, unknown>>> | undefined {
  const { signer, contracts } = request
  for (const form of forms) {
    const types = typesOf(form)
    if (args.length !== types.length || !args.every(({ type }, index) => type === types[index])) continue
    const isFixed = form.parameters.every((parameter, index) => {
      const value = args[index]?.value
      if (typeof parameter === 'string' || parameter === TIME_IN_FORCE) return true
      return value === (typeof parameter === 'object' ? parameter.value : parameter === SIGNER ? signer : contracts.vault)
    })
    if (!isFixed) continue
    return Object.fromEntries(form.parameters.flatMap((parameter, index) => (typeof parameter === 'string' ? [[nameOf(parameter), args[index]?.value]] : [])))
  }
  return undefined
}

/** The names that contracts give to the arguments of the form with this many of them; undefined when there is none. */
export function parameterNames({ contract, forms }: CallDefinition, count: number): readonly string[] | undefined {
  return forms.find(({ parameters }) => parameters.length === count)?.parameters.map((parameter) => {
    if (parameter === SIGNER) return contract === 'market' ? 'trader' : 'caller'
    if (parameter === LIQUIDITY_VAULT) return 'spender'
    // The only fixed argument is a time in force.
    if (parameter === TIME_IN_FORCE || typeof parameter !== 'string') return 'time_in_force'
    return nameOf(parameter).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  })
}

function nameOf(parameter: ArgumentField | OptionalField): ArgumentField {
  return (parameter.endsWith('?') ? parameter.slice(0, -1) : parameter) as ArgumentField
}
