// The client of one gateway: endpoints, lists, login, trading and the stream.

import type { Health, IssuedKey } from './generated/resources.ts'
import { fromHex } from './bytes.ts'
import { contractAddressesOf } from './calls.ts'
import type { ContractAddresses } from './calls.ts'
import { systemClock } from './clock.ts'
import type { Clock } from './clock.ts'
import { challengeTransaction, TESTNET_PASSPHRASE } from './envelope.ts'
import { createHttp } from './http.ts'
import type { Allowance, CallKind, CallOptions, Key } from './http.ts'
import { createExecuting } from './execution.ts'
import type { Executing } from './execution.ts'
import { createOrders } from './order-life.ts'
import type { Orders } from './order-life.ts'
import { createOrderTracker } from './orders.ts'
import { platform } from './platform.ts'
import type { KeyRestrictions } from './key-restrictions.ts'
import type { FetchLike, WebSocketConstructor } from './platform.ts'
import { createEndpoints, createLists } from './rest.ts'
import type { Endpoints, Lists } from './rest.ts'
import { signTransaction } from './signer.ts'
import type { Signer } from './signer.ts'
import { createStream } from './stream.ts'
import type { Stream } from './stream.ts'
import { createTrading } from './trade.ts'
import type { Exchange, Trading } from './trade.ts'
import { createTransactions } from './transactions.ts'
import type { Transactions } from './transactions.ts'
import { createLazyStreamVerifier, createVerification } from './verification.ts'
import type { LogTrust, Verify } from './verify-types.ts'

export interface ClientOptions {
  /** The gateway's address, like `https://gateway.example`. */
  readonly url: string
  /** An API key. `login` creates one. */
  readonly key?: Key
  /** Signs transactions: `secretSigner('S…')`, a function that signs hashes, or a wallet. `login` and `trade` need one. */
  readonly signer?: Signer
  /**
   * The addresses of the exchange's contracts. Without them, the client trusts the addresses that the gateway reports in `/v1/health` at the first trade. Set
   * them if you do not trust the gateway.
   */
  readonly contracts?: ContractAddresses
  /** The passphrase of the test network by default. */
  readonly networkPassphrase?: string
  /** Maximum wait for one response, milliseconds; 10 seconds by default. */
  readonly timeoutMs?: number
  /** Attempts in total of a call that is safe to retry; 4 by default. */
  readonly attempts?: number
  /** Maximum sum of the delays between the attempts of one call, milliseconds; 65 seconds by default, which reaches the next minute's rate limit. */
  readonly maxWaitMs?: number
  /** What `verify` trusts about the gateway's log. */
  readonly log?: LogTrust
  readonly fetch?: FetchLike
  /** Used by the stream instead of the platform's WebSocket. */
  readonly WebSocket?: WebSocketConstructor
  readonly clock?: Clock
}

/** A client of one gateway. Only its streams need to be closed. */
export interface Client extends Endpoints, Lists, Trading, Executing {
  /**
   * Creates an API key for the signer's account by signing a challenge, and uses it from then on. The gateway returns the key's secret only this once. Rejects
   * with GatewayError `not_in_beta` where keys are limited to listed accounts. `restrictions` make the key
   * less than its account: scopes, an end, networks, caps.
   */
  login(options?: { readonly label?: string; readonly restrictions?: KeyRestrictions; readonly signal?: AbortSignal }): Promise<IssuedKey>
  /**
   * Opens a stream, which connects when its first channel is read. `silenceMs`: the connection counts as lost after this long without a message; 10 seconds by
   * default. `verified`: each frame of the log is held until a signed checkpoint covers it and it is found in the log as it says. The stream ends with
   * ProofFailure at the first frame that is not.
   */
  stream(options?: { readonly silenceMs?: number; readonly verified?: boolean }): Stream
  readonly orders: Orders
  readonly transactions: Transactions
  /** Verifies what the gateway serves. Its code is loaded at the first use. */
  readonly verify: Verify
  /** Sets the key of all further calls; null removes it. */
  useKey(key: Key | null): void
  /** The key in use. */
  key(): Key | null
  /** The calls of a kind left in this minute, reads by default, by the last response that said so. */
  allowance(kind?: CallKind): Allowance | null
}

const DEFAULTS = { timeoutMs: 10_000, attempts: 4, maxWaitMs: 65_000 }
const SILENCE_MS = 10_000
const CHALLENGE_BYTES = 32

export function createClient(options: ClientOptions): Client {
  const { clock = systemClock, networkPassphrase = TESTNET_PASSPHRASE } = options
  const fetch = options.fetch ?? ((url, init) => platform.fetch(url, init))
  const { timeoutMs, attempts, maxWaitMs } = { ...DEFAULTS, ...options }
  const http = createHttp({ url: options.url, fetch, clock, timeoutMs, attempts, maxWaitMs })
  if (options.key !== undefined) http.useKey(options.key)
  const endpoints = createEndpoints(http)
  const lists = createLists(endpoints)
  let exchange: Exchange | null = options.contracts === undefined ? null : { contracts: options.contracts, takesBound: true }

  function requireSigner(): Signer {
    if (options.signer === undefined) throw new TypeError('No signer configured. Pass one to createClient.')
    return options.signer
  }

  async function knownExchange(call: CallOptions): Promise<Exchange> {
    exchange ??= exchangeOf((await endpoints.getHealth({}, call)).body.contracts)
    return exchange
  }

  const transactions = createTransactions({ endpoints, clock })
  const tracker = createOrderTracker({ endpoints, lists, clock })
  const trading = createTrading({
    endpoints, transactions, orders: tracker, clock, networkPassphrase, signer: requireSigner,
    exchange: knownExchange,
  })

  const verify = createVerification({ log: endpoints, fetch, clock, trust: options.log ?? {} })

  const stream: Client['stream'] = ({ silenceMs = SILENCE_MS, verified = false } = {}) => {
    const WebSocket = options.WebSocket ?? platform.WebSocket
    if (WebSocket === undefined) throw new TypeError('This platform has no WebSocket. Pass one to createClient, or use Node 22 or later.')
    const token = async (): Promise<string> => (await knownExchange({})).contracts.usdcToken
    const verifying = verified ? { verifier: createLazyStreamVerifier({ log: endpoints, verify, token }) } : {}
    return createStream({ url: options.url, key: http.key, WebSocket, clock, silenceMs, ...verifying })
  }

  return {
    ...endpoints, ...lists, ...trading, ...createExecuting({ trade: trading.trade, orders: tracker, endpoints, clock }), stream, transactions, verify,
    orders: createOrders({ endpoints, clock, key: http.key, stream }),
    useKey: http.useKey,
    key: http.key,
    allowance: http.allowance,
    async login({ label, restrictions, signal } = {}) {
      const call = signal === undefined ? {} : { signal }
      const signer = requireSigner()
      const { address } = signer
      const { challengeHex } = (await endpoints.requestKeyChallenge({ address, ...(restrictions === undefined ? {} : { restrictions }) }, call)).body
      // The client builds the transaction; only its 32 bytes of challenge come from the gateway.
      const tx = challengeTransaction(address, fromHex(challengeHex, CHALLENGE_BYTES))
      const { signedXdr: signature } = await signTransaction(signer, tx, networkPassphrase)
      const issued = await endpoints.issueKey({ address, challenge: challengeHex, signature, ...(label === undefined ? {} : { label }) }, call)
      http.useKey({ keyId: issued.body.keyId, secret: issued.body.secret })
      return issued.body
    },
  }
}

function exchangeOf(contracts: Health['contracts']): Exchange {
  return { takesBound: contracts.market.generation !== '1', contracts: contractAddressesOf(contracts) }
}
