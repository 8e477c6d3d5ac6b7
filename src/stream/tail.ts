// Follows the log: reads committed rows behind its own place and publishes them. It asks the database and nobody else, so that it makes no difference in
// which process the indexer runs. The notification is only a doorbell: a timer rings too.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { ASSET_SYMBOLS } from '../exchange/assets.ts'
import { INDEX_CHANNEL } from '../projections/index-state.ts'
import type { LogHead, LogRow } from '../projections/stream-log.ts'
import { readChannelHeads, readLog, readLogHead } from '../projections/stream-log.ts'
import type { Store } from '../store/store.ts'
import { EVENTS_CHANNEL, tradesChannel } from './channels.ts'
import type { Frame } from './frames.ts'
import { channelsOfRow, logFrame } from './frames.ts'

/** Rows read at a time. */
const PAGE_ROWS = 500
/** How long a missed doorbell can delay a row. */
const FALLBACK_INTERVAL_MS = 1_000
/** So many of the newest rows are kept with their frames, so that clients who come back soon cost no reads. */
export const RECENT_ROWS = 4_096
/** So many are read when it begins: an instance that takes over from another is where that one's clients come back, all of them at once. */
export const INITIAL_ROWS = PAGE_ROWS

/** Frames of the shared log channels that one row made. */
interface RecentRow {
  readonly seq: number
  readonly frames: readonly Frame[]
}

export interface Tail {
  /** Everything up to this seq has been published. */
  position(): number
  /** Undefined until the index was read, or while nothing is indexed. */
  head(): LogHead | undefined
  /** True once the log's end was found; before it nobody can be told where anything stands. */
  ready(): boolean
  /** The seq of a shared log channel's last frame, 0 when it has none. */
  channelHead(channel: string): number
  /** The same of an account's channel, while it is watched. */
  accountHead(account: string): number
  /** Keeps track of an account's channel until released. Resolves when its head is known. Rejects when the database cannot be read. */
  watchAccount(account: string): Promise<void>
  releaseAccount(account: string): void
  watchedAccounts(): number
  /** Frames of shared log channels behind `afterSeq`, when the newest rows hold all of them. */
  recentFrames(channels: ReadonlySet<string>, afterSeq: number): readonly Frame[] | undefined
  /** Reads and publishes what is committed by now. Rejects when the database cannot be read. */
  catchUp(): Promise<void>
  /** Steps at each ring until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

/** Where one epoch ends and the next begins. */
export interface EpochChange {
  /** The last place of the epoch that ended. */
  readonly since: number
  /** The name of the one that begins. */
  readonly epoch: string
}

export interface TailOptions {
  readonly store: Store
  readonly publish: (frames: readonly Frame[]) => void
  /** Called when a new epoch begins, before its first frames are published. */
  readonly onEpoch: (border: EpochChange) => void
  readonly clock: Clock
  readonly log: Log
}

interface WatchedAccount {
  watchers: number
  /** Seq of the last frame that was published since it is watched. */
  seen: number | undefined
  /** Where the channel stood when watching began. */
  readonly known: Promise<number>
  base: number
}

export function createTail({ store, publish, onEpoch, clock, log }: TailOptions): Tail {
  const db = store.read
  const heads = new Map<string, number>()
  const accounts = new Map<string, WatchedAccount>()
  let recent: RecentRow[] = []
  let position = 0
  let ready = false
  let head: LogHead | undefined
  /** Of the rows that were published last; undefined while nothing is indexed. */
  let epoch: string | undefined
  let stepping: Promise<void> | undefined
  let again = false

  /** Begins a page before the log's end, which is kept for those who come back; what was before is for those who ask for it. Nothing is published. */
  async function begin(): Promise<void> {
    const end = await readLogHead(db)
    const last = end?.seq ?? 0
    const from = Math.max(0, last - INITIAL_ROWS)
    const found = await readChannelHeads(db, { events: true, assets: ASSET_SYMBOLS, accounts: [] }, from)
    const { rows } = await readLog(db, from, { limit: INITIAL_ROWS, accounts: false })
    recent = []
    position = from
    heads.set(EVENTS_CHANNEL, found.events)
    for (const [asset, seq] of found.assets) heads.set(tradesChannel(asset), seq)
    for (const row of rows) if (row.seq <= last) takeRow(row)
    head = end ?? undefined
    epoch = end?.epoch
    ready = true
  }

  async function advance(): Promise<void> {
    if (!ready) await begin()
    for (;;) {
      const isAnyWatched = accounts.size > 0
      const { end, rows } = await readLog(db, position, { limit: PAGE_ROWS, accounts: isAnyWatched })
      // Somebody came meanwhile, for whom these rows do not tell enough.
      if (!isAnyWatched && accounts.size > 0) continue
      if (end === null) return
      head = end
      publishRows(rows)
      if (rows.length === PAGE_ROWS) continue
      // A new epoch may have no events yet.
      enter(end.epoch)
      return
    }
  }

  function publishRows(rows: readonly LogRow[]): void {
    for (let from = 0; from < rows.length;) {
      const named = rows[from]?.epoch ?? ''
      enter(named)
      const end = rows.findIndex((row, place) => place > from && row.epoch !== named)
      const part = rows.slice(from, end === -1 ? rows.length : end)
      publish(part.flatMap(takeRow))
      from += part.length
    }
  }

  function enter(next: string): void {
    const before = epoch
    epoch = next
    if (before !== undefined && before !== next) onEpoch({ since: position, epoch: next })
  }

  /** Moves behind the row and returns its frames; those of accounts only where somebody watches. */
  function takeRow(row: LogRow): readonly Frame[] {
    const { seq } = row
    const { shared, personal } = channelsOfRow(row)
    position = seq
    const frames = shared.map(({ channel, data }) => {
      const prev = heads.get(channel) ?? 0
      heads.set(channel, seq)
      return logFrame(channel, { seq, prev }, data)
    })
    recent.push({ seq, frames })
    if (recent.length >= 2 * RECENT_ROWS) recent = recent.slice(-RECENT_ROWS)
    const watchedFrames = personal.flatMap(({ account, channel, data }) => {
      const watched = accounts.get(account)
      if (watched === undefined) return []
      const prev = watched.seen ?? watched.base
      watched.seen = seq
      return [logFrame(channel, { seq, prev }, data)]
    })
    return [...frames, ...watchedFrames]
  }

  /** Where the rows behind this place begin. Places grow from row to row, and not always by one: those of lost ledgers are left out. */
  function firstBehind(seq: number): number {
    let low = 0
    for (let high = recent.length; low < high;) {
      const middle = (low + high) >> 1
      if ((recent[middle]?.seq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  /** One pass at a time; whoever asks during one gets another one behind it, because the first may have read before what he asks for was committed. */
  function step(): Promise<void> {
    if (stepping !== undefined) {
      again = true
      return stepping
    }
    stepping = (async () => {
      do {
        again = false
        await advance()
      } while (again)
    })().finally(() => {
      stepping = undefined
    })
    return stepping
  }

  return {
    position: () => position,
    head: () => head,
    ready: () => ready,
    channelHead: (channel) => heads.get(channel) ?? 0,
    accountHead(account) {
      const watched = accounts.get(account)
      return watched?.seen ?? watched?.base ?? 0
    },
    async watchAccount(account) {
      let watched = accounts.get(account)
      if (watched === undefined) {
        const from = position
        const known = readChannelHeads(db, { events: false, assets: [], accounts: [account] }, from).then((found) => found.accounts.get(account) ?? 0)
        watched = { watchers: 0, seen: undefined, base: 0, known }
        accounts.set(account, watched)
      }
      watched.watchers++
      try {
        watched.base = await watched.known
      } catch (error) {
        if (accounts.get(account) === watched) accounts.delete(account)
        throw error
      }
    },
    releaseAccount(account) {
      const watched = accounts.get(account)
      if (watched !== undefined && --watched.watchers === 0) accounts.delete(account)
    },
    watchedAccounts: () => accounts.size,
    recentFrames(channels, afterSeq) {
      if (afterSeq === position) return []
      const oldest = recent[0]?.seq
      if (oldest === undefined || afterSeq < oldest - 1) return undefined
      return recent.slice(firstBehind(afterSeq)).flatMap(({ frames }) => frames.filter(({ channel }) => channels.has(channel)))
    },
    catchUp: step,
    async run(signal) {
      let rung = Promise.withResolvers<void>()
      const ring = (): void => rung.resolve()
      signal.addEventListener('abort', ring, { once: true })
      const stopListening = await store.listen(INDEX_CHANNEL, ring).catch(() => undefined)
      let failing = false
      while (!signal.aborted) {
        rung = Promise.withResolvers<void>()
        try {
          await step()
          if (failing) log.info({}, 'the stream follows the log again')
          failing = false
        } catch (error) {
          if (!failing) log.warn({ err: error }, 'the stream cannot read the log; what it misses now it sends later')
          failing = true
        }
        const timer = clock.setTimer(FALLBACK_INTERVAL_MS, ring)
        await rung.promise
        timer.cancel()
      }
      await stopListening?.()
    },
  }
}
