// The network's limits and fee rates, which are ledger entries that validators change by vote.

import { xdr } from '@stellar/stellar-sdk'

import { TEST_NETWORK_SETTINGS } from '../../exchange/contracts/resource-headroom.ts'
import type { NetworkSettings } from '../../exchange/contracts/resource-headroom.ts'
import type { LedgerEntry } from './responses.ts'

const { ConfigSettingId } = xdr

const settingKey = (configSettingId: xdr.ConfigSettingId): string =>
  xdr.LedgerKey.configSetting(new xdr.LedgerKeyConfigSetting({ configSettingId })).toXdr('base64')

/** The base64 LedgerKeys of the settings that readNetworkSettings decodes. */
export const NETWORK_SETTING_KEYS: readonly string[] = [
  ConfigSettingId.configSettingContractComputeV0,
  ConfigSettingId.configSettingContractLedgerCostV0,
  ConfigSettingId.configSettingContractLedgerCostExtV0,
  ConfigSettingId.configSettingContractHistoricalDataV0,
  ConfigSettingId.configSettingContractEventsV0,
  ConfigSettingId.configSettingContractBandwidthV0,
].map(settingKey)

/** The settings in these entries. Those that are missing, or out of any reasonable range, are the test network's. */
export function readNetworkSettings(entries: readonly LedgerEntry[]): NetworkSettings {
  const limits: Record<string, number> = { ...TEST_NETWORK_SETTINGS.limits }
  const fees: Record<string, bigint> = { ...TEST_NETWORK_SETTINGS.fees }
  const setLimit = (name: keyof NetworkSettings['limits'], value: number): void => void (isReasonable(value) && (limits[name] = value))
  const setFee = (name: keyof NetworkSettings['fees'], value: bigint): void => void (isReasonable(Number(value)) && (fees[name] = value))
  for (const setting of entries.map(decodeSetting)) {
    switch (setting?.type) {
      case 'configSettingContractComputeV0':
        setLimit('instructions', Number(setting.contractCompute.txMaxInstructions))
        setFee('per10000Instructions', setting.contractCompute.feeRatePerInstructionsIncrement)
        break
      case 'configSettingContractLedgerCostV0': {
        const ledgerCost = setting.contractLedgerCost
        setLimit('diskReadEntries', ledgerCost.txMaxDiskReadEntries)
        setLimit('diskReadBytes', ledgerCost.txMaxDiskReadBytes)
        setLimit('writeEntries', ledgerCost.txMaxWriteLedgerEntries)
        setLimit('writeBytes', ledgerCost.txMaxWriteBytes)
        setFee('perDiskReadEntry', ledgerCost.feeDiskReadLedgerEntry)
        setFee('perDiskReadKib', ledgerCost.feeDiskRead1Kb)
        setFee('perWriteEntry', ledgerCost.feeWriteLedgerEntry)
        // The rent depends on the size of the whole state. This is its upper bound until the state reaches its target size.
        setFee('rentPerKib', ledgerCost.rentFee1KbSorobanStateSizeHigh)
        break
      }
      case 'configSettingContractLedgerCostExtV0':
        setLimit('footprintEntries', setting.contractLedgerCostExt.txMaxFootprintEntries)
        setFee('perWriteKib', setting.contractLedgerCostExt.feeWrite1Kb)
        break
      case 'configSettingContractHistoricalDataV0':
        setFee('perHistoryKib', setting.contractHistoricalData.feeHistorical1Kb)
        break
      case 'configSettingContractEventsV0':
        setFee('perEventsKib', setting.contractEvents.feeContractEvents1Kb)
        break
      case 'configSettingContractBandwidthV0':
        setLimit('transactionBytes', setting.contractBandwidth.txMaxSizeBytes)
        setFee('perTransactionKib', setting.contractBandwidth.feeTxSize1Kb)
        break
      default:
    }
  }
  return { limits, fees } as unknown as NetworkSettings
}

/** Any other value is rejected: a fee of billions would be charged. */
const SETTING_MAX = 1_000_000_000
const isReasonable = (value: number): boolean => Number.isSafeInteger(value) && value > 0 && value <= SETTING_MAX

function decodeSetting({ dataXdr }: LedgerEntry): xdr.ConfigSettingEntry | undefined {
  try {
    const data = xdr.LedgerEntryData.fromXdr(dataXdr, 'base64')
    return data.type === 'configSetting' ? data.configSetting : undefined
  } catch {
    return undefined
  }
}
