// The last position received on each channel of the log, and the check that no frame is missing in between.

/** `isExact`: the position is a frame of this channel, so the next frame's `prev` must name it. */
interface ChannelPosition {
  readonly seq: number
  readonly isExact: boolean
}

export type FrameCheck = 'next' | 'duplicate' | 'gap'

export interface ChannelPositions {
  get(channel: string): number | undefined
  set(channel: string, seq: number, isExact: boolean): void
  delete(channel: string): void
  /** Compares a frame with the channel's position. `next` advances the position to the frame. */
  advance(channel: string, seq: number, prev: number): FrameCheck
}

export function createChannelPositions(): ChannelPositions {
  const positions = new Map<string, ChannelPosition>()
  return {
    get: (channel) => positions.get(channel)?.seq,
    set: (channel, seq, isExact) => void positions.set(channel, { seq, isExact }),
    delete: (channel) => void positions.delete(channel),
    advance(channel, seq, prev) {
      const position = positions.get(channel)
      if (position !== undefined) {
        if (seq <= position.seq) return 'duplicate'
        if (position.isExact ? prev !== position.seq : prev > position.seq) return 'gap'
      }
      positions.set(channel, { seq, isExact: true })
      return 'next'
    },
  }
}
