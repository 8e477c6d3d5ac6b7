// Friendbot: funds new accounts with a transaction of the network's root account (soroban-rpc, "Friendbot").

import { Account, Asset, hash, Keypair, Operation, StrKey, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Clock, Timer } from '../../src/base/clock.ts'
import type { Chain } from '../chain.ts'
import type { TransactionRecord } from '../history.ts'
import type { HttpResponse } from './http-response.ts'
import { jsonResponse } from './http-response.ts'
import {
  FRIENDBOT_ATTEMPTS_MAX, FRIENDBOT_BASE_FEE_STROOPS, FRIENDBOT_BATCH_ACCOUNTS, FRIENDBOT_QUEUE_MAX, FRIENDBOT_STARTING_BALANCE_STROOPS,
  FRIENDBOT_STARTING_BALANCE_XLM, FRIENDBOT_WAIT_MS,
} from './limits.ts'

/** Funds an address. Like the real service, responds when the transaction is on the ledger. */
export type Friendbot = (address: string) => Promise<HttpResponse>

export interface FriendbotOptions {
  readonly chain: Chain
  readonly clock: Clock
  /** The paying account, which must exist. Default: the network's root account. */
  readonly payer?: Keypair
}

/** A request that waits for its funding transaction. */
interface FundingRequest {
  readonly address: string
  readonly respond: (response: HttpResponse) => void
  attempts: number
}

interface InFlight {
  readonly hash: string
  readonly requests: readonly FundingRequest[]
  ledgersLeft: number
}

/** A transaction that is not applied within this many ledgers counts as dropped from the queue. */
const DROPPED_AFTER_LEDGERS = 6

/** Builds a friendbot. It sends one transaction at a time, for all requests that wait when it is built. */
export function createFriendbot({ chain, clock, payer = rootKeypair(chain.networkPassphrase) }: FriendbotOptions): Friendbot {
  let waiting: FundingRequest[] = []
  let inFlight: InFlight | null = null
  let stopListening: (() => void) | null = null

  function submitWaiting(): void {
    while (inFlight === null && waiting.length > 0) {
      const batch = waiting.splice(0, FRIENDBOT_BATCH_ACCOUNTS).filter((request) => !settleWithoutFunding(request))
      if (batch.length > 0 && !submit(batch)) break
    }
    const idle = inFlight === null && waiting.length === 0
    if (idle) {
      stopListening?.()
      stopListening = null
    } else {
      stopListening ??= chain.onClose(onClose)
    }
  }

  /** Responds to a request that needs no funding or has failed too often. Returns whether it did. */
  function settleWithoutFunding(request: FundingRequest): boolean {
    request.attempts += 1
    const balance = balanceOf(chain, request.address)
    if (balance !== null && balance >= FRIENDBOT_STARTING_BALANCE_STROOPS) request.respond(alreadyFunded())
    else if (request.attempts > FRIENDBOT_ATTEMPTS_MAX) request.respond(unavailable('the funding transaction was not accepted'))
    else return false
    return true
  }

  /** Sends the funding transaction of a batch, or responds with an error. Returns false when the batch must wait for the next ledger. */
  function submit(batch: readonly FundingRequest[]): boolean {
    const funding = buildFunding(chain, payer, batch.map((request) => request.address))
    if (funding === null) {
      for (const request of batch) request.respond(unavailable(`the paying account ${payer.publicKey()} does not exist`))
      return true
    }
    const outcome = chain.send(funding)
    if (outcome.status === 'ERROR') {
      const reason = outcome.errorResultXdr ?? 'no reason given'
      for (const request of batch) request.respond(unavailable(`the funding transaction was rejected: ${reason}`))
      return true
    }
    if (outcome.status === 'TRY_AGAIN_LATER') {
      waiting = [...batch, ...waiting]
      return false
    }
    inFlight = { hash: outcome.hash, requests: batch, ledgersLeft: DROPPED_AFTER_LEDGERS }
    return true
  }

  function onClose(): void {
    if (inFlight !== null) {
      const record = chain.history.transaction(inFlight.hash)
      inFlight.ledgersLeft -= 1
      if (record?.status === 'SUCCESS') {
        for (const request of inFlight.requests) request.respond(funded(record))
        inFlight = null
      } else if (record !== undefined || inFlight.ledgersLeft === 0) {
        // One of the accounts was created by someone else, for example. The requests get another transaction.
        waiting = [...inFlight.requests, ...waiting]
        inFlight = null
      }
    }
    submitWaiting()
  }

  return (address) => {
    const reason = addressProblem(address)
    if (reason !== null) return Promise.resolve(invalidAddress(reason))
    if (waiting.length >= FRIENDBOT_QUEUE_MAX) return Promise.resolve(unavailable('too many accounts are waiting'))
    return new Promise((resolve) => {
      const timer: Timer = clock.setTimer(FRIENDBOT_WAIT_MS, () => {
        waiting = waiting.filter((each) => each !== request)
        resolve(timedOut())
      })
      const request: FundingRequest = {
        address,
        attempts: 0,
        respond(response) {
          timer.cancel()
          resolve(response)
        },
      }
      waiting.push(request)
      submitWaiting()
    })
  }
}

/** The root account of a network: its seed is the network's id (soroban-rpc, "Cadence, identity, genesis"). */
export function rootKeypair(networkPassphrase: string): Keypair {
  return Keypair.fromRawEd25519Seed(hash(new TextEncoder().encode(networkPassphrase)))
}

function addressProblem(address: string): string | null {
  if (StrKey.isValidEd25519PublicKey(address)) return null
  if (StrKey.isValidContract(address)) return 'contract addresses are not supported'
  return 'invalid address: must be a valid G or C address'
}

/** The signed envelope that funds all addresses, without a time limit; null when the payer does not exist. */
function buildFunding(chain: Chain, payer: Keypair, addresses: readonly string[]): string | null {
  const entry = accountEntry(chain, payer.publicKey())
  if (entry === null) return null
  const account = new Account(payer.publicKey(), entry.seqNum.toString())
  const builder = new TransactionBuilder(account, { fee: String(FRIENDBOT_BASE_FEE_STROOPS), networkPassphrase: chain.networkPassphrase })
  for (const destination of new Set(addresses)) {
    const isNew = accountEntry(chain, destination) === null
    builder.addOperation(
      isNew
        ? Operation.createAccount({ destination, startingBalance: FRIENDBOT_STARTING_BALANCE_XLM })
        : Operation.payment({ destination, asset: Asset.native(), amount: FRIENDBOT_STARTING_BALANCE_XLM }),
    )
  }
  const transaction = builder.setTimeout(0).build()
  transaction.sign(payer)
  return transaction.toXdr()
}

function balanceOf(chain: Chain, address: string): bigint | null {
  return accountEntry(chain, address)?.balance ?? null
}

function accountEntry(chain: Chain, address: string): xdr.AccountEntry | null {
  const key = xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: Keypair.fromPublicKey(address).xdrAccountId() }))
  const [found] = chain.entries([key.toXdr('base64')])
  if (found === undefined) return null
  const data = xdr.LedgerEntryData.fromXdr(found.dataXdr, 'base64')
  return data.type === 'account' ? data.account : null
}

function funded(record: TransactionRecord): HttpResponse {
  return jsonResponse(200, {
    successful: true,
    hash: record.hash,
    envelope_xdr: record.envelopeXdr,
  })
}

function problem(status: number, title: string, detail: string, extras?: Readonly<Record<string, unknown>>): HttpResponse {
  const body = { type: `https://stellar.org/friendbot-errors/${title.toLowerCase().replaceAll(' ', '_')}`, title, status, detail }
  return jsonResponse(status, extras === undefined ? body : { ...body, extras }, 'application/problem+json; charset=utf-8')
}

function invalidAddress(reason: string): HttpResponse {
  return problem(400, 'Bad Request', 'The request you sent was invalid in some way.', { invalid_field: 'addr', reason })
}

function alreadyFunded(): HttpResponse {
  return problem(400, 'Bad Request', 'account already funded to starting balance')
}

function unavailable(detail: string): HttpResponse {
  return problem(503, 'Service Unavailable', detail)
}

function timedOut(): HttpResponse {
  return problem(504, 'Timeout', 'the funding transaction was not final in time')
}
