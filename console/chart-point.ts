/** A point of a line chart. */
export interface ChartPoint {
  /** Unix seconds. */
  readonly time: number
  readonly value: number
}
