// Buys in slices, and may be killed at any instant: the next start makes what is missing, and nothing twice.
//
//   SECRET=S… npm run example examples/resume-after-crash.ts plan.journal BTC 5
//
// Expect three lines for each of the five slices (wanted, signed, bought). Kill it wherever you like, with `kill -9`, and start it again with the same words:
// it learns first what became of the transaction that it had signed, and goes on. The journal gets a line before each step, and is on the disk before the
// step is taken. It belongs to one plan and one process at a time. Ctrl-C ends it behind the slice under way. GATEWAY_URL names another gateway than
// http://127.0.0.1:8080.

import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { ContractFailure, createClient, secretSigner } from 'perpetual-exchange-client'
import type { SignedTransaction } from 'perpetual-exchange-client'

/** 20 USDC at twice that: 40 USDC of the asset. */
const SLICE = { collateral: '200000000', leverage: 2 } as const
/** A slice that the network refuses so often is not tried again. */
const TRIES_MAX = 3

type Entry =
  | { readonly step: 'plan'; readonly asset: string; readonly slices: number; readonly account: string }
  | { readonly step: 'signed'; readonly slice: number; readonly transaction: SignedTransaction }
  | { readonly step: 'bought'; readonly slice: number; readonly ledger: number; readonly hash: string }
  | { readonly step: 'refused'; readonly slice: number; readonly message: string }

const [, , file = 'plan.journal', asset = 'BTC', slicesText = '5'] = process.argv
const slices = Number(slicesText)
if (!Number.isInteger(slices) || slices < 1 || slices > 100) throw new TypeError(`${slicesText} is no number of slices: 1 to 100`)

/** The entries so far. Only the last line can be torn, when the machine went down while it was written: its step was not taken then. */
function readJournal(): { readonly entries: readonly Entry[]; readonly isTorn: boolean } {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const lines = text.split('\n')
  const last = lines.pop()
  // A line counts when it is ended.
  return { entries: lines.filter((line) => line !== '').flatMap((line) => parse(line)), isTorn: last !== '' }
}

function parse(line: string): Entry[] {
  try {
    return [JSON.parse(line) as Entry]
  } catch {
    return []
  }
}

const { entries, isTorn } = readJournal()
const journal = openSync(file, 'a')
/** Returns when the line is on the disk, so that what comes next cannot be forgotten. */
function note(entry: Entry): void {
  writeSync(journal, `${JSON.stringify(entry)}\n`)
  fsyncSync(journal)
}
if (isTorn) writeSync(journal, '\n')

const signer = await secretSigner(process.env['SECRET'] ?? '')
const client = createClient({ url: process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080', signer })

const plan = { step: 'plan', asset, slices, account: signer.address } as const
const [planned] = entries
if (planned === undefined) note(plan)
else if (JSON.stringify(planned) !== JSON.stringify(plan)) throw new Error(`${file} is the journal of another plan: ${JSON.stringify(planned)}`)
await client.login({ label: 'plan' })

let isStopped = false
process.once('SIGINT', () => {
  isStopped = true
  console.log('stopping behind this slice; once more to end at once')
})

/** Makes one slice. `before`: what was signed for it in an earlier life. Answers whether it was bought. */
async function buy(slice: number, before: SignedTransaction | undefined): Promise<boolean> {
  try {
    // UnknownOutcome ends the program: the journal has the transaction, and the next start goes on with it.
    const { ledger, hash } = before === undefined ? await buyAnew(slice) : await client.finish(before)
    note({ step: 'bought', slice, ledger, hash })
    console.log(`slice ${slice} bought in ledger ${ledger}${before === undefined ? '' : ', by what was signed before'}`)
    return true
  } catch (error) {
    // It is certain that this transaction did not buy anything, and never will.
    if (!(error instanceof ContractFailure)) throw error
    note({ step: 'refused', slice, message: error.message })
    console.error(`slice ${slice} refused: ${error.message}`)
    return false
  }
}

function buyAnew(slice: number): Promise<{ readonly ledger: number; readonly hash: string }> {
  console.log(`slice ${slice} wanted`)
  return client.trade({ op: 'open_position', asset, ...SLICE, direction: 'Long' }, {
    onSigned: (transaction) => {
      note({ step: 'signed', slice, transaction })
      console.log(`slice ${slice} signed as ${transaction.hash}`)
    },
  })
}

for (let slice = 1; slice <= slices && !isStopped; slice++) {
  const own = entries.filter((entry) => entry.step !== 'plan' && entry.slice === slice)
  const last = own.at(-1)
  let isBought = last?.step === 'bought'
  let before = last?.step === 'signed' ? last.transaction : undefined
  for (let tries = 0; !isBought && tries < TRIES_MAX; tries++) {
    isBought = await buy(slice, before)
    before = undefined
  }
  if (!isBought) throw new Error(`slice ${slice} was refused ${TRIES_MAX} times`)
}
closeSync(journal)
if (!isStopped) console.log(`all ${slices} slices are bought`)
