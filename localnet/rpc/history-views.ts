// The history as a lagging node, or one with a shorter retention window, sees it.

import { defined } from '../../src/base/assert.ts'
import type { History } from '../history.ts'

/** The history without the last `ledgers` ledgers. The oldest always remains. */
export function laggingHistory(history: History, ledgers: number): History {
  const oldest = history.oldest().sequence
  return historyWithin(history, oldest, Math.max(oldest, history.latest().sequence - ledgers))
}

/** The last `ledgers` ledgers of the history. */
export function recentHistory(history: History, ledgers: number): History {
  const latest = history.latest().sequence
  return historyWithin(history, Math.max(history.oldest().sequence, latest - ledgers + 1), latest)
}

/** The full history, in which a transaction is found by its hash only `ledgers` ledgers after its own. */
export function delayedTransactions(history: History, ledgers: number): History {
  const visible = laggingHistory(history, ledgers)
  return { ...plainHistory(history), transaction: (hash) => visible.transaction(hash) }
}

/** The ledgers from `oldest` to `latest`, inclusive. */
export function historyWithin(history: History, oldest: number, latest: number): History {
  const isInRange = (sequence: number): boolean => sequence >= oldest && sequence <= latest
  return {
    latest: () => defined(history.ledger(latest), `ledger ${latest}`),
    oldest: () => defined(history.ledger(oldest), `ledger ${oldest}`),
    ledger: (sequence) => (isInRange(sequence) ? history.ledger(sequence) : undefined),
    ledgers: (from, limit) => history.ledgers(Math.max(from, oldest), limit).filter((ledger) => isInRange(ledger.sequence)),
    transaction(hash) {
      const record = history.transaction(hash)
      return record !== undefined && isInRange(record.ledger) ? record : undefined
    },
    transactionsAfter(ledger, applicationOrder, limit) {
      const [fromLedger, afterOrder] = ledger < oldest ? [oldest, 0] : [ledger, applicationOrder]
      return history.transactionsAfter(fromLedger, afterOrder, limit).filter((record) => isInRange(record.ledger))
    },
    events: (range) =>
      history.events({ ...range, fromLedger: Math.max(range.fromLedger, oldest), untilLedger: Math.min(range.untilLedger, latest + 1) }),
  }
}

/** A copy of a history that can be spread, also when its methods are on a prototype. */
function plainHistory(history: History): History {
  return {
    latest: () => history.latest(),
    oldest: () => history.oldest(),
    ledger: (sequence) => history.ledger(sequence),
    ledgers: (from, limit) => history.ledgers(from, limit),
    transaction: (hash) => history.transaction(hash),
    transactionsAfter: (ledger, applicationOrder, limit) => history.transactionsAfter(ledger, applicationOrder, limit),
    events: (range) => history.events(range),
  }
}
