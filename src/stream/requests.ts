// What clients send: frames of text that hold one JSON object with an `op`.

/** An id that a client gave its request, to find the replies to it. */
export type RequestId = string | number | undefined

export interface SubscribeRequest {
  readonly op: 'subscribe'
  readonly id: RequestId
  /** Each once, in the order in which they came. */
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
  | { readonly op: 'refused'; readonly id: RequestId; readonly error: 'invalid_json' | 'invalid_channels' | 'invalid_since' }
  | { readonly op: 'unknown'; readonly id: RequestId; readonly detail: string | undefined }

const CHANNEL_NAME_MAX_LENGTH = 200
/** What an unknown `op` is answered with is not longer than this. */
const DETAIL_MAX_LENGTH = 200

/** Reads a frame. Never throws: whatever is wrong with it is part of the answer. */
export function parseRequest(text: string): ClientRequest {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { op: 'refused', id: undefined, error: 'invalid_json' }
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return { op: 'refused', id: undefined, error: 'invalid_json' }
  const fields = message as Readonly<Record<string, unknown>>
  const id = typeof fields['id'] === 'string' || typeof fields['id'] === 'number' ? fields['id'] : undefined
  switch (fields['op']) {
    case 'subscribe':
      return parseSubscribe(fields, id)
    case 'unsubscribe': {
      const channels = channelNames(fields['channels'])
      return channels === undefined ? { op: 'refused', id, error: 'invalid_channels' } : { op: 'unsubscribe', id, channels }
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
  if (channels === undefined) return { op: 'refused', id, error: 'invalid_channels' }
  const { since, epoch, snapshot } = fields
  if (since !== undefined && !(Number.isSafeInteger(since) && Number(since) >= 0)) return { op: 'refused', id, error: 'invalid_since' }
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
