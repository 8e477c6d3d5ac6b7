// The client: every endpoint, lists, login, trading, and the stream, over one gateway.

import type { IssuedKey } from './generated/resources.ts'
import { fromHex } from './bytes.ts'
import type { ContractAddresses } from './calls.ts'
import { systemClock } from './clock.ts'
import type { Clock } from './clock.ts'
import { challengeTransaction, TESTNET_PASSPHRASE } from './envelope.ts'
import { createHttp } from './http.ts'
import type { Allowance, CallOptions, Key } from './http.ts'
import { platform } from './platform.ts'
import type { FetchLike, WebSocketConstructor } from './platform.ts'
import { createEndpoints, createLists } from './rest.ts'
import type { Endpoints, Lists } from './rest.ts'
import { signTransaction } from './signer.ts'
import type { Signer } from './signer.ts'
import { createStream } from './stream.ts'
import type { Stream } from './stream.ts'
import { createTrading } from './trade.ts'
import type { Trading } from './trade.ts'

export interface ClientOptions {
  /** The gateway's address, like `https://gateway.example`. */
  readonly url: string
  /** An API key; `login` gets one, too. */
  readonly key?: Key
  /** Who signs: `secretSigner('S…')`, a function over hashes, or a wallet. Needed for `login` and `trade`. */
  readonly signer?: Signer
  /**
   * The addresses of the exchange's contracts. Without them those are believed that the gateway names in `/v1/health` at the first trade: whoever does not
   * trust the gateway with that writes them down.
   */
  readonly contracts?: ContractAddresses
  /** The test network's by default. */
  readonly networkPassphrase?: string
  /** How long to wait for one answer, milliseconds; ten seconds by default. */
  readonly timeoutMs?: number
  /** How often a call that may be repeated is tried in all; 4 by default. */
  readonly attempts?: number
  /** How long the pauses of one call may be together, milliseconds; 65 seconds by default, enough for the next minute's allowance. */
  readonly maxWaitMs?: number
  readonly fetch?: FetchLike
  /** For the stream, where there is none by itself: on Node 20 the class of the package `ws`. */
  readonly WebSocket?: WebSocketConstructor
  readonly clock?: Clock
}

/** A client of one gateway. Nothing of it needs to be closed but its streams. */
export interface Client extends Endpoints, Lists, Trading {
  /**
   * Gets a key for the signer's account by signing a challenge, and uses it from then on. The secret is told this once. Rejects with GatewayError
   * `not_in_beta` where keys are for listed accounts only.
   */
  login(how?: { readonly label?: string; readonly signal?: AbortSignal }): Promise<IssuedKey>
  /**
   * A stream of its own connection, which begins with its first reader. `silenceMs`: after so long without a word the connection is taken for dead; ten
   * seconds by default.
   */
  stream(how?: { readonly silenceMs?: number }): Stream
  /** Calls are made with this key from now on; null: without one. */
  useKey(key: Key | null): void
  /** The key that calls are made with. */
  key(): Key | null
  /** What is left of this minute's calls, by the last answer that told. */
  allowance(): Allowance | null
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
  const lists = createLists(http, endpoints)
  let contracts: ContractAddresses | null = options.contracts ?? null

  function signer(): Signer {
    if (options.signer === undefined) throw new TypeError('There is nobody to sign: give createClient a signer.')
    return options.signer
  }

  const trading = createTrading({
    endpoints, lists, clock, networkPassphrase, signer,
    async contracts(call: CallOptions) {
      contracts ??= addressesOf((await endpoints.getHealth({}, call)).body.contracts)
      return contracts
    },
  })

  return {
    ...endpoints, ...lists, ...trading,
    useKey: http.useKey,
    key: http.key,
    allowance: http.allowance,
    stream({ silenceMs = SILENCE_MS } = {}) {
      const WebSocket = options.WebSocket ?? platform.WebSocket
      if (WebSocket === undefined) throw new TypeError('There is no WebSocket here: give createClient one.')
      return createStream({ url: options.url, key: http.key, WebSocket, clock, silenceMs })
    },
    async login({ label, signal } = {}) {
      const call = signal === undefined ? {} : { signal }
      const wallet = signer()
      const { address } = wallet
      const { challengeHex } = (await endpoints.requestKeyChallenge({ address }, call)).body
      // The transaction is made here, and only 32 bytes of it are the gateway's.
      const tx = challengeTransaction(address, fromHex(challengeHex, CHALLENGE_BYTES))
      const { signedXdr: signature } = await signTransaction(wallet, tx, networkPassphrase)
      const issued = await endpoints.issueKey({ address, challenge: challengeHex, signature, ...(label === undefined ? {} : { label }) }, call)
      http.useKey({ keyId: issued.body.keyId, secret: issued.body.secret })
      return issued.body
    },
  }
}

function addressesOf(contracts: Readonly<Record<keyof ContractAddresses, { readonly address: string }>>): ContractAddresses {
  const { market, vault, oracleShim, router, usdcToken, lpToken, vaultFactory, referral } = contracts
  return {
    market: market.address, vault: vault.address, oracleShim: oracleShim.address, router: router.address,
    usdcToken: usdcToken.address, lpToken: lpToken.address, vaultFactory: vaultFactory.address, referral: referral.address,
  }
}
