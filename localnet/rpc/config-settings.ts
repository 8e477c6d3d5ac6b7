// The network's settings as ledger entries: the limits that validation enforces and the rates that fees are computed with.

import { xdr } from '@stellar/stellar-sdk'
import {
  DISK_READ_BYTES_MAX, DISK_READ_ENTRIES_MAX, EVENTS_BYTES_MAX, FOOTPRINT_ENTRIES_MAX, INSTRUCTIONS_MAX, SOROBAN_TRANSACTIONS_PER_LEDGER, TX_BYTES_MAX,
  WRITE_BYTES_MAX, WRITE_ENTRIES_MAX,
} from '../ledger/constants.ts'
import { FEE_RATES } from '../ledger/fees.ts'

const MEMORY_MAX_BYTES = 41_943_040

/** Everything that one transaction may use, for a full ledger. */
const perLedger = (perTransaction: number): number => perTransaction * SOROBAN_TRANSACTIONS_PER_LEDGER

const SETTINGS: readonly xdr.ConfigSettingEntry[] = [
  xdr.ConfigSettingEntry.configSettingContractComputeV0(new xdr.ConfigSettingContractComputeV0({
    ledgerMaxInstructions: BigInt(perLedger(INSTRUCTIONS_MAX)), txMaxInstructions: BigInt(INSTRUCTIONS_MAX),
    feeRatePerInstructionsIncrement: FEE_RATES.per10000Instructions, txMemoryLimit: MEMORY_MAX_BYTES,
  })),
  xdr.ConfigSettingEntry.configSettingContractLedgerCostV0(new xdr.ConfigSettingContractLedgerCostV0({
    ledgerMaxDiskReadEntries: perLedger(DISK_READ_ENTRIES_MAX), ledgerMaxDiskReadBytes: perLedger(DISK_READ_BYTES_MAX),
    ledgerMaxWriteLedgerEntries: perLedger(WRITE_ENTRIES_MAX), ledgerMaxWriteBytes: perLedger(WRITE_BYTES_MAX),
    txMaxDiskReadEntries: DISK_READ_ENTRIES_MAX, txMaxDiskReadBytes: DISK_READ_BYTES_MAX, txMaxWriteLedgerEntries: WRITE_ENTRIES_MAX,
    txMaxWriteBytes: WRITE_BYTES_MAX, feeDiskReadLedgerEntry: FEE_RATES.perDiskReadEntry, feeWriteLedgerEntry: FEE_RATES.perWriteEntry,
    feeDiskRead1Kb: FEE_RATES.perDiskReadKib, sorobanStateTargetSizeBytes: 1n, rentFee1KbSorobanStateSizeLow: FEE_RATES.perWriteKib,
    rentFee1KbSorobanStateSizeHigh: FEE_RATES.perWriteKib, sorobanStateRentFeeGrowthFactor: 1,
  })),
  xdr.ConfigSettingEntry.configSettingContractLedgerCostExtV0(new xdr.ConfigSettingContractLedgerCostExtV0({
    txMaxFootprintEntries: FOOTPRINT_ENTRIES_MAX, feeWrite1Kb: FEE_RATES.perWriteKib,
  })),
  xdr.ConfigSettingEntry.configSettingContractHistoricalDataV0(new xdr.ConfigSettingContractHistoricalDataV0({ feeHistorical1Kb: FEE_RATES.perHistoryKib })),
  xdr.ConfigSettingEntry.configSettingContractEventsV0(new xdr.ConfigSettingContractEventsV0({
    txMaxContractEventsSizeBytes: EVENTS_BYTES_MAX, feeContractEvents1Kb: FEE_RATES.perEventsKib,
  })),
  xdr.ConfigSettingEntry.configSettingContractBandwidthV0(new xdr.ConfigSettingContractBandwidthV0({
    ledgerMaxTxsSizeBytes: perLedger(TX_BYTES_MAX), txMaxSizeBytes: TX_BYTES_MAX, feeTxSize1Kb: FEE_RATES.perTxKib,
  })),
]

/** LedgerEntryData of each setting, by its LedgerKey. Both base64. */
export const CONFIG_SETTING_ENTRIES: ReadonlyMap<string, string> = new Map(
  SETTINGS.map((setting) => [
    xdr.LedgerKey.configSetting(new xdr.LedgerKeyConfigSetting({ configSettingId: xdr.ConfigSettingId.fromName(setting.type) })).toXdr('base64'),
    xdr.LedgerEntryData.configSetting(setting).toXdr('base64'),
  ]),
)
