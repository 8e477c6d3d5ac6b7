// What real nodes have answered: a folder of captures beside the project (its README says where each comes from and how far it can be trusted). The
// captures stay where they are; without the folder the tests that need it say so and are skipped.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MethodName } from './result-shapes.ts'

/** The folder of captures; `PERP_FIXTURES` names another. */
export const CAPTURES_FOLDER = process.env['PERP_FIXTURES'] ?? fileURLToPath(new URL('../../../shared/fixtures/rpc', import.meta.url))

/** Why the captures cannot be read here, or false. What node:test takes for `skip`. */
export const capturesMissing: string | false = existsSync(CAPTURES_FOLDER)
  ? false
  : `no captures of real nodes in ${CAPTURES_FOLDER}: set PERP_FIXTURES to their folder`

/** A captured result, and how its dialect differs from today's: problems that the check must report, and no others. */
export interface Capture {
  readonly file: string
  readonly path: readonly string[]
  readonly method: MethodName
  readonly differs?: readonly RegExp[]
}

const RESULT = ['result']

/** Older nodes left out these fields of a transaction that they did not find. */
const OLD_NOT_FOUND = [/\.applicationOrder: missing$/, /\.feeBump: missing$/, /\.events: missing$/, /\.ledger: missing$/, /\.createdAt: missing$/]
/** Before protocol 23 events came in the meta only. */
const WITHOUT_EVENTS = [/\.events: missing$/]
/** The extension of an entry came late. */
const WITHOUT_EXTENSION = [/\.extXdr: missing$/]

export const CAPTURES: readonly Capture[] = [
  { file: 'misc/getTransaction_FAILED_mainnet_v4_auth_trap.json', path: RESULT, method: 'getTransaction' },
  { file: 'misc/simulate_error_contract6_sac_account_missing.json', path: RESULT, method: 'simulateTransaction' },
  { file: 'rs-stellar-rpc-client/transaction_response_p22.json', path: RESULT, method: 'getTransaction', differs: WITHOUT_EVENTS },
  {
    file: 'rs-stellar-rpc-client/transactions_response.json',
    path: RESULT,
    method: 'getTransactions',
    differs: [...WITHOUT_EVENTS, /\.txHash: missing$/],
  },
  { file: 'stellar-docs/Transactions.json', path: ['SuccessTransactionResult', 'value'], method: 'getTransaction' },
  { file: 'stellar-docs/Transactions.json', path: ['FailedTransactionResult', 'value'], method: 'getTransaction' },
  { file: 'stellar-docs/Transactions.json', path: ['NotFoundTransactionResult', 'value'], method: 'getTransaction', differs: OLD_NOT_FOUND },
  { file: 'stellar-docs/Transactions.json', path: ['GetTransactionsResult', 'value'], method: 'getTransactions' },
  { file: 'stellar-docs/Transactions.json', path: ['GetTransactionsResultUsingCursor', 'value'], method: 'getTransactions' },
  { file: 'stellar-docs/Transactions.json', path: ['PendingTransactionResult', 'value'], method: 'sendTransaction' },
  { file: 'stellar-docs/Transactions.json', path: ['DuplicateTransactionResult', 'value'], method: 'sendTransaction' },
  { file: 'stellar-docs/Transactions.json', path: ['TryAgainLaterTransactionResult', 'value'], method: 'sendTransaction' },
  { file: 'stellar-docs/Transactions.json', path: ['ErrorTransactionResult', 'value'], method: 'sendTransaction' },
  { file: 'stellar-docs/Events.json', path: ['TwoNativeTransferEvents', 'value'], method: 'getEvents' },
  { file: 'stellar-docs/Events.json', path: ['AnyTwoEvents', 'value'], method: 'getEvents' },
  { file: 'stellar-docs/Ledgers.json', path: ['GetLedgersResult', 'value'], method: 'getLedgers' },
  { file: 'stellar-docs/LedgerEntries.json', path: ['LedgerEntryContractBalanceResult', 'value'], method: 'getLedgerEntries', differs: WITHOUT_EXTENSION },
  { file: 'java-stellar-sdk/get_latest_ledger.json', path: RESULT, method: 'getLatestLedger' },
  { file: 'java-stellar-sdk/get_ledgers.json', path: RESULT, method: 'getLedgers' },
  { file: 'java-stellar-sdk/get_fee_stats.json', path: RESULT, method: 'getFeeStats' },
  { file: 'java-stellar-sdk/get_version_info.json', path: RESULT, method: 'getVersionInfo' },
  {
    file: 'java-stellar-sdk/get_health.json',
    path: RESULT,
    method: 'getHealth',
    differs: [/\.latestLedgerCloseTime: missing$/, /\.oldestLedgerCloseTime: missing$/],
  },
  // Written by hand there: the node itself has always sent a number.
  { file: 'java-stellar-sdk/get_network.json', path: RESULT, method: 'getNetwork', differs: [/\.protocolVersion: string "20" instead of an integer$/] },
]

/** A value out of a capture. */
export function readCapture(file: string, path: readonly string[] = []): unknown {
  let value = JSON.parse(readFileSync(`${CAPTURES_FOLDER}/${file}`, 'utf8')) as unknown
  for (const name of path) value = (value as Readonly<Record<string, unknown>>)[name]
  return value
}
