// The environment of the market's code: the host's interface and the build that runs.

import type { ContractEnv, EntryPoint, SpecType, Val } from '../../shared/host.ts'
import { entryPoint } from '../../shared/values.ts'
import type { Generation2Build } from '../build.ts'

export interface MarketEnv extends ContractEnv {
  readonly build: Generation2Build
}

export interface MarketEntryPoint {
  readonly inputs: Readonly<Record<string, SpecType>>
  readonly output: SpecType
  readonly run: (env: MarketEnv, args: readonly Val[]) => Val
}

export type MarketEntryPoints = Readonly<Record<string, MarketEntryPoint>>

/** Defines an entry point: named inputs in order, output, implementation. */
export function marketEntryPoint(
  inputs: Readonly<Record<string, SpecType>>, output: SpecType, run: MarketEntryPoint['run'],
): MarketEntryPoint {
  return { inputs, output, run }
}

/** The entry points as code of one build. */
export function forBuild(build: Generation2Build, entryPoints: MarketEntryPoints): Record<string, EntryPoint> {
  return Object.fromEntries(
    Object.entries(entryPoints).map(([name, { inputs, output, run }]) =>
      [name, entryPoint(inputs, output, (env, args) => run(marketEnv(env, build), args))] as const),
  )
}

function marketEnv(env: ContractEnv, build: Generation2Build): MarketEnv {
  return { ...env, build, set: (durability, key, value) => env.set(durability, key, value, lifetimeOf(key)) }
}

/** Ledgers that entries live after a write, by the first part of their key. */
const LIFETIMES: ReadonlyMap<string, number> = new Map([['Position', 2_592_000], ['Order', 2_592_000], ['ClosedProceeds', 34_560]])

function lifetimeOf(key: Val): number | undefined {
  const name = key.type === 'vec' ? key.value[0] : undefined
  return name?.type === 'symbol' ? LIFETIMES.get(name.value) : undefined
}

/** Entry points that did not change since generation 1. */
export function ofGeneration1(entryPoints: Readonly<Record<string, EntryPoint>>): MarketEntryPoints {
  return Object.fromEntries(
    Object.entries(entryPoints).map(([name, { inputs, output, run }]) => [name, marketEntryPoint(Object.fromEntries(inputs), output, run)] as const),
  )
}
