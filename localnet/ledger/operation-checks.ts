// Checks of an operation that need no ledger state: its threshold, and whether it is well-formed and supported.

import type { xdr } from '@stellar/stellar-sdk'
import { TTL_MAX_LEDGERS } from './constants.ts'
import { type AccountEntry, ENTRY_TYPE } from './entries.ts'
import { assetText } from './entry-decoder.ts'
import { entryTypeOf, isTemporaryKey, type LedgerKey } from './keys.ts'
import { keyBytes } from '../scval.ts'
import { accountAddress, issuerOf } from './addresses.ts'
import { type Operation, readMuxedAccount, type SorobanData } from './envelope.ts'
import { OP_CODES, operationResult, type OperationResult } from './results.ts'

/** The signature weight that an operation needs from its source account. */
export function thresholdOf(operation: Operation, account: AccountEntry): number {
  const [, low, medium, high] = account.thresholds
  const { body } = operation
  switch (body.type) {
    case 'bumpSequence':
    case 'extendFootprintTtl':
    case 'restoreFootprint':
    case 'inflation':
    case 'allowTrust':
    case 'setTrustLineFlags':
    case 'claimClaimableBalance':
      return low
    case 'accountMerge':
      return high
    case 'setOptions':
      return changesSigning(body.setOptionsOp) ? high : medium
    default:
      return medium
  }
}

function changesSigning({ masterWeight, lowThreshold, medThreshold, highThreshold, signer }: xdr.SetOptionsOp): boolean {
  return [masterWeight, lowThreshold, medThreshold, highThreshold, signer].some((value) => value !== null)
}

const WEIGHT_MAX = 255
const HOME_DOMAIN = /^[\x20-\x7e]{0,32}$/u
const DATA_NAME = /^[\x20-\x7e]{1,64}$/u
const ASSET_CODE = /^[a-zA-Z0-9]{1,12}$/u

const isValidAsset = (asset: string): boolean => asset === 'native' || ASSET_CODE.test(asset.split(':')[0] ?? '')

/** The failure result of a malformed or unsupported operation; undefined when it can be applied. */
export function checkOperation(operation: Operation, soroban: SorobanData | null): OperationResult | undefined {
  const { body, source } = operation
  switch (body.type) {
    case 'createAccount': {
      const { destination, startingBalance } = body.createAccountOp
      const malformed = startingBalance < 0n || accountAddress(keyBytes(destination)) === source
      return malformed ? operationResult('createAccount', OP_CODES.createAccount.malformed) : undefined
    }
    case 'payment': {
      const { amount, asset } = body.paymentOp
      return amount <= 0n || !isValidAsset(assetText(asset)) ? operationResult('payment', OP_CODES.payment.malformed) : undefined
    }
    case 'changeTrust':
      return checkChangeTrust(body.changeTrustOp, source)
    case 'manageData': {
      const name = body.manageDataOp.dataName.toString()
      return DATA_NAME.test(name) ? undefined : operationResult('manageData', OP_CODES.manageData.invalidName)
    }
    case 'bumpSequence':
      return body.bumpSequenceOp.bumpTo < 0n ? operationResult('bumpSequence', OP_CODES.bumpSequence.badSeq) : undefined
    case 'setOptions':
      return checkSetOptions(body.setOptionsOp, source)
    case 'invokeHostFunction':
      return body.invokeHostFunctionOp.hostFunction.type === 'hostFunctionTypeInvokeContract' ? undefined : { kind: 'notSupported' }
    case 'extendFootprintTtl':
      return checkExtend(body.extendFootprintTtlOp.extendTo, soroban)
    case 'restoreFootprint':
      return checkRestore(soroban)
    default:
      return { kind: 'notSupported' }
  }
}

function checkChangeTrust({ line, limit }: xdr.ChangeTrustOp, source: string): OperationResult | undefined {
  if (line.type === 'assetTypePoolShare') return { kind: 'notSupported' }
  const asset = assetText(line)
  const malformed = limit < 0n || asset === 'native' || !isValidAsset(asset) || issuerOf(asset) === source
  return malformed ? operationResult('changeTrust', OP_CODES.changeTrust.malformed) : undefined
}

function checkSetOptions(op: xdr.SetOptionsOp, source: string): OperationResult | undefined {
  const codes = OP_CODES.setOptions
  if (op.inflationDest !== null || op.setFlags !== null || op.clearFlags !== null) return { kind: 'notSupported' }
  const weights = [op.masterWeight, op.lowThreshold, op.medThreshold, op.highThreshold]
  if (weights.some((weight) => weight !== null && weight > WEIGHT_MAX)) return operationResult('setOptions', codes.thresholdOutOfRange)
  if (op.homeDomain !== null && !HOME_DOMAIN.test(op.homeDomain.toString())) return operationResult('setOptions', codes.invalidHomeDomain)
  if (op.signer === null) return undefined
  // Pre-authorized transaction and hash signers are not supported.
  if (op.signer.key.type !== 'signerKeyTypeEd25519') return { kind: 'notSupported' }
  const malformed = op.signer.weight > WEIGHT_MAX || accountAddress(op.signer.key.ed25519.value) === source
  return malformed ? operationResult('setOptions', codes.badSigner) : undefined
}

const isContractEntry = (key: LedgerKey): boolean => {
  const type = entryTypeOf(key)
  return type === ENTRY_TYPE.contractData || type === ENTRY_TYPE.contractCode
}

function checkExtend(extendTo: number, soroban: SorobanData | null): OperationResult | undefined {
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {}
  const malformed = readWrite.length > 0 || extendTo > TTL_MAX_LEDGERS - 1 || !readOnly.every(isContractEntry)
  return malformed ? operationResult('extendFootprintTtl', OP_CODES.extendFootprintTtl.malformed) : undefined
}

function checkRestore(soroban: SorobanData | null): OperationResult | undefined {
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {}
  const malformed = readOnly.length > 0 || !readWrite.every((key) => isContractEntry(key) && !isTemporaryKey(key))
  return malformed ? operationResult('restoreFootprint', OP_CODES.restoreFootprint.malformed) : undefined
}

export const destinationOf = (payment: xdr.PaymentOp) => readMuxedAccount(payment.destination)
