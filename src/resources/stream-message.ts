// The messages of the stream, both ways, as its document shows them.

import { Type } from 'typebox'
import type { TProperties, TSchema } from 'typebox'
import { Candle } from './candle.ts'
import { amount, address, EXAMPLE_TRADER, integerOrNull, ref, seconds, textOrNull, txHash } from './fields.ts'
import { OpenOrder } from './open-order.ts'
import { OpenPosition } from './open-position.ts'

/** A message by its name in the document. */
export interface StreamMessage {
  readonly name: string
  readonly summary: string
  readonly payload: TSchema
}

const oneOf = (...values: readonly string[]): TSchema => Type.Unsafe({ type: 'string', enum: [...values] })
const channels = Type.Array(Type.String({ examples: ['trades.BTC'] }), { description: 'Names of channels' })
const milliseconds = (description: string): TSchema => Type.Integer({ description, examples: [1_783_339_200_000] })
const place = (description: string): TSchema => Type.Integer({ minimum: 0, description, examples: [1204] })
const epoch = Type.String({ description: 'Which history of the network the places belong to', examples: ['667e41f1'] })
const id = Type.Optional(Type.Unsafe({ type: ['string', 'integer', 'number'], description: 'The answers to the message carry the same', examples: [1] }))

const message = (name: string, summary: string, fields: TProperties): StreamMessage => ({ name, summary, payload: Type.Object(fields) })
const ask = (op: string, summary: string, fields: TProperties): StreamMessage => message(op, summary, { op: oneOf(op), ...fields, id })
const told = (type: string, summary: string, fields: TProperties, name = type): StreamMessage =>
  message(name, summary, { type: oneOf(type), ...fields })

/** What clients send. */
export const CLIENT_MESSAGES: readonly StreamMessage[] = [
  ask('subscribe', 'Delivery begins: live, behind a place, or with what is known now first', {
    channels,
    since: Type.Optional(place('Everything behind this place first')),
    epoch: Type.Optional(epoch),
    snapshot: Type.Optional(Type.Boolean({ description: 'What is known now first' })),
  }),
  ask('unsubscribe', 'Delivery ends', { channels }),
  ask('login', 'Opens the channel of the key\'s account', { keyId: Type.String({ examples: ['nk_5f2b'] }), secret: Type.String() }),
  ask('ping', 'Asks for a pong', {}),
]

/** What the gateway answers, and says by itself. */
export const CONTROL_MESSAGES: readonly StreamMessage[] = [
  told('hello', 'First of all: where the log stands', {
    ts: milliseconds('Now'), epoch: textOrNull({ description: 'Null while nothing is indexed' }), head: place('The last place of the log'),
    ledger: integerOrNull({ description: 'The last indexed ledger' }),
  }),
  told('subscribed', 'The channels that were accepted', {
    channels,
    heads: Type.Unsafe({ type: 'object', description: 'The place of each log channel\'s last frame', additionalProperties: { type: 'integer' } }),
    id,
  }),
  told('rejected', 'Those that were refused: they do not exist, or are not the client\'s', { channels, id }),
  told('unsubscribed', 'The channels that were named', { channels, id }),
  told('login', 'What came of a login', {
    ok: Type.Boolean(),
    owner: Type.Optional(address('The account', EXAMPLE_TRADER)),
    tier: Type.Optional(Type.String({ examples: ['standard'] })),
    error: Type.Optional(oneOf('missing_credentials', 'invalid_credentials', 'unavailable')),
    id,
  }, 'loggedIn'),
  told('pong', 'Answers a ping', { ts: milliseconds('Now'), id }),
  told('gap', 'Not everything behind a place can be sent: read REST for what is missing; live frames follow', {
    channels, since: place('What the client has'), oldest: place('Where delivery goes on'), reason: oneOf('expired', 'epoch', 'too_far', 'ahead'),
    epoch: Type.Optional(epoch), id,
  }),
  told('error', 'A message was not taken', {
    error: oneOf('invalid_json', 'invalid_channels', 'invalid_since', 'unknown_op', 'rate_limited'), detail: Type.Optional(Type.String()), id,
  }),
  told('draining', 'This instance is about to stop: connect again within that time, and resume', { graceMs: Type.Integer({ examples: [5_000] }) }),
]

const EVENT = {
  topic: Type.String({ examples: ['position_closed'] }),
  ledger: Type.Integer({ examples: [1_234_567] }),
  ledgerCloseTs: seconds('When the ledger closed'),
  txHash: txHash('The transaction'),
  trader: Type.Optional(address('Whom it is about, where it names one', EXAMPLE_TRADER)),
  raw: Type.Unsafe({ type: 'object', description: 'The payload, as /v1/events has it', additionalProperties: true }),
}

const LOGGED = { seq: place('Its place in the log'), prev: place('The place of the frame before it on this channel; 0 when there is none') }
const frame = (name: string, summary: string, fields: TProperties): StreamMessage =>
  message(name, summary, { channel: Type.String({ description: 'The channel\'s name' }), ...fields })

/** Frames of channels, by the kind of their channel. */
export const CHANNEL_MESSAGES = {
  ticker: frame('ticker', 'A price, every three seconds', {
    data: Type.Object({
      asset: Type.String(), price: amount('7-decimal'), priceFloat: Type.Number(), timestamp: seconds('Of the attestation'),
      ts: milliseconds('Of the broadcast'),
    }),
  }),
  candles: frame('candle', 'A bucket while it forms, and once when it is over', {
    data: Type.Object({ ...Candle.properties, final: Type.Boolean({ description: 'The bucket is over' }) }),
  }),
  trades: frame('trade', 'A position opened, closed or liquidated', {
    ...LOGGED,
    data: Type.Object({
      kind: oneOf('open', 'close', 'liquidation'), asset: Type.String(), positionId: Type.Integer(), trader: address('Whose', EXAMPLE_TRADER),
      price: amount('Where it opened or closed, 7-decimal'), pnl: Type.Optional(amount('7-decimal USDC')), ledger: Type.Integer(),
      ts: milliseconds('When the ledger closed'), txHash: txHash('The transaction'),
    }),
  }),
  events: frame('event', 'An event of any of the exchange\'s contracts', { ...LOGGED, data: Type.Object(EVENT) }),
  account: frame('accountEvent', 'An event that concerns the account', {
    ...LOGGED, data: Type.Object({ ...EVENT, owner: address('The account', EXAMPLE_TRADER) }),
  }),
  accountSnapshot: frame('accountSnapshot', 'The account as of a place in the log', {
    snapshot: Type.Unsafe({ type: 'boolean', enum: [true] }),
    seq: place('The place that it stands for'),
    data: Type.Object({
      positions: Type.Array(ref(OpenPosition)),
      orders: Type.Unsafe({
        description: 'Null when the ledger cannot be read right now', oneOf: [Type.Array(ref(OpenOrder)), { type: 'null' }],
      }),
    }),
  }),
  heartbeat: frame('heartbeat', 'Every second, so that silence is not loss', {
    data: Type.Object({
      ts: milliseconds('Now'), epoch: textOrNull({ description: 'Null while nothing is indexed' }), head: place('The last place of the log'),
      ledger: integerOrNull({ description: 'The last indexed ledger' }), ledgerCloseTs: integerOrNull({ description: 'When it closed, unix seconds' }),
    }),
  }),
} as const satisfies Readonly<Record<string, StreamMessage>>

/** Schemas that the messages refer to. */
export const STREAM_SCHEMAS: readonly TSchema[] = [OpenPosition, OpenOrder]
