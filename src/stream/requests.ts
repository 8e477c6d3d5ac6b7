// Client requests: text frames with one JSON object that has an `op`.

/** The client's own id of a request; the replies repeat it. */
export type RequestId = string | number | undefined

export interface SubscribeRequest {
  readonly op: 'subscribe'
  readonly id: RequestId
  /** Without duplicates, in the client's order. */
  readonly channels: readonly string[]
  readonly since: number | undefined
  readonly epoch: string | undefined
  readonly snapshot: boolean
}

export type ClientRequest =
  | SubscribeRequest
  | { readonly op: 'unsubscribe'; readonly id: RequestId; readonly channels: readonly string[] }
  | { readonly op: 'login'; readonly id: RequestId; readonly keyId: unknown; readonly secret: unknown }
  | { readonly op: 'ping'; readonly id: RequestId }
  | { readonly op: 'invalid'; readonly id: RequestId; readonly error: 'invalid_json' | 'invalid_channels' | 'invalid_since' }
  | { readonly op: 'unknown'; readonly id: RequestId; readonly detail: string | undefined }

const CHANNEL_NAME_MAX_LENGTH = 200
/** The reply to an unknown `op` repeats this many characters of it. */
const DETAIL_MAX_LENGTH = 200

/** Parses a frame. Never throws: returns `invalid` or `unknown` for anything else than a request. */
export function parseRequest(text: string): ClientRequest {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { op: 'invalid', id: undefined, error: 'invalid_json' }
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return { op: 'invalid', id: undefined, error: 'invalid_json' }
  const fields = message as Readonly<Record<string, unknown>>
  const id = typeof fields['id'] === 'string' || typeof fields['id'] === 'number' ? fields['id'] : undefined
  switch (fields['op']) {
    case 'subscribe':
      return parseSubscribe(fields, id)
    case 'unsubscribe': {
      const channels = channelNames(fields['channels'])
      return channels === undefined ? { op: 'invalid', id, error: 'invalid_channels' } : { op: 'unsubscribe', id, channels }
    }
    case 'login':
      return { op: 'login', id, keyId: fields['keyId'], secret: fields['secret'] }
    case 'ping':
      return { op: 'ping', id }
    default: {
      const op = fields['op']
      return { op: 'unknown', id, detail: typeof op === 'string' ? op.slice(0, DETAIL_MAX_LENGTH) : undefined }
    }
  }
}

function parseSubscribe(fields: Readonly<Record<string, unknown>>, id: RequestId): ClientRequest {
  const channels = channelNames(fields['channels'])
  if (channels === undefined) return { op: 'invalid', id, error: 'invalid_channels' }
  const { since, epoch, snapshot } = fields
  if (since !== undefined && !(Number.isSafeInteger(since) && Number(since) >= 0)) return { op: 'invalid', id, error: 'invalid_since' }
  return {
    op: 'subscribe',
    id,
    channels,
    since: since === undefined ? undefined : Number(since),
    epoch: typeof epoch === 'string' ? epoch : undefined,
    snapshot: snapshot === true,
  }
}

function channelNames(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const fits = value.every((name) => typeof name === 'string' && name.length > 0 && name.length <= CHANNEL_NAME_MAX_LENGTH)
  return fits ? [...new Set(value as string[])] : undefined
}
