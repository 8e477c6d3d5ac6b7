// Frames whose rows were completed after they were published. Comparing them needs what became known later.

import type { PublishedFrame } from '../process.ts'

interface RowFrame {
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
  readonly again?: true
}

/**
 * The frames that a process published for one account, with the unknown members of each fill as a later frame completes them: one of the same process, or
 * one that it did not live to publish. A resume returns the complete row at both positions. A member that no later frame completes stays unknown.
 */
export function withLateMembers(published: readonly PublishedFrame[], unpublished: readonly PublishedFrame[]): readonly PublishedFrame[] {
  const frames = [...published, ...unpublished]
  return published.map((frame, index) => {
    const data = frame.data as RowFrame
    if (data.kind !== 'fill') return frame
    const complete = frames.slice(index + 1).findLast((later) => isAgain(later.data as RowFrame, data))
    if (complete === undefined) return frame
    const { row } = complete.data as RowFrame
    return { ...frame, data: { ...data, row: Object.fromEntries(Object.entries(data.row).map(([name, value]) => [name, value ?? row[name] ?? null])) } }
  })
}

function isAgain({ kind, row, again }: RowFrame, earlier: RowFrame): boolean {
  return kind === 'fill' && again === true && row['seq'] === earlier.row['seq'] && row['positionId'] === earlier.row['positionId']
}
