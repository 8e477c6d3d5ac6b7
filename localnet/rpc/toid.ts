// Total order identifiers: ledger, transaction and operation in one 64-bit number whose order is the order of effects.

const LEDGER_SHIFT = 32n
const TRANSACTION_SHIFT = 12n
const TRANSACTION_MASK = 0xf_ffffn
const OPERATION_MASK = 0xfffn

/** The parts of an identifier. */
export interface Toid {
  readonly ledger: number
  readonly transaction: number
  readonly operation: number
}

/** Packs a position. */
export function toid(ledger: number, transaction: number, operation: number): bigint {
  return (BigInt(ledger) << LEDGER_SHIFT) | (BigInt(transaction) << TRANSACTION_SHIFT) | BigInt(operation)
}

/** Unpacks a position. */
export function parseToid(value: bigint): Toid {
  return {
    ledger: Number(value >> LEDGER_SHIFT),
    transaction: Number((value >> TRANSACTION_SHIFT) & TRANSACTION_MASK),
    operation: Number(value & OPERATION_MASK),
  }
}
