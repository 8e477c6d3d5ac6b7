import type { History, TransactionRecord } from '../history.ts'
import { CLASSIC_FEE_WINDOW_LEDGERS, FEE_SAMPLE_TRANSACTIONS_MAX, SOROBAN_FEE_WINDOW_LEDGERS } from './limits.ts'
import type { MethodContext } from './method.ts'

const PERCENTILES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99]

/** getFeeStats (soroban-rpc, "getFeeStats"): inclusion fees of the last ledgers. All fields are strings but `ledgerCount` and `latestLedger`. */
export function getFeeStats({ history }: MethodContext): unknown {
  const latest = history.latest().sequence
  const recent = transactionsOfLast(history, SOROBAN_FEE_WINDOW_LEDGERS)
  const soroban = recent.filter((record) => record.soroban)
  const classic = recent.filter((record) => !record.soroban && record.ledger > latest - CLASSIC_FEE_WINDOW_LEDGERS)
  return {
    sorobanInclusionFee: distribution(soroban, ledgersIn(history, SOROBAN_FEE_WINDOW_LEDGERS)),
    inclusionFee: distribution(classic, ledgersIn(history, CLASSIC_FEE_WINDOW_LEDGERS)),
    latestLedger: latest,
  }
}

function transactionsOfLast(history: History, windowLedgers: number): readonly TransactionRecord[] {
  const first = history.latest().sequence - windowLedgers + 1
  return history.transactionsAfter(Math.max(first, history.oldest().sequence), 0, FEE_SAMPLE_TRANSACTIONS_MAX)
}

function ledgersIn(history: History, windowLedgers: number): number {
  return Math.min(windowLedgers, history.latest().sequence - history.oldest().sequence + 1)
}

/** Percentiles are nearest-rank. `mode` is the lowest of several most frequent fees. Without transactions, everything is zero. */
function distribution(records: readonly TransactionRecord[], ledgerCount: number): unknown {
  const fees = records.map((record) => record.inclusionFee).sort((a, b) => a - b)
  const percentile = (percent: number): number => fees[Math.ceil((percent * fees.length) / 100) - 1] ?? 0
  return {
    max: String(fees.at(-1) ?? 0),
    min: String(fees[0] ?? 0),
    mode: String(mostFrequent(fees)),
    ...Object.fromEntries(PERCENTILES.map((percent) => [`p${percent}`, String(percentile(percent))])),
    transactionCount: String(fees.length),
    ledgerCount: fees.length === 0 ? 0 : ledgerCount,
  }
}

function mostFrequent(ascending: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const fee of ascending) counts.set(fee, (counts.get(fee) ?? 0) + 1)
  let best = 0
  for (const [fee, count] of counts) if (count > (counts.get(best) ?? 0)) best = fee
  return best
}
