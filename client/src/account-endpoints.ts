// Written from docs/openapi.json by test/client/types.test.ts, which also says how to renew it: no line here is changed by hand.
// Methods of endpoints.

import type { Answer, CallOptions } from './http.ts'
import type {
  OpenPosition, EventRow,
} from './resources.ts'
import type {
  ApiKey, IssuedKey, KeyChallenge, BetaStatus, AccountIdentity, AccountVolume, OpenOrders, AccountState, PreparedTransaction, SubmitResult,
} from './account-resources.ts'
import type {
  OrderRequest, ActionRequest,
} from './requests.ts'

/** Endpoints as methods. Parameters of the path and of the query, or the body, are the fields of `input`. */
export interface AccountEndpoints {
  /**
   * Events that concern the caller. Needs a key.
   *
   * Newest first. An event concerns the account when its payload names it in any role, and when it is the execution or cancellation of one of its
   * orders. Orders whose placement emits no event (stop-limit, trailing stop) join a moment later, at their own place in the order.
   */
  listAccountEvents(input?: {
    /** Only events of this topic */ readonly topic?: string
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly events: readonly EventRow[]
  }>>

  /**
   * What happened to the caller's orders. Needs a key.
   *
   * Events of the topics order_placed, order_executed and order_cancelled, newest first. An event concerns the account when its payload names it in
   * any role, and when it is the execution or cancellation of one of its orders. Orders whose placement emits no event (stop-limit, trailing stop)
   * join a moment later, at their own place in the order.
   */
  listAccountOrderEvents(input?: {
    /** Only rows strictly older than this, unix seconds */ readonly before_ts?: number
    /** Rows per page */ readonly limit?: number
    /** Continues exactly behind the last row of the page before; taken from that answer's Link header, and opaque */ readonly cursor?: string
  }, options?: CallOptions): Promise<Answer<{
    readonly events: readonly EventRow[]
  }>>

  /**
   * The caller's open positions and what happened to positions. Needs a key.
   *
   * Open positions, newest first, up to 500 (the Link header continues them at /v1/positions/open), and the newest 200 of the caller's
   * position_opened, position_closed and position_liquidated events, both as of one state of the index.
   */
  listAccountPositions(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<{
    readonly positions: readonly OpenPosition[]
    readonly events: readonly EventRow[]
  }>>

  /**
   * What an account has traded in fourteen days.
   *
   * Rolling seconds up to now: opens and matched closes at full size, liquidations nothing. The market's own record, which fee tiers go by, counts
   * the same by calendar days.
   */
  getAccountVolume(input: {
    /** The account (G…) or contract (C…) */ readonly address: string
  }, options?: CallOptions): Promise<Answer<AccountVolume>>

  /**
   * Who may be issued a key.
   *
   * Whether issuance is limited to listed addresses, and whether the given address may be issued a key.
   */
  getBetaStatus(input?: {
    /** The account (G…) that the key is for */ readonly address?: string
  }, options?: CallOptions): Promise<Answer<BetaStatus>>

  /**
   * A challenge for a wallet to sign.
   *
   * Replaces the challenge that was pending for the address. It is void after five minutes, and after one attempt, whatever the outcome.
   */
  requestKeyChallenge(input: {
    /** The account (G…) that the key is for */ readonly address: string
  }, options?: CallOptions): Promise<Answer<KeyChallenge>>

  /**
   * Issues a key for a proven address.
   *
   * Build a transaction that is never submitted: any source account, sequence 0, fee 0, no time bounds, first operation manage-data with the
   * challenge's 32 bytes as its value. Sign it with the wallet's key for the network and send the envelope as base64 XDR. The secret is answered this
   * once.
   */
  issueKey(input: {
    /** The account (G…) that the key is for */ readonly address: string
    /** The challengeHex that was signed */ readonly challenge: string
    /** The whole signed transaction envelope, base64 XDR; not a detached signature */ readonly signature: string
    /** What to call the key */ readonly label?: string
  }, options?: CallOptions): Promise<Answer<IssuedKey>>

  /**
   * The owner's keys. Needs a key.
   *
   * Every key of the caller's owner, newest first, the revoked ones included. Secrets are never listed.
   */
  listKeys(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<{
    readonly keys: readonly ApiKey[]
  }>>

  /**
   * Revokes a key. Needs a key.
   *
   * Any key of an owner revokes any key of the same owner, itself included. It is refused from then on.
   */
  revokeKey(input: {
    /** The key to revoke */ readonly keyId: string
  }, options?: CallOptions): Promise<Answer<{
    readonly revoked: true
  }>>

  /**
   * Who the caller is. Needs a key.
   *
   * The key that the call was made with, and the account that it was issued to. Answered from memory: good for trying a key.
   */
  getAccountIdentity(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<AccountIdentity>>

  /**
   * The caller's resting orders. Needs a key.
   *
   * Every pending order as the ledger has it, newest first: stop-limit orders and trailing stops too, whose placement emits no event. Read from the
   * network and kept for a second; the body says at which ledger.
   */
  listAccountOpenOrders(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<OpenOrders>>

  /**
   * What the caller has and is worth. Needs a key.
   *
   * Positions with unrealised profit, funding and liquidation price, resting orders, balances, cross margin, fee tier and limits, all read from one
   * ledger and kept for a second. What could not be told is null, and `unknown` says why.
   */
  getAccountState(input?: Readonly<Record<string, never>>, options?: CallOptions): Promise<Answer<AccountState>>

  /**
   * An unsigned transaction for one of the ten operations. Needs a key.
   *
   * Builds the transaction that makes the operation on behalf of the key's owner, simulates it, and returns it unsigned: sign it unchanged and hand
   * it to POST /v1/tx/submit. It takes the account's next sequence number and is valid for 300 seconds. An operation that the network would refuse
   * now is answered with 400 simulation_failed and the contract's error.
   */
  prepareOrder(input: OrderRequest, options?: CallOptions): Promise<Answer<PreparedTransaction>>

  /**
   * An unsigned transaction for whatever else an account signs. Needs a key.
   *
   * Cross margin, the liquidity vault, trader vaults and referral, prepared as POST /v1/orders/prepare does it: built on behalf of the key's owner,
   * simulated, and returned unsigned for POST /v1/tx/submit.
   */
  prepareAction(input: ActionRequest, options?: CallOptions): Promise<Answer<PreparedTransaction>>

  /**
   * Sends a signed transaction and waits for what becomes of it. Needs a key.
   *
   * Relays the envelope as it is and asks for the transaction every second, up to pollTimeoutMs. Submitting the same signedXdr again is safe and
   * returns the current result of the one transaction, also long after: do so after PENDING, 502 and 503, instead of preparing a fresh one. A 502
   * with a hash means that the outcome is unknown.
   */
  submitTransaction(input: {
    /** Signed transaction envelope, base64; a fee bump is relayed too */ readonly signedXdr: string
    /** How long to wait for the transaction to be final, milliseconds */ readonly pollTimeoutMs?: number
  }, options?: CallOptions): Promise<Answer<SubmitResult>>
}
