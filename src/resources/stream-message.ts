// All messages of the WebSocket stream, as documented in the AsyncAPI document.

import { Type } from 'typebox'
import type { TProperties, TSchema } from 'typebox'
import { Candle } from './candle.ts'
import { Correction } from './correction.ts'
import { EventRow } from './event-row.ts'
import { Fill } from './fill.ts'
import { amount, address, EXAMPLE_TRADER, integerOrNull, ref, seconds, textOrNull, txHash } from './fields.ts'
import { OpenOrder } from './open-order.ts'
import { OpenPosition } from './open-position.ts'
import { Order } from './order.ts'
import { Price } from './price.ts'
import { TransactionRow } from './transaction.ts'

export interface StreamMessage {
  /** Name in the AsyncAPI document. */
  readonly name: string
  readonly summary: string
  readonly payload: TSchema
}

const oneOf = (...values: readonly string[]): TSchema => Type.Unsafe({ type: 'string', enum: [...values] })
const channels = Type.Array(Type.String({ examples: ['trades.BTC'] }), { description: 'Channel names.' })
const milliseconds = (description: string): TSchema => Type.Integer({ description, examples: [1_783_339_200_000] })
const seq = (description: string): TSchema => Type.Integer({ minimum: 0, description, examples: [1204] })
const epoch = Type.String({ description: 'Identifies the history that sequence numbers refer to. Changes after a network reset.', examples: ['667e41f1'] })
const id = Type.Optional(Type.Unsafe({ type: ['string', 'integer', 'number'], description: 'Client-chosen id. The reply carries the same id.', examples: [1] }))

const message = (name: string, summary: string, fields: TProperties): StreamMessage => ({ name, summary, payload: Type.Object(fields) })
const clientMessage = (op: string, summary: string, fields: TProperties): StreamMessage => message(op, summary, { op: oneOf(op), ...fields, id })
const controlMessage = (type: string, summary: string, fields: TProperties, name = type): StreamMessage =>
  message(name, summary, { type: oneOf(type), ...fields })

export const CLIENT_MESSAGES: readonly StreamMessage[] = [
  clientMessage('subscribe', 'Subscribe to channels: live, after a sequence number, or starting with a snapshot', {
    channels,
    since: Type.Optional(seq('Replay all frames after this sequence number first. 0: the whole log, earlier epochs included.')),
    epoch: Type.Optional(epoch),
    snapshot: Type.Optional(Type.Boolean({ description: 'Send a snapshot first.' })),
  }),
  clientMessage('unsubscribe', 'Unsubscribe from channels', { channels }),
  clientMessage('login', 'Authenticate to access the account channels', {
    keyId: Type.String({ description: 'Key id.', examples: ['nk_5f2b'] }), secret: Type.String({ description: 'Secret of the key.' }),
  }),
  clientMessage('ping', 'Request a pong', {}),
]

/** Replies and notifications of the gateway. */
export const CONTROL_MESSAGES: readonly StreamMessage[] = [
  controlMessage('hello', 'First message of a connection: current head of the log', {
    ts: milliseconds('Server time, Unix milliseconds.'), epoch: textOrNull({ description: 'Current epoch. Null if nothing is indexed.' }),
    head: seq('Last sequence number of the log.'), ledger: integerOrNull({ description: 'Last indexed ledger.' }),
  }),
  controlMessage('subscribed', 'Accepted channels', {
    channels,
    heads: Type.Optional(Type.Unsafe({
      type: 'object', description: 'Sequence number of the last frame of each log channel. Absent if no accepted channel is a log channel.',
      additionalProperties: { type: 'integer' },
    })),
    id,
  }),
  controlMessage('rejected', 'Rejected channels: they do not exist, or the client has no access', { channels, id }),
  controlMessage('unsubscribed', 'Channels removed from the subscription', {
    channels, id,
    reason: Type.Optional(Type.Unsafe({
      type: 'string', enum: ['key_revoked', 'key_expired'],
      description: 'The key of the login was revoked, or it or its secret has expired, so the account channels end without a request. Absent in a reply.',
    })),
  }),
  controlMessage('key_expiring', 'The secret of the login was replaced. The account channels end with it: log in again with the new secret', {
    at: milliseconds('Time from which on the secret is rejected, Unix milliseconds.'),
  }),
  controlMessage('login', 'Result of a login', {
    ok: Type.Boolean({ description: 'True if the login succeeded.' }),
    owner: Type.Optional(address('Account of the key.', EXAMPLE_TRADER)),
    tier: Type.Optional(Type.String({ description: 'Rate limit tier.', examples: ['standard'] })),
    error: Type.Optional(oneOf(
      'missing_credentials', 'invalid_credentials', 'key_expired', 'address_not_allowed', 'scope_missing', 'too_many_attempts', 'unavailable',
    )),
    id,
  }, 'loggedIn'),
  controlMessage('pong', 'Reply to a ping', { ts: milliseconds('Server time, Unix milliseconds.'), id }),
  controlMessage('gap', 'Some frames cannot be replayed. Fetch them over REST; live frames follow', {
    channels,
    since: seq('Sequence number that the client asked to resume from. If an epoch began while it was connected: the last one of the previous epoch.'),
    oldest: seq('Smallest sequence number that can be replayed. 0 if the log is empty.'),
    reason: oneOf('epoch', 'too_far', 'ahead'),
    epoch: Type.Optional(Type.String({ description: 'The new epoch, if it began while the client was connected.', examples: ['667e41f1'] })), id,
  }),
  controlMessage('upgrade', 'A contract was upgraded in place. Sent to every client with a log channel, in order with its frames', {
    contract: Type.String({ description: 'The contract, as in GET /v1/health.', examples: ['market'] }),
    generation: Type.Union([Type.String(), Type.Null()], { description: 'Generation of the new code; null: not recognised.', examples: ['2.3'] }),
    wasmHash: Type.Union([Type.String(), Type.Null()], { description: 'Hash of the new code, hex; null: unknown.', examples: ['9f'.repeat(32)] }),
    source: oneOf('event', 'entries'),
    ledger: Type.Integer({
      description: 'Ledger of the upgrade. With the source entries: the first one at which the new code is certain.', examples: [1_234_567],
    }),
    afterLedger: Type.Union([Type.Integer(), Type.Null()], {
      description: 'With the source entries: the last ledger with the code before; the upgrade happened after it, up to `ledger`. Null: unknown, or exact.',
    }),
    seq: seq('Sequence number of the upgrade in the log.'),
  }),
  controlMessage('error', 'The gateway rejected a client message', {
    error: oneOf('invalid_json', 'invalid_channels', 'invalid_since', 'unknown_op', 'rate_limited'), detail: Type.Optional(Type.String()), id,
  }),
  controlMessage('draining', 'This instance is shutting down. Reconnect within graceMs and resume', {
    graceMs: Type.Integer({ description: 'Time until the connection closes, milliseconds.', examples: [5_000] }),
  }),
]

const EVENT = {
  topic: Type.String({ description: 'Event topic.', examples: ['position_closed'] }),
  ledger: Type.Integer({ description: 'Ledger sequence number.', examples: [1_234_567] }),
  ledgerCloseTs: seconds('Close time of the ledger, Unix seconds.'),
  txHash: txHash('Transaction hash.'),
  trader: Type.Optional(address('Account named by the event, if any.', EXAMPLE_TRADER)),
  raw: Type.Unsafe({ type: 'object', description: 'Payload, as in GET /v1/events.', additionalProperties: true }),
  eventId: Type.String({ description: 'Id of the event, as in GET /v1/events.', examples: ['0005302424969216000-0000000003'] }),
  contractId: EventRow.properties.contractId,
  payload: Type.Unsafe({ type: 'object', description: 'The same object as raw.', additionalProperties: true }),
}

const LOGGED = {
  seq: seq('Sequence number in the log.'), prev: seq('Sequence number of the previous frame on this channel. 0 if there is none.'),
}
const frame = (name: string, summary: string, fields: TProperties): StreamMessage =>
  message(name, summary, { channel: Type.String({ description: 'Channel name.' }), ...fields })

const again = Type.Optional(Type.Unsafe({
  type: 'boolean', enum: [true], description: 'The row was sent before, with members that were still null. Absent: this is a new change.',
}))

function changeOf(kind: string, row: TSchema, description: string): TSchema {
  const revision = Type.Integer({
    description: 'Increases whenever the row is sent again. Of two rows with the same id, the one with the higher revision is current.' })
  return Type.Object({ kind: oneOf(kind), row, revision, ...(kind === 'submission' ? {} : { again }) }, { description })
}

/** Frames by channel type. */
export const CHANNEL_MESSAGES = {
  ticker: frame('ticker', 'Price update, every three seconds', {
    data: Type.Object({
      asset: Type.String({ description: 'Asset symbol.' }), price: amount('Price in USD, 7-decimal.'),
      priceFloat: Type.Number({ description: 'The same price as a floating-point number, for display.' }),
      timestamp: seconds('Attestation time of the price, Unix seconds.'), ts: milliseconds('Broadcast time, Unix milliseconds.'),
    }),
  }),
  prices: frame('price', 'Price as in GET /v1/markets/{asset}/price, as soon as it changes, is attested again, or becomes stale', { data: ref(Price) }),
  candles: frame('candle', 'Candle update, one final frame when the interval ends, and later corrections, which have a revision', {
    data: Type.Object(Candle.properties),
  }),
  trades: frame('trade', 'Position opened, reduced, closed or liquidated', {
    ...LOGGED,
    data: Type.Object({
      kind: oneOf('open', 'close', 'reduce', 'liquidation', 'partial_liquidation', 'adl'), asset: Type.String({ description: 'Asset symbol.' }),
      positionId: Type.Integer({ description: 'On-chain position id.' }), trader: address('Owner of the position.', EXAMPLE_TRADER),
      price: amount('Entry or close price in USD, 7-decimal.'), pnl: Type.Optional(amount('Realised profit or loss in USDC, 7-decimal.')),
      ledger: Type.Integer({ description: 'Ledger sequence number.' }), ts: milliseconds('Close time of the ledger, Unix milliseconds.'),
      txHash: txHash('Transaction hash.'),
      size: amount('Notional value in USDC, 7-decimal: of the closed part for reduce and partial_liquidation.'),
      direction: integerOrNull({ description: '0 is long, 1 is short. Null for reduce if the position was opened before the index begins.', examples: [0] }),
      eventId: EVENT.eventId,
      orderId: Type.Optional(Type.Integer({ description: 'Order whose execution caused the trade, if one did.', examples: [17] })),
    }),
  }),
  events: frame('event', 'Event of any exchange contract', { ...LOGGED, data: Type.Object(EVENT) }),
  corrections: frame('correction', 'The index differed from the ledger and was corrected', { ...LOGGED, data: ref(Correction) }),
  account: frame('accountEvent', 'Event that concerns the account', {
    ...LOGGED, data: Type.Object({ ...EVENT, owner: address('The account.', EXAMPLE_TRADER) }),
  }),
  accountSnapshot: frame('accountSnapshot', 'Account state at a sequence number', {
    snapshot: Type.Unsafe({ type: 'boolean', enum: [true] }),
    seq: seq('Sequence number of the snapshot.'),
    data: Type.Object({
      positions: Type.Array(ref(OpenPosition)),
      orders: Type.Unsafe({
        description: 'Open orders. Null if the ledger cannot be read.', oneOf: [Type.Array(ref(OpenOrder)), { type: 'null' }],
      }),
    }),
  }),
  orders: frame('accountOrders', 'Change of a submission, an order or a position of the account', {
    ...LOGGED,
    more: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of frames that follow with the same seq. Absent: none.', examples: [1] })),
    data: Type.Unsafe({
      type: 'object',
      description: 'What changed, as the row of the REST API.',
      oneOf: [
        changeOf('submission', ref(TransactionRow), 'As in GET /v1/tx/{hash}.'),
        changeOf('order', ref(Order), 'As in GET /v1/orders/{orderId}, after this event.'),
        changeOf('fill', ref(Fill), 'As in GET /v1/account/me/fills.'),
      ],
    }),
  }),
  ordersSnapshot: frame('accountOrdersSnapshot', 'Open orders, pending submissions and last fills of the account at a sequence number, newest first', {
    snapshot: Type.Unsafe({ type: 'boolean', enum: [true] }),
    seq: seq('Sequence number of the snapshot.'),
    data: Type.Object({ orders: Type.Array(ref(Order)), submissions: Type.Array(ref(TransactionRow)), fills: Type.Array(ref(Fill)) }),
  }),
  heartbeat: frame('heartbeat', 'Heartbeat, every second', {
    data: Type.Object({
      ts: milliseconds('Server time, Unix milliseconds.'), epoch: textOrNull({ description: 'Current epoch. Null if nothing is indexed.' }),
      head: seq('Last sequence number of the log.'), ledger: integerOrNull({ description: 'Last indexed ledger.' }),
      ledgerCloseTs: integerOrNull({ description: 'Close time of that ledger, Unix seconds.' }),
    }),
  }),
  checkpoints: frame('checkpoints', 'Checkpoint of the log of pages, after each page and behind its frames', {
    data: Type.Object({
      size: seq('Number of records.'), root: Type.String({ description: 'Root of the tree, base64.' }),
      note: textOrNull({ description: 'The signed checkpoint, as in GET /v1/log/checkpoint. Null without a signing key.' }),
      epoch: Type.String({ description: 'Epoch of the index.' }), ledger: integerOrNull({ description: 'Last indexed ledger.' }),
      seq: seq('Frames up to this sequence number are covered.'),
    }),
  }),
} as const satisfies Readonly<Record<string, StreamMessage>>

export const STREAM_SCHEMAS: readonly TSchema[] = [OpenPosition, OpenOrder, Order, Fill, Price, TransactionRow, EventRow, Correction]
