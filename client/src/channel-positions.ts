// The last position received on each channel of the log, and the check that no frame is missing in between.

interface ChannelPosition {
  readonly seq: number
  /** The position is a frame of this channel, so the next frame's `prev` must name it. */
  readonly isExact: boolean
  /** The last frame of an event that has more frames; the position moves with the last of them. */
  readonly incomplete?: { readonly seq: number; readonly more: number }
}

type FrameCheck = 'next' | 'duplicate' | 'gap'

interface FramePosition {
  readonly seq: number
  readonly prev: number
  /** The number of frames that follow with the same seq. */
  readonly more: number
}

export interface ChannelPositions {
  get(channel: string): number | undefined
  set(channel: string, seq: number, isExact: boolean): void
  delete(channel: string): void
  /** Compares a frame with the channel's position. `next` advances the position, after the last frame with this seq. */
  advance(channel: string, frame: FramePosition): FrameCheck
}

export function createChannelPositions(): ChannelPositions {
  const positions = new Map<string, ChannelPosition>()
  return {
    get: (channel) => positions.get(channel)?.seq,
    set: (channel, seq, isExact) => void positions.set(channel, { seq, isExact }),
    delete: (channel) => void positions.delete(channel),
    advance(channel, { seq, prev, more }) {
      const position = positions.get(channel)
      if (position !== undefined) {
        const { incomplete } = position
        if (seq <= position.seq || (incomplete?.seq === seq && more >= incomplete.more)) return 'duplicate'
        if (position.isExact ? prev !== position.seq : prev > position.seq) return 'gap'
      }
      positions.set(channel, more === 0 ? { seq, isExact: true } : { seq: prev, isExact: true, incomplete: { seq, more } })
      return 'next'
    },
  }
}
