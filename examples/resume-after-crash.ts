// Buys in slices and survives being killed at any moment: the next start buys what is missing, and nothing twice.
//
//   SECRET=S… npm run example examples/resume-after-crash.ts plan.journal BTC 5
//
// Expect three lines for each of the five slices (preparing, signed, bought). Kill it at any time with `kill -9` and start it again with the same arguments:
// it first finishes the transaction that it had signed, then continues. Each step is written to the journal and synced to disk before it is taken. A journal
// belongs to one plan and one process at a time. Ctrl-C stops after the current slice. Set GATEWAY_URL for a gateway other than http://127.0.0.1:8080.

import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { ContractFailure, createClient, secretSigner } from 'perpetual-exchange-client'
import type { SignedTransaction } from 'perpetual-exchange-client'

/** 20 USDC at leverage 2: a position of 40 USDC. */
const SLICE = { collateral: '200000000', leverage: 2 } as const
/** Maximum attempts of a slice. */
const ATTEMPTS_MAX = 3

type Entry =
  | { readonly step: 'plan'; readonly asset: string; readonly slices: number; readonly account: string }
  | { readonly step: 'signed'; readonly slice: number; readonly transaction: SignedTransaction }
  | { readonly step: 'bought'; readonly slice: number; readonly ledger: number; readonly hash: string }
  | { readonly step: 'failed'; readonly slice: number; readonly message: string }

const [, , file = 'plan.journal', asset = 'BTC', slicesText = '5'] = process.argv
const slices = Number(slicesText)
if (!Number.isInteger(slices) || slices < 1 || slices > 100) throw new TypeError(`${slicesText} is not a number of slices from 1 to 100`)

/** The entries so far. Only the last line can be incomplete, after a crash while writing it. Its step was not taken. */
function readJournal(): { readonly entries: readonly Entry[]; readonly isIncomplete: boolean } {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const lines = text.split('\n')
  const last = lines.pop()
  // A line is complete when it ends with a line break.
  return { entries: lines.filter((line) => line !== '').flatMap((line) => parse(line)), isIncomplete: last !== '' }
}

function parse(line: string): Entry[] {
  try {
    return [JSON.parse(line) as Entry]
  } catch {
    return []
  }
}

const { entries, isIncomplete } = readJournal()
const journal = openSync(file, 'a')
/** Appends an entry and syncs it to disk before the step that it records. */
function record(entry: Entry): void {
  writeSync(journal, `${JSON.stringify(entry)}\n`)
  fsyncSync(journal)
}
if (isIncomplete) writeSync(journal, '\n')

const signer = await secretSigner(process.env['SECRET'] ?? '')
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080', signer })

const plan = { step: 'plan', asset, slices, account: signer.address } as const
const [planned] = entries
if (planned === undefined) record(plan)
else if (JSON.stringify(planned) !== JSON.stringify(plan)) throw new Error(`${file} is the journal of another plan: ${JSON.stringify(planned)}`)
await client.login({ label: 'plan' })

let isStopped = false
process.once('SIGINT', () => {
  isStopped = true
  console.log('stopping after this slice; press Ctrl-C again to exit now')
})

/** Buys one slice. `pending`: its transaction that an earlier run signed. Resolves with whether it was bought. */
async function buy(slice: number, pending: SignedTransaction | undefined): Promise<boolean> {
  try {
    // UnknownOutcome ends the program. The journal has the transaction, and the next start finishes it.
    const { ledger, hash } = pending === undefined ? await tradeSlice(slice) : await client.finish(pending)
    record({ step: 'bought', slice, ledger, hash })
    console.log(`slice ${slice} bought in ledger ${ledger}${pending === undefined ? '' : ', with the transaction signed before'}`)
    return true
  } catch (error) {
    // The transaction failed for certain and will not be applied later.
    if (!(error instanceof ContractFailure)) throw error
    record({ step: 'failed', slice, message: error.message })
    console.error(`slice ${slice} failed: ${error.message}`)
    return false
  }
}

function tradeSlice(slice: number): Promise<{ readonly ledger: number; readonly hash: string }> {
  console.log(`slice ${slice} preparing`)
  return client.trade({ op: 'open_position', asset, ...SLICE, direction: 'Long' }, {
    onSigned: (transaction) => {
      record({ step: 'signed', slice, transaction })
      console.log(`slice ${slice} signed as ${transaction.hash}`)
    },
  })
}

for (let slice = 1; slice <= slices && !isStopped; slice++) {
  const own = entries.filter((entry) => entry.step !== 'plan' && entry.slice === slice)
  const last = own.at(-1)
  let isBought = last?.step === 'bought'
  let pending = last?.step === 'signed' ? last.transaction : undefined
  for (let attempt = 0; !isBought && attempt < ATTEMPTS_MAX; attempt++) {
    isBought = await buy(slice, pending)
    pending = undefined
  }
  if (!isBought) throw new Error(`slice ${slice} failed ${ATTEMPTS_MAX} times`)
}
closeSync(journal)
if (!isStopped) console.log(`all ${slices} slices bought`)
