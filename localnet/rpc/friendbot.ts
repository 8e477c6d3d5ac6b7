// Friendbot: gives new accounts their first balance by a real transaction of the network's root account (soroban-rpc, "Friendbot").

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

/** Funds an address and answers as the service does, only when the transaction can be seen on the ledger. */
export type Friendbot = (address: string) => Promise<HttpResponse>

export interface FriendbotOptions {
  readonly chain: Chain
  readonly clock: Clock
  /** Who pays; by default the network's root account, whose seed is the network id. It must exist on the ledger. */
  readonly payer?: Keypair
}

/** Somebody who waits for funds. */
interface FundingRequest {
  readonly address: string
  readonly settle: (answer: HttpResponse) => void
  attempts: number
}

interface InFlight {
  readonly hash: string
  readonly requests: readonly FundingRequest[]
  ledgersLeft: number
}

/** A transaction that has not been applied after this many ledgers was dropped from the queue. */
const DROPPED_AFTER_LEDGERS = 6

/** Builds a friendbot. One transaction at a time is under way, for everybody who waited when it was built. */
export function createFriendbot({ chain, clock, payer = rootKeypair(chain.networkPassphrase) }: FriendbotOptions): Friendbot {
  let waiting: FundingRequest[] = []
  let inFlight: InFlight | null = null
  let stopListening: (() => void) | null = null

  function submitWaiting(): void {
    while (inFlight === null && waiting.length > 0) {
      const batch = waiting.splice(0, FRIENDBOT_BATCH_ACCOUNTS).filter((waiter) => !settleWithoutFunding(waiter))
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

  /** True for a waiter who has just been told no. */
  function settleWithoutFunding(waiter: FundingRequest): boolean {
    waiter.attempts += 1
    const balance = balanceOf(chain, waiter.address)
    if (balance !== null && balance >= FRIENDBOT_STARTING_BALANCE_STROOPS) waiter.settle(alreadyFunded())
    else if (waiter.attempts > FRIENDBOT_ATTEMPTS_MAX) waiter.settle(unavailable('the funding transaction was not accepted'))
    else return false
    return true
  }

  /** True when the transaction is under way; otherwise its waiters have been told no, or wait for the next ledger. */
  function submit(batch: readonly FundingRequest[]): boolean {
    const funding = buildFunding(chain, payer, batch.map((waiter) => waiter.address))
    if (funding === null) {
      for (const waiter of batch) waiter.settle(unavailable(`the paying account ${payer.publicKey()} does not exist`))
      return true
    }
    const outcome = chain.send(funding)
    if (outcome.status === 'ERROR') {
      const reason = outcome.errorResultXdr ?? 'no reason given'
      for (const waiter of batch) waiter.settle(unavailable(`the funding transaction was refused: ${reason}`))
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
        for (const waiter of inFlight.requests) waiter.settle(funded(record))
        inFlight = null
      } else if (record !== undefined || inFlight.ledgersLeft === 0) {
        // Somebody else created one of the accounts meanwhile: the rest gets another transaction, which looks again.
        waiting = [...inFlight.requests, ...waiting]
        inFlight = null
      }
    }
    submitWaiting()
  }

  return (address) => {
    const problem = addressProblem(address)
    if (problem !== null) return Promise.resolve(invalidAddress(problem))
    if (waiting.length >= FRIENDBOT_QUEUE_MAX) return Promise.resolve(unavailable('too many accounts are waiting'))
    return new Promise((resolve) => {
      const timer: Timer = clock.setTimer(FRIENDBOT_WAIT_MS, () => {
        waiting = waiting.filter((each) => each !== waiter)
        resolve(timedOut())
      })
      const waiter: FundingRequest = {
        address,
        attempts: 0,
        settle(answer) {
          timer.cancel()
          resolve(answer)
        },
      }
      waiting.push(waiter)
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

/** The signed envelope that funds all of them, or null when the payer does not exist. Its time is unlimited, so that no clock matters. */
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
  const [served] = chain.entries([key.toXdr('base64')])
  if (served === undefined) return null
  const data = xdr.LedgerEntryData.fromXdr(served.dataXdr, 'base64')
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
