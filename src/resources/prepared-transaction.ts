import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, ref, textOrNull, txHash } from './fields.ts'
import { TradePreview } from './trade-preview.ts'

const WARNING_CODES = ['triggers_at_once', 'near_liquidation', 'price_stale', 'above_headroom', 'funding_due', 'wrong_margin_mode', 'fee_unusual'] as const
export type WarningCode = (typeof WARNING_CODES)[number]

/** The contract call in the bytes of a transaction. */
export const CallIntent = Type.Object(
  {
    op: textOrNull({ description: 'Operation or action of this call.', examples: ['open_position'] }),
    contract: address('Contract that is called.', 'CAE3U7JKESRWZHPEQ72DVNGOQ6WPA7HSPQZL5YV46NPCE4TMUPAGYMEC'),
    function: Type.String({ description: 'Function that is called.', examples: ['open_position'] }),
    args: Type.Unsafe<Record<string, unknown>>({
      type: 'object', additionalProperties: true,
      description: 'Arguments by name. 64-bit and 128-bit integers are digit strings. An argument without a known name is named arg0, arg1 and so on.',
      examples: [{ asset: 'BTC', collateral: '100000000', leverage: 5, direction: 0 }],
    }),
  },
  { description: 'The contract call, decoded from the transaction that is returned.' },
)

/** Specification, "Prepared transaction". The members from `hash` on are additions. */
export const PreparedTransaction = Type.Object(
  {
    op: Type.String({ description: 'Requested operation.', examples: ['open_position'] }),
    trader: address('Account that must sign: the owner of the key.'),
    xdr: Type.String({ description: 'Unsigned transaction envelope, base64 XDR. Sign it unchanged and submit it within 300 seconds.' }),
    minResourceFee: Type.Optional(
      Type.String({ description: 'Minimum resource fee of the network in stroops. Included in the transaction fee.', examples: ['94813'] }),
    ),
    extraResourceFee: Type.String({
      description: 'Stroops that the transaction declares above minResourceFee, so that it still applies after prices, fee tiers and ids have changed. '
        + 'The part for rent and events is refunded when it is not used.',
      examples: ['512345'],
    }),
    feeConfirmedBy: Type.Integer({
      description: 'Nodes whose simulation has about the same resource fee. With 1 of several nodes, no second one answered within 100 ms of the first, '
        + 'or they disagree.',
      examples: [2],
    }),
    nodes: Type.Integer({ description: 'Nodes of the gateway.', examples: [3] }),
    hash: txHash('Hash of the transaction. Signing does not change it.'),
    clientId: textOrNull({ description: 'The id of the request; null without one, and when it could not be stored.', examples: ['my-order-1'] }),
    expiresAt: Type.Integer({ description: 'Last ledger close time at which the transaction is valid, Unix seconds.', examples: [1_783_339_500] }),
    intent: CallIntent,
    preview: ref(TradePreview),
    warnings: Type.Array(
      Type.Object({
        code: Type.Unsafe<WarningCode>({ type: 'string', enum: WARNING_CODES, description: 'What the warning is about.' }),
        message: Type.String({ description: 'What it means and what to do, for people.', examples: ['The price is 75 seconds old.'] }),
        usualFee: Type.Optional(Type.String({
          description: 'Only with fee_unusual: the usual fee of the operation in stroops, or the highest plausible one while that is unknown.',
          examples: ['607258'],
        })),
      }),
      { description: 'What to check before signing. What cannot be read in time is not checked.' },
    ),
    stored: Type.Optional(
      Type.Literal(false, {
        description: 'Present when the preparation could not be stored: GET /v1/tx does not find it. Give the clientId again when you submit the transaction.',
      }),
    ),
  },
  { $id: 'PreparedTransaction', description: 'An unsigned transaction that passed simulation.' },
)

export type PreparedTransaction = Static<typeof PreparedTransaction>
export type CallIntent = Static<typeof CallIntent>
export type Warning = PreparedTransaction['warnings'][number]
