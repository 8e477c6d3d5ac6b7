// Where a client stands on each channel of the log, and the proof that nothing is missing in between.

/** How far a channel has come. `isExact`: that place is a frame of the channel, so that the next one must name it. */
interface ChannelPosition {
  readonly seq: number
  readonly isExact: boolean
}

export type FrameCheck = 'next' | 'known' | 'hole'

export interface ChannelPositions {
  of(channel: string): number | undefined
  begin(channel: string, seq: number, isExact: boolean): void
  forget(channel: string): void
  /** What a frame is, after those before it; `next` moves the place to it. */
  take(channel: string, seq: number, prev: number): FrameCheck
}

export function createChannelPositions(): ChannelPositions {
  const places = new Map<string, ChannelPosition>()
  return {
    of: (channel) => places.get(channel)?.seq,
    begin: (channel, seq, isExact) => void places.set(channel, { seq, isExact }),
    forget: (channel) => void places.delete(channel),
    take(channel, seq, prev) {
      const place = places.get(channel)
      if (place !== undefined) {
        if (seq <= place.seq) return 'known'
        if (place.isExact ? prev !== place.seq : prev > place.seq) return 'hole'
      }
      places.set(channel, { seq, isExact: true })
      return 'next'
    },
  }
}
