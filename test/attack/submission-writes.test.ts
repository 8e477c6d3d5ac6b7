// Worthless envelopes of one wallet, as many as the rate limits allow at once: they leave the database to everyone else, and nothing in it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xdr } from '@stellar/stellar-sdk'
import { createSystemClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import type { SignedTransaction } from '../../src/chain/codec/transaction.ts'
import type { App } from '../../src/http/app.ts'
import { issueKey } from '../../src/keys/keys.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import type { Store } from '../../src/store/store.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { call, createWallet } from '../support/keys.ts'
import { APPLIED_XDR, LATEST_LEDGER, NOT_FOUND, record, rejectionResponse, sendResponse, signedTransaction } from '../relay/responses.ts'
import { createScriptedTransport } from '../relay/scripted-node.ts'

const ATTACKER_KEYS = 4
const ATTACKER_ADDRESS = '198.51.100.7'
const OTHERS = 10
/** Others are served before this many of the attacker's envelopes were sent, refused and stored. */
const REFUSED_MAX = 80
/** Of one write transaction, as on a busy disk. */
const WRITE_SEC = 0.01

/** The store with write transactions that take their time. */
function slowed(store: Store): Store {
  return {
    ...store,
    write: {
      query: (statement, params) => store.write.query(statement, params),
      run: (statement, params) => store.write.run(statement, params),
      transaction: (work) => store.write.transaction(async (tx) => {
        await tx.query('select pg_sleep($1)', [WRITE_SEC])
        return await work(tx)
      }),
    },
  }
}

type Envelopes = ReadonlyMap<string, SignedTransaction>

/** A node that refuses some envelopes and applies the others at once. */
function createNode(clock: Clock, { refused, accepted }: { readonly refused: Envelopes; readonly accepted: Envelopes }) {
  const sent = new Set<string>()
  return createRpc({
    urls: ['http://node/'], clock, random: createSystemRandom(), log: silentLog,
    transport: createScriptedTransport((_url, method, params) => {
      if (method === 'getTransaction') {
        if (!sent.has(String(params['hash']))) return NOT_FOUND
        const ledger = LATEST_LEDGER + 1
        return { result: { status: 'SUCCESS', latestLedger: ledger, ledger, ...record(params['hash'], APPLIED_XDR) } }
      }
      if (method !== 'sendTransaction') return { error: { code: -32601, message: 'method not found' } }
      const envelope = String(params['transaction'])
      const worthless = refused.get(envelope)
      if (worthless !== undefined) return rejectionResponse(worthless, xdr.TransactionResultResult.txInsufficientFee())
      const signed = accepted.get(envelope) ?? assert.fail('an unknown envelope was sent')
      sent.add(signed.hash)
      return sendResponse(signed, 'PENDING')
    }),
  })
}

function byEnvelope(from: number, count: number): Map<string, SignedTransaction> {
  return new Map(Array.from({ length: count }, (_, index) => signedTransaction(from + index)).map((signed) => [signed.envelopeXdr, signed]))
}

async function submit(app: App, signed: SignedTransaction, key: IssuedKey, from: string): Promise<number> {
  const body = { signedXdr: signed.envelopeXdr, pollTimeoutMs: 10_000 }
  const response = await call<{ stored?: boolean }>(app, '/v1/tx/submit', { method: 'POST', body, key, from })
  assert.notEqual(response.body.stored, false, 'stored before it was sent')
  return response.status
}

const STORED_AT_ONCE = 4

for (const worthlessCount of [250, 320]) {
  test(`${worthlessCount} worthless envelopes of four keys turn nobody else away, and leave no more than the newest hundred`, async () => {
    await using store = await openTestStore()
    const clock = createSystemClock()
    const [refused, accepted] = [byEnvelope(1, worthlessCount), byEnvelope(10_000, OTHERS)]
    const rpc = createNode(clock, { refused, accepted })
    await using bare = await createBareGateway({ store: slowed(store), clock, rpc, rateLimits: UNLIMITED_RATES })
    const { app } = bare.gateway
    const issueTo = (wallet: string): Promise<IssuedKey> =>
      issueKey(store.write, { owner: createWallet(wallet).publicKey(), tier: 'standard', label: null, clock, random: createSystemRandom() })
    const attackers = await Promise.all(Array.from({ length: ATTACKER_KEYS }, () => issueTo('attacker')))
    const [used, fresh, submitting] = await Promise.all(['used', 'fresh', 'submitting'].map((kind) =>
      Promise.all(Array.from({ length: OTHERS }, (_, index) => issueTo(`${kind} ${index}`)))))
    const me = async (key: IssuedKey, index: number): Promise<number> => (await call(app, '/v1/account/me', { key, from: `192.0.2.${index}` })).status
    assert.deepEqual(new Set(await Promise.all([...used ?? [], ...submitting ?? []].map(me))), new Set([200]))

    let refusedFirst = 0
    const flood = [...refused.values()].map(async (signed, index) => {
      const body = { signedXdr: signed.envelopeXdr, pollTimeoutMs: 10_000, clientId: `id-${index}` }
      const key = attackers[index % ATTACKER_KEYS] ?? assert.fail()
      const { status } = await call(app, '/v1/tx/submit', { method: 'POST', body, key, from: ATTACKER_ADDRESS })
      if (status === 400) refusedFirst += 1
      return status
    })
    const signedByOthers = [...accepted.values()]
    const others = [
      ...(used ?? []).map(me), ...(fresh ?? []).map(me),
      ...(submitting ?? []).map((key, index) => submit(app, signedByOthers[index] ?? assert.fail(), key, `192.0.2.${index}`)),
    ]
    assert.deepEqual(new Set(await Promise.all(others)), new Set([200]))
    assert.ok(refusedFirst <= REFUSED_MAX, `${refusedFirst} worthless envelopes went first`)
    const statuses = await Promise.all(flood)
    assert.ok(statuses.every((status) => status === 400 || status === 503), [...new Set(statuses)].join(', '))
    const [rows] = await store.read.query<{ submissions: number; changes: number; ids: number }>(
      `select (select count(*) from tx.submissions where status <> 'SUCCESS') as submissions,
        (select count(*) from tx.submission_changes where row->>'status' not in ('PENDING', 'SUCCESS')) as changes,
        (select count(*) from tx.client_ids) as ids`,
    )
    // Those that are stored at the same time do not see each other; the next one removes the surplus.
    assert.ok(rows !== undefined && rows.submissions <= 100 + STORED_AT_ONCE, `${rows?.submissions} refused submissions are stored`)
    assert.deepEqual([rows.changes, rows.ids], [0, 0])
  })
}
