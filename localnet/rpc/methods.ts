// The standard JSON-RPC methods by name.

import { getEvents } from './getEvents.ts'
import { getFeeStats } from './getFeeStats.ts'
import { getHealth } from './getHealth.ts'
import { getLatestLedger } from './getLatestLedger.ts'
import { getLedgerEntries } from './getLedgerEntries.ts'
import { getLedgers } from './getLedgers.ts'
import { getNetwork } from './getNetwork.ts'
import { getTransaction } from './getTransaction.ts'
import { getTransactions } from './getTransactions.ts'
import { getVersionInfo } from './getVersionInfo.ts'
import type { RpcMethod } from './method.ts'
import { sendTransaction } from './sendTransaction.ts'
import { simulateTransaction } from './simulateTransaction.ts'

/** The methods of a real node. */
export const METHODS: ReadonlyMap<string, RpcMethod> = new Map<string, RpcMethod>(
  Object.entries({
    getHealth,
    getNetwork,
    getVersionInfo,
    getLatestLedger,
    getFeeStats,
    getLedgers,
    getLedgerEntries,
    getTransaction,
    getTransactions,
    getEvents,
    simulateTransaction,
    sendTransaction,
  }),
)
