// The exchange that a chain starts with.

import type { Generation } from '../src/exchange/contracts/generations.ts'

export const GENERATIONS = ['1', '2'] as const
export type LocalGeneration = (typeof GENERATIONS)[number]

/** The build of each generation that a new chain starts with. */
export const FIRST_BUILDS = { 1: '1', 2: '2.3' } as const satisfies Readonly<Record<LocalGeneration, Generation>>

export interface Setup {
  /** The generation of the contracts. 2 is the newest build of generation 2. */
  readonly generation: LocalGeneration
  /** Counts the deployments. Each has its own contract addresses. */
  readonly deployment: number
}

export const FIRST_SETUP: Setup = { generation: '1', deployment: 1 }

/** The setup as the label of a genesis. */
export function setupLabel({ generation, deployment }: Setup): string {
  return `generation ${generation}, deployment ${deployment}`
}

/** The setup of a chain with this label; the first one for any other label. */
export function readSetup(label: string): Setup {
  const [, generation, deployment] = /^generation (\d+), deployment (\d+)$/.exec(label) ?? []
  return { generation: GENERATIONS.find((each) => each === generation) ?? FIRST_SETUP.generation, deployment: Number(deployment ?? FIRST_SETUP.deployment) }
}
