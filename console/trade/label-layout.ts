// Places the chart's labels so that none covers another. Pure. Distances in pixels from the chart's left and top.

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** A label of a line, in a column at the left. */
export interface LineLabel extends Size {
  /** Of its line. */
  readonly y: number
}

/** A label of a point, below or above it. */
export interface PointLabel extends Size, Point {
  readonly isBelow: boolean
}

/** The top left corner of a label. */
export interface Place {
  readonly left: number
  readonly top: number
}

const GAP = 2
const LEFT = 4
/** Between a point and its label: the point's arrow. */
const POINT_DISTANCE = 14
/** Maximum shift of a point's label, in its own heights. */
const SHIFTS_MAX = 4

/** Places the labels of lines: in the order of the lines, as close to them as possible. Null: no room, so the label is not shown. */
export function placeLineLabels(labels: readonly LineLabel[], area: Size): readonly (Place | null)[] {
  const columnWidth = Math.max(0, ...labels.map(({ width }) => width)) + GAP
  const perColumn = Math.floor((area.height + GAP) / (Math.max(1, ...labels.map(({ height }) => height)) + GAP))
  const columnsThatFit = Math.max(1, Math.floor((area.width - LEFT) / columnWidth))
  const shown = labels.map((_, index) => index).slice(0, perColumn * columnsThatFit).toSorted((a, b) => yOf(labels, a) - yOf(labels, b))
  const columns = Math.ceil(shown.length / Math.max(1, perColumn))
  const places: (Place | null)[] = labels.map(() => null)
  for (let column = 0; column < columns; column++) {
    const members = shown.filter((_, position) => position % columns === column)
    const tops = spread(members.map((index) => labels[index] as LineLabel), area.height)
    for (const [position, index] of members.entries()) places[index] = { left: LEFT + column * columnWidth, top: tops[position] ?? 0 }
  }
  return places
}

const yOf = (labels: readonly LineLabel[], index: number): number => labels[index]?.y ?? 0

/** Tops of labels sorted by `y`, apart from each other and with the least sum of squared shifts. */
function spread(labels: readonly LineLabel[], height: number): readonly number[] {
  let used = 0
  const offsets = labels.map((label) => {
    const offset = used
    used += label.height + GAP
    return offset
  })
  // Without their offsets the tops must ascend: neighbours that do not are averaged (isotonic regression).
  const groups: { sum: number; count: number }[] = []
  for (const [index, label] of labels.entries()) {
    groups.push({ sum: label.y - label.height / 2 - (offsets[index] ?? 0), count: 1 })
    for (let last = groups.at(-1), before = groups.at(-2); last !== undefined && before !== undefined && mean(before) > mean(last);) {
      groups.splice(-2, 2, { sum: before.sum + last.sum, count: before.count + last.count })
      last = groups.at(-1)
      before = groups.at(-2)
    }
  }
  const most = Math.max(0, height - (used - GAP))
  const bases = groups.flatMap((group) => Array.from({ length: group.count }, () => Math.min(Math.max(mean(group), 0), most)))
  return bases.map((base, index) => base + (offsets[index] ?? 0))
}

const mean = ({ sum, count }: { readonly sum: number; readonly count: number }): number => sum / count

/** Places labels of points where they cover neither `taken` nor each other: beside the point, else shifted up or down. Null: no room near the point. */
export function placePointLabels(labels: readonly PointLabel[], taken: readonly (Place & Size)[], area: Size): readonly (Place | null)[] {
  const used = [...taken]
  return labels.map((label) => {
    const { x, y, width, height, isBelow } = label
    const left = Math.min(Math.max(x - width / 2, 0), Math.max(0, area.width - width))
    for (let shift = 0; shift <= SHIFTS_MAX; shift++) {
      for (const below of [isBelow, !isBelow]) {
        const distance = POINT_DISTANCE + shift * (height + GAP)
        const top = below ? y + distance : y - distance - height
        const box = { left, top, width, height }
        if (top < 0 || top + height > area.height || used.some((other) => overlaps(other, box))) continue
        used.push(box)
        return { left, top }
      }
    }
    return null
  })
}

export function overlaps(a: Place & Size, b: Place & Size): boolean {
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height
}
