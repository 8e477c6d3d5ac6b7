// The builds of generation 2: one address ran all of them, upgraded in place (generation 2, "Generations, deployments, configuration").

export const GENERATION_2_BUILDS = ['2.0', '2.1', '2.2', '2.3'] as const

export type Generation2Build = (typeof GENERATION_2_BUILDS)[number]

/** True if a build is `first` or a later one. */
export function isSince(build: Generation2Build, first: Generation2Build): boolean {
  return GENERATION_2_BUILDS.indexOf(build) >= GENERATION_2_BUILDS.indexOf(first)
}
