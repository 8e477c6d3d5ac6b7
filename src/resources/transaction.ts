import { Type } from 'typebox'
import type { Static } from 'typebox'
import { EventRow } from './event-row.ts'
import { address, integerOrNull, ref, seconds, textOrNull, txHash } from './fields.ts'
import { confirmedBy, confirmingNodes, contractErrorOrNull, HOST_ERROR, hostErrorOrNull, TX_RESULT_CODE } from './submit-result.ts'

const TRANSACTION_STATUSES = ['PREPARED', 'PENDING', 'SUCCESS', 'FAILED', 'REJECTED', 'EXPIRED', 'UNKNOWN'] as const

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

/** The later outcome of the order that a transaction placed. */
export const OrderOutcome = Type.Object(
  {
    status: Type.Unsafe<'executed' | 'cancelled'>({ type: 'string', enum: ['executed', 'cancelled'], description: 'How the order ended.' }),
    ledger: Type.Integer({ description: 'Ledger in which it ended.', examples: [1_234_570] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction that ended it.'),
  },
  { description: 'What later happened to an order.' },
)

export type OrderOutcome = Static<typeof OrderOutcome>

/** Additions to the specification, "Orders as objects". */
export const TransactionRow = Type.Object(
  {
    hash: txHash('Transaction hash.'),
    status: Type.Unsafe<TransactionStatus>({
      type: 'string', enum: [...TRANSACTION_STATUSES],
      description: [
        'PREPARED: not submitted. PENDING: submitted and not final. SUCCESS and FAILED: in a ledger. REJECTED: the network refused it. EXPIRED: its time',
        'bound has passed and the network does not have it, so it is safe to sign another. UNKNOWN: this can no longer be determined. PENDING also while',
        'nodes contradict each other. A final state is corrected if it proves to be false: see confirmedBy.',
      ].join(' '),
      examples: ['SUCCESS'],
    }),
    op: textOrNull({ description: 'Operation. Null for a transaction that was not prepared here.', examples: ['open_position'] }),
    trader: Type.Unsafe<string | null>({ ...address('Source account. Null if unknown.'), type: ['string', 'null'] }),
    clientId: textOrNull({ description: 'Id that the client gave the transaction. Only for its owner.', examples: ['grid-17'] }),
    ledger: integerOrNull({ description: 'Ledger that includes the transaction.', examples: [1_234_567] }),
    ts: integerOrNull({ description: 'Close time of that ledger, Unix seconds.', examples: [1_783_339_200] }),
    expiresAt: integerOrNull({
      description: 'Time after which no ledger can include it, Unix seconds. Null if it has no time bound.', examples: [1_783_339_500],
    }),
    contractError: contractErrorOrNull('With FAILED and REJECTED: the error of a contract, if one raised it.'),
    hostError: hostErrorOrNull(`With FAILED and REJECTED. ${HOST_ERROR}`),
    txResultCode: textOrNull({ description: `With FAILED and REJECTED. ${TX_RESULT_CODE}`, examples: ['txFailed'] }),
    resultXdr: textOrNull({ description: 'TransactionResult, base64 XDR. With FAILED.' }),
    confirmedBy: confirmedBy('With SUCCESS and FAILED.'),
    nodes: confirmingNodes('With SUCCESS and FAILED.'),
    events: Type.Unsafe<EventRow[] | null>({
      type: ['array', 'null'], items: ref(EventRow),
      description: 'Events of the transaction in their order. Null until its ledger is indexed.',
    }),
    orderId: integerOrNull({
      description: 'Order that its events name, or that it placed without an event. Null until GET /v1/orders/{orderId} returns it.', examples: [17],
    }),
    positionId: integerOrNull({ description: 'Position that its events name.', examples: [12] }),
    outcome: Type.Unsafe<OrderOutcome | null>({
      ...OrderOutcome, type: ['object', 'null'],
      description: 'What later happened to the order that it placed. Null while the order is open, and without an order.',
    }),
  },
  { $id: 'Transaction', description: 'A transaction and what is known of it.' },
)

export type TransactionRow = Static<typeof TransactionRow>
