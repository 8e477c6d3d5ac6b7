// Captured responses of real nodes. They live in a folder outside the project; its README states the source and reliability of each. Tests that need the
// captures are skipped if the folder is missing.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MethodName } from './result-shapes.ts'

/** The folder with the captures. Set `PERP_FIXTURES` to use another one. */
const CAPTURES_FOLDER = process.env['PERP_FIXTURES'] ?? fileURLToPath(new URL('../../../shared/fixtures/rpc', import.meta.url))

/** The skip reason for node:test if the captures are missing, else false. */
export const capturesMissing: string | false = existsSync(CAPTURES_FOLDER)
  ? false
  : `No captures of real nodes in ${CAPTURES_FOLDER}. Set PERP_FIXTURES to their folder.`

export interface Capture {
  readonly file: string
  readonly path: readonly string[]
  readonly method: MethodName
  /** The exact set of problems that the check must report, for responses of older nodes. */
  readonly differs?: readonly RegExp[]
}

const RESULT = ['result']

/** Older nodes omit these fields from a NOT_FOUND response. */
const OLD_NOT_FOUND = [/\.applicationOrder: missing$/, /\.feeBump: missing$/, /\.events: missing$/, /\.ledger: missing$/, /\.createdAt: missing$/]
/** Before protocol 23, only the transaction meta contains events. */
const WITHOUT_EVENTS = [/\.events: missing$/]
/** Older nodes do not return the extension of an entry. */
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
  // Handwritten by the SDK's authors: real nodes have always sent a number.
  { file: 'java-stellar-sdk/get_network.json', path: RESULT, method: 'getNetwork', differs: [/\.protocolVersion: string "20" instead of an integer$/] },
]

/** Reads the value at `path` in a capture. */
export function readCapture(file: string, path: readonly string[] = []): unknown {
  let value = JSON.parse(readFileSync(`${CAPTURES_FOLDER}/${file}`, 'utf8')) as unknown
  for (const field of path) value = (value as Readonly<Record<string, unknown>>)[field]
  return value
}
