// Selects the archive rows of this chain's history. Ledgers are written on branches. Restoring a snapshot or resetting the chain starts a new
// branch, and the history is a list of ranges of branches. So taking a snapshot copies nothing, and restoring one deletes nothing at once.

/** Ledgers `from` to `to` of a branch, both included. */
export interface BranchRange {
  readonly branch: number
  readonly from: number
  readonly to: number
}

/** Ascending and without gaps. New ledgers extend the last range. */
export type Timeline = readonly BranchRange[]

/** Adds one ledger. */
export function extendTimeline(timeline: Timeline, branch: number, sequence: number): Timeline {
  const last = timeline.at(-1)
  if (last?.branch === branch && last.to === sequence - 1) return [...timeline.slice(0, -1), { ...last, to: sequence }]
  return [...timeline, { branch, from: sequence, to: sequence }]
}

/** Removes the ledgers before `sequence`. */
export function trimTimeline(timeline: Timeline, sequence: number): Timeline {
  return timeline.filter(({ to }) => to >= sequence).map((range) => ({ ...range, from: Math.max(range.from, sequence) }))
}

/** The branch of a ledger. */
export function branchOf(timeline: Timeline, sequence: number): number | undefined {
  return timeline.find(({ from, to }) => from <= sequence && sequence <= to)?.branch
}

/** The ranges of the timeline within [from, until), in order. */
export function rangesBetween(timeline: Timeline, from: number, until: number): Timeline {
  return timeline
    .filter((range) => range.to >= from && range.from < until)
    .map((range) => ({ branch: range.branch, from: Math.max(range.from, from), to: Math.min(range.to, until - 1) }))
}

/** The smallest range that covers the ledgers of one branch in all timelines; undefined when there are none. */
export function coveringRange(timelines: readonly Timeline[], branch: number): { readonly from: number; readonly to: number } | undefined {
  const ranges = timelines.flat().filter((range) => range.branch === branch)
  if (ranges.length === 0) return undefined
  return { from: Math.min(...ranges.map(({ from }) => from)), to: Math.max(...ranges.map(({ to }) => to)) }
}
