// Audits the gateway's log against a node.

import { readFileSync, writeFileSync } from 'node:fs'
import { contractAddressesOf } from '../calls.ts'
import { toBase64 } from '../bytes.ts'
import { randomFraction } from '../clock.ts'
import { platform } from '../platform.ts'
import { audit } from '../proofs/audit.ts'
import { callNode } from '../proofs/node.ts'
import type { CheckpointStore } from '../verify-types.ts'
import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { callOptions } from './exchange-commands.ts'
import { listing } from './table.ts'
import { UsageError } from './usage-error.ts'

const LEDGER_MAX = 2 ** 32 - 1

function ledgerOf(context: Context, name: string, byDefault: number): number {
  const text = flagText(context, name)
  if (text === undefined) return byDefault
  if (!/^\d{1,10}$/.test(text) || Number(text) > LEDGER_MAX) throw new UsageError(`--${name}: ${JSON.stringify(text)} is not the number of a ledger.`)
  return Number(text)
}

function shareOf(context: Context): number {
  const text = flagText(context, 'sample') ?? '1%'
  const [, percent = ''] = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(text) ?? []
  const share = Number(percent) / 100
  if (percent === '' || share <= 0 || share > 1) throw new UsageError(`--sample: ${JSON.stringify(text)} is not a share like 1%.`)
  return share
}

/** Keeps the last checkpoint in a file, of which each audit continues. */
function fileStore(file: string): CheckpointStore {
  const read = (): Record<string, string> => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    } catch (error) {
      if ((error as { readonly code?: string }).code === 'ENOENT') return {}
      throw new UsageError(`${file} cannot be read as a file of checkpoints.`)
    }
  }
  return { load: (origin) => read()[origin] ?? null, save: (origin, note) => writeFileSync(file, `${JSON.stringify({ ...read(), [origin]: note })}\n`) }
}

async function runAudit(context: Context): Promise<void> {
  const node = flagText(context, 'rpc')
  if (node === undefined) throw new UsageError('Name a node with --rpc.', 'It must not belong to the gateway\'s operator, or the audit proves nothing.')
  const [fromLedger, toLedger] = [ledgerOf(context, 'from', 0), ledgerOf(context, 'to', LEDGER_MAX)]
  if (fromLedger > toLedger) throw new UsageError('--from must not be after --to.')
  const sample = shareOf(context)
  const file = flagText(context, 'checkpoints')
  const client = context.client(file === undefined ? {} : { store: fileStore(file) })
  const contracts = contractAddressesOf((await client.getHealth({}, callOptions(context))).body.contracts)
  const report = await context.progress.run('Auditing', async () => audit({
    log: client, verify: client.verify, contracts,
    callNode: (method, params) => callNode(platform.fetch, node, method, params, context.signal),
    fromLedger, toLedger, sample, random: randomFraction, signal: context.signal,
  }))
  const { checkpoint: { origin, root, note }, notChecked, ...counts } = report
  const { records, corrections, comparedRecords, comparedEvents, comparedLedgers } = counts
  context.show({ ok: true, origin, root: toBase64(root), note, ...counts, notChecked, contracts }, listing([
    ['log', origin], ['records', records], ['corrections', corrections], ['root', toBase64(root)], ['compared records', comparedRecords],
    ['compared ledgers', comparedLedgers], ['compared events', comparedEvents], ['market contract', contracts.market],
    ['vault contract', contracts.vault], ['result', 'everything that was checked holds'],
  ]))
  for (const sentence of notChecked) context.note(`Not compared: ${sentence}`)
  if (file === undefined) context.note('The checkpoint was not kept. With --checkpoints FILE the next audit also finds a log that was replaced.')
}

export const AUDIT_COMMANDS: readonly Command[] = [
  {
    name: 'audit', summary: 'Checks the gateway\'s whole log, and compares a sample of it with a node.',
    details: [
      'Walks all records: the tree is the signed one, ranges and places adjoin, corrections apply. Then reads a sample of the records\' ledgers',
      'from the node, computes what the records must say, and names the first ledger and event that differ.',
    ],
    flags: [
      { name: 'rpc', value: 'NODE', help: 'address of a node that does not belong to the gateway\'s operator' },
      { name: 'from', value: 'LEDGER', help: 'compare from this ledger on' }, { name: 'to', value: 'LEDGER', help: 'compare up to this ledger' },
      { name: 'sample', value: 'SHARE', help: 'share of the records to compare; 1% by default, and about 20 records at least' },
      { name: 'checkpoints', value: 'FILE', help: 'keeps the last checkpoint in this file, and compares the log with it' },
    ],
    examples: ['audit --rpc https://soroban-testnet.stellar.org', 'audit --rpc https://node.example --from 1200000 --sample 100%'], run: runAudit,
  },
]
