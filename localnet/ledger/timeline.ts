// Which rows of the archive are this chain's past. Ledgers are written on branches: restoring a snapshot or starting anew begins a new
// branch, and the past is a list of stretches of branches. So nothing has to be copied to keep a snapshot, and nothing deleted at once to
// leave one.

/** Ledgers `from` to `to` of a branch. */
export interface BranchRange {
  readonly branch: number
  readonly from: number
  readonly to: number
}

/** Ascending and without gaps; the last stretch grows. */
export type Timeline = readonly BranchRange[]

/** The timeline with one more ledger. */
export function extendTimeline(timeline: Timeline, branch: number, sequence: number): Timeline {
  const last = timeline.at(-1)
  if (last?.branch === branch && last.to === sequence - 1) return [...timeline.slice(0, -1), { ...last, to: sequence }]
  return [...timeline, { branch, from: sequence, to: sequence }]
}

/** The timeline without the ledgers before `sequence`. */
export function trimTimeline(timeline: Timeline, sequence: number): Timeline {
  return timeline.filter(({ to }) => to >= sequence).map((stretch) => ({ ...stretch, from: Math.max(stretch.from, sequence) }))
}

/** The branch that holds a ledger. */
export function branchOf(timeline: Timeline, sequence: number): number | undefined {
  return timeline.find(({ from, to }) => from <= sequence && sequence <= to)?.branch
}

/** The parts of [from, until) that exist, in order. */
export function rangesBetween(timeline: Timeline, from: number, until: number): Timeline {
  return timeline
    .filter((stretch) => stretch.to >= from && stretch.from < until)
    .map((stretch) => ({ branch: stretch.branch, from: Math.max(stretch.from, from), to: Math.min(stretch.to, until - 1) }))
}

/** The ledgers of one branch that any of the timelines needs, as one span; undefined when none does. */
export function coveringRange(timelines: readonly Timeline[], branch: number): { readonly from: number; readonly to: number } | undefined {
  const stretches = timelines.flat().filter((stretch) => stretch.branch === branch)
  if (stretches.length === 0) return undefined
  return { from: Math.min(...stretches.map(({ from }) => from)), to: Math.max(...stretches.map(({ to }) => to)) }
}
