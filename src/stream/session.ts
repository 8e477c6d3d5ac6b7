// One client's requests to the stream: subscribe, unsubscribe, log in, ping (docs/websocket.md).

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { AssetList } from '../exchange/assets.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { StreamLimits } from '../limits.ts'
import type { Queryable } from '../store/store.ts'
import { isLogChannel, isPersonal, parseChannel } from './channels.ts'
import type { Channel, LogChannel } from './channels.ts'
import { CLOSE, sendFrames } from './connection.ts'
import type { Connection } from './connection.ts'
import type { Position } from './encoding.ts'
import type { Frame } from './frames.ts'
import type { Hub } from './hub.ts'
import type { EpochChange } from './published-epoch.ts'
import type { ReplayBudget, RequestCost } from './replay-budget.ts'
import type { ClientRequest, SubscribeRequest } from './requests.ts'
import { gapMessage, needsCount, planResume } from './resume.ts'
import type { Resume } from './resume.ts'
import { readSnapshots } from './snapshots.ts'
import type { AccountSnapshot, ChannelSnapshot } from './snapshots.ts'
import { createSubscriptions } from './subscriptions.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { Tail } from './tail.ts'

/** The owner of a connection after a login. */
export interface StreamLogin {
  readonly keyId: string
  readonly owner: string
  readonly tier: string
  /** The number of the key's secret that it used. */
  readonly rotation: number
}

/** A client's address, which keys may be limited to, and the bucket that it is counted in. */
interface StreamClient {
  readonly address: string
  readonly bucket: string
}

/** The reasons why a login is rejected. `unknown`: the key cannot be looked up. */
type LoginFailure = 'invalid_credentials' | 'key_expired' | 'address_not_allowed' | 'scope_missing' | 'unknown'

/** Failed logins per connection. The next one closes it. */
const FAILED_LOGINS_MAX = 5

/** The services of the rest of the gateway that the stream needs. */
export interface StreamServices {
  /** Never rejects. */
  login(keyId: string, secret: string, client: StreamClient): Promise<StreamLogin | LoginFailure>
  readAccount(owner: string, address: string): Promise<AccountSnapshot>
}

export interface SessionParts {
  readonly connection: Connection
  readonly hub: Hub
  readonly tail: Tail
  readonly db: Queryable
  readonly clock: Clock
  readonly deployment: CurrentDeployment
  readonly client: StreamClient
  readonly budget: ReplayBudget
  readonly limits: StreamLimits
  readonly services: StreamServices
  /** The last frame of a channel of prices, when there is one. */
  lastTick(channel: string): Frame | undefined
  readonly log: Log
}

export interface Session {
  /** Null before a login. */
  login(): StreamLogin | null
  /** True without channels. */
  isIdle(): boolean
  /** The number of running replays. */
  replays(): number
  handle(request: ClientRequest): void | Promise<void>
  /** Sends a gap message to a client that follows log channels. */
  announceEpoch(change: EpochChange): void
  /** Announces, once for a login, that its secret ends at this time in milliseconds. */
  announceExpiry(atMs: number): void
  /** Ends the login, with the subscriptions that it allowed, and says why. */
  endLogin(reason: 'key_revoked' | 'key_expired'): void
  /** Ends all subscriptions. */
  close(): void
}

export function createSession(parts: SessionParts): Session {
  const { connection, client, tail, services, budget } = parts
  const subscriptions = createSubscriptions({ ...parts, waitingBytes: parts.limits.waitingBytes })
  const snapshotParts = { ...parts, readAccount: (owner: string) => services.readAccount(owner, client.bucket) }
  let login: StreamLogin | null = null
  let isExpiryAnnounced = false
  /** Since the last successful one. */
  let failedLogins = 0

  async function subscribe(request: SubscribeRequest): Promise<void> {
    const loginBefore = login
    const { accepted, rejected } = sortChannels(request.channels, login, parts.deployment.current.assets)
    const logChannels = new Map([...accepted].filter((entry): entry is [string, LogChannel] => isLogChannel(entry[1])))
    if (logChannels.size > 0) {
      if (!tail.ready()) await tail.catchUp()
      if (!budget.takeRequest(costOf(parts, request, logChannels))) {
        connection.limitExceeded()
        return
      }
      await subscriptions.watch(logChannels)
    }
    const resume = await planResumeOf(parts, request, logChannels)
    const snapshots = request.snapshot && resume === undefined ? await readSnapshots(snapshotParts, logChannels) : []
    if (connection.closed.aborted) return
    if (login !== loginBefore) {
      // The key has ended since: `endLogin` has not seen these channels.
      subscriptions.remove([...accepted.keys()].filter((name) => isAccountChannel(name) && !subscriptions.names().has(name)))
      return await subscribe(request)
    }

    // NOTE: no `await` from here on. Delivery must start exactly at the heads that the reply names.
    const { id } = request
    const position = logChannels.size > 0 ? livePosition(tail) : undefined
    if (accepted.size > 0) connection.reply(subscribedMessage(tail, accepted, logChannels), resume === undefined ? { id, position } : { id })
    if (rejected.length > 0) connection.reply({ type: 'rejected', channels: rejected }, { id })
    const plainChannels = [...accepted.keys()].filter((name) => !logChannels.has(name))
    if (request.snapshot) sendLastTicks(parts, plainChannels)
    subscriptions.addLive(plainChannels)
    if (resume?.kind === 'gap') connection.reply({ ...resume.message }, { id, position })
    if (resume?.kind === 'replay') subscriptions.replay(resume.start)
    else startLogChannels({ ...parts, subscriptions }, [...logChannels.keys()], snapshots)
  }

  async function logIn({ keyId, secret, id }: Extract<ClientRequest, { op: 'login' }>): Promise<void> {
    if (failedLogins >= FAILED_LOGINS_MAX) {
      connection.reply({ type: 'login', ok: false, error: 'too_many_attempts' }, { id })
      connection.close(CLOSE.policyViolation, 'too many failed logins')
      return
    }
    const hasCredentials = typeof keyId === 'string' && typeof secret === 'string'
    const found = hasCredentials ? await services.login(keyId, secret, client) : 'missing_credentials'
    if (typeof found === 'string') {
      if (found !== 'unknown') failedLogins += 1
      connection.reply({ type: 'login', ok: false, error: found === 'unknown' ? 'unavailable' : found }, { id })
      return
    }
    failedLogins = 0
    if (login !== null && login.owner !== found.owner) endAccountChannels()
    login = found
    isExpiryAnnounced = false
    connection.reply({ type: 'login', ok: true, owner: found.owner, tier: found.tier }, { id })
  }

  /** Returns the names of the channels. */
  function endAccountChannels(): readonly string[] {
    const names = [...subscriptions.names()].filter(isAccountChannel)
    subscriptions.remove(names)
    return names
  }

  return {
    login: () => login,
    isIdle: () => subscriptions.names().size === 0,
    replays: subscriptions.replays,
    handle(request) {
      switch (request.op) {
        case 'subscribe':
          return subscribe(request)
        case 'unsubscribe':
          subscriptions.remove(request.channels)
          return connection.reply({ type: 'unsubscribed', channels: request.channels }, request)
        case 'login':
          return logIn(request)
        case 'ping':
          return connection.reply({ type: 'pong', ts: parts.clock.nowMs() }, request)
        case 'invalid':
          return connection.reply({ type: 'error', error: request.error }, request)
        case 'unknown':
          return connection.reply({ type: 'error', error: 'unknown_op', ...(request.detail === undefined ? {} : { detail: request.detail }) }, request)
      }
    },
    announceEpoch({ since, epoch }) {
      const channels = [...subscriptions.names()].filter((name) => {
        const channel = parseChannel(name)
        return channel !== undefined && isLogChannel(channel)
      })
      if (channels.length === 0) return
      // During a replay, frames before the border are still to come: a client that resumed from here would miss them.
      const position = subscriptions.replays() === 0 ? livePosition(tail) : undefined
      connection.reply({ ...gapMessage(tail, channels, { since, reason: 'epoch', epoch }) }, { position })
    },
    announceExpiry(atMs) {
      if (isExpiryAnnounced) return
      isExpiryAnnounced = true
      connection.reply({ type: 'key_expiring', at: atMs })
    },
    endLogin(reason) {
      login = null
      connection.reply({ type: 'unsubscribed', channels: endAccountChannels(), reason })
    },
    close: subscriptions.close,
  }
}

/** Sends the snapshots and continues after them; delivers the other channels from now on. */
function startLogChannels(
  { connection, budget, subscriptions }: Pick<SessionParts, 'connection' | 'budget'> & { readonly subscriptions: Subscriptions },
  names: readonly string[], snapshots: readonly ChannelSnapshot[],
): void {
  for (const { name, channel, frames, seq } of snapshots) {
    const bytes = Buffer.concat(frames)
    budget.spendSnapshot(bytes.length)
    connection.write(bytes)
    subscriptions.replay({ channels: new Map([[name, channel]]), afterSeq: seq })
  }
  const subscribed = subscriptions.names()
  subscriptions.addLive(names.filter((name) => !subscribed.has(name)))
}

function sendLastTicks({ connection, lastTick }: SessionParts, names: readonly string[]): void {
  for (const name of names) {
    const frame = lastTick(name)
    if (frame !== undefined) sendFrames(connection, [frame])
  }
}

/** Position at which live delivery continues. Undefined while nothing is indexed. */
function livePosition(tail: Tail): Position | undefined {
  const epoch = tail.epoch()
  return epoch === undefined ? undefined : { epoch, seq: tail.position() }
}

/** Rejects unknown channels, and the account channels of other owners. */
export function sortChannels(
  names: readonly string[], login: StreamLogin | null, assets: AssetList,
): { readonly accepted: ReadonlyMap<string, Channel>; readonly rejected: readonly string[] } {
  const accepted = new Map<string, Channel>()
  const rejected: string[] = []
  for (const name of names) {
    const channel = parseChannel(name)
    if (channel === undefined || !isOpenTo(channel, login, assets)) rejected.push(name)
    else accepted.set(name, channel)
  }
  return { accepted, rejected }
}

function isOpenTo(channel: Channel, login: StreamLogin | null, assets: AssetList): boolean {
  if (isPersonal(channel)) return channel.account === login?.owner
  return !('asset' in channel) || assets.find(channel.asset) !== undefined
}

/** The database work of the request. */
function costOf({ tail, limits }: SessionParts, { since, snapshot }: SubscribeRequest, channels: ReadonlyMap<string, LogChannel>): RequestCost {
  const all = [...channels.values()]
  const accounts = all.filter(isPersonal).length
  if (since === undefined) return { reads: accounts + (snapshot ? all.filter(({ kind }) => kind !== 'events').length : 0), counts: false }
  return { reads: accounts + 1, counts: needsCount(tail, { since, channels: channels.size, maxFrames: limits.replayFrames }) }
}

/** Undefined when the client does not ask to resume. */
async function planResumeOf(
  { db, tail, budget, limits }: SessionParts, { since, epoch }: SubscribeRequest, channels: ReadonlyMap<string, LogChannel>,
): Promise<Resume | undefined> {
  if (since === undefined || channels.size === 0) return undefined
  return planResume({ db, tail, budget, maxFrames: limits.replayFrames }, { since, epoch }, channels)
}

function subscribedMessage(
  tail: Tail, accepted: ReadonlyMap<string, Channel>, logChannels: ReadonlyMap<string, LogChannel>,
): Readonly<Record<string, unknown>> {
  const headOf = (name: string, channel: LogChannel): number =>
    isPersonal(channel) ? tail.personalHead(channel) : tail.channelHead(name)
  const heads = Object.fromEntries([...logChannels].map(([name, channel]) => [name, headOf(name, channel)]))
  return { type: 'subscribed', channels: [...accepted.keys()], ...(logChannels.size > 0 ? { heads } : {}) }
}

function isAccountChannel(name: string): boolean {
  const channel = parseChannel(name)
  return channel !== undefined && isPersonal(channel)
}
