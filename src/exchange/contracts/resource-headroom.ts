// The resources and the fee of a transaction that declares more than its simulation used (soroban-rpc, "Ledger facts": limits and fees).

/** The network's limits per transaction, and its fee rates in stroops. */
export interface NetworkSettings {
  readonly limits: {
    readonly instructions: number
    readonly diskReadEntries: number
    readonly diskReadBytes: number
    readonly writeEntries: number
    readonly writeBytes: number
    readonly footprintEntries: number
    readonly transactionBytes: number
  }
  readonly fees: {
    readonly per10000Instructions: bigint
    readonly perDiskReadEntry: bigint
    readonly perDiskReadKib: bigint
    readonly perWriteEntry: bigint
    readonly perWriteKib: bigint
    readonly perTransactionKib: bigint
    readonly perHistoryKib: bigint
    readonly perEventsKib: bigint
    /** For one KiB that is kept for as many ledgers as RENT_LEDGERS_PER_FEE. */
    readonly rentPerKib: bigint
  }
}

/** The public test network's. They apply until the network's own have been read. */
export const TEST_NETWORK_SETTINGS: NetworkSettings = {
  limits: {
    instructions: 400_000_000, diskReadEntries: 200, diskReadBytes: 200_000, writeEntries: 200, writeBytes: 132_096, footprintEntries: 400,
    transactionBytes: 132_096,
  },
  fees: {
    per10000Instructions: 25n, perDiskReadEntry: 6_250n, perDiskReadKib: 1_786n, perWriteEntry: 10_000n, perWriteKib: 3_500n, perTransactionKib: 1_624n,
    perHistoryKib: 16_235n, perEventsKib: 10_000n, rentPerKib: 3_500n,
  },
}

/** The resources that a simulation declared. */
export interface DeclaredResources {
  readonly instructions: number
  readonly diskReadBytes: number
  readonly writeBytes: number
  readonly resourceFee: bigint
}

/** The entries that are declared besides those of the simulation. */
export interface AddedEntries {
  readonly entries: number
  /** Entries that were not declared as written before. */
  readonly writes: number
  /** Of these, ids that do not exist yet. At most one of them is used, in the place of the simulated one. */
  readonly nextIds: number
  /** Of the writes, entries that do not exist and that the call may create. */
  readonly created: number
  /** Trustlines. */
  readonly diskReads: number
  /** By which the encoded transaction grows. */
  readonly bytes: number
}

/** Another path takes other steps, and the lists of all positions and orders have grown. */
export const HEADROOM_PERCENT = 25
const INSTRUCTIONS_PER_ENTRY = 20_000
/** The size of an entry that only another path writes, and of one that is read from disk. */
const ENTRY_BYTES = 256
/** Two lists of ids of 12 bytes each: this many are added until the transaction is applied. */
const LIST_GROWTH_BYTES = 2 * 12 * 64
/** Events of another path. */
const EVENTS_GROWTH_BYTES = 1_024
/** Contracts keep what they write for this long, and the rent of one KiB for RENT_LEDGERS_PER_FEE costs one fee. */
const ENTRY_LEDGERS = 518_400
const RENT_LEDGERS_PER_FEE = 1_215
const KIB = 1_024

/** The resources with headroom for `added`, within the network's limits, and their fee. What is not used of the refundable part is paid back. */
export function withHeadroom(
  simulated: DeclaredResources, added: AddedEntries, { limits, fees }: NetworkSettings, percent = HEADROOM_PERCENT,
): DeclaredResources {
  const bounded = (value: number, headroom: number, limit: number): number => Math.max(value, Math.min(limit, value + Math.ceil(headroom)))
  const share = (value: number): number => (value * percent) / 100
  const instructions = bounded(simulated.instructions, share(simulated.instructions) + added.entries * INSTRUCTIONS_PER_ENTRY, limits.instructions)
  const branchWrites = added.writes - added.nextIds
  const writeBytes = bounded(simulated.writeBytes, share(simulated.writeBytes) + LIST_GROWTH_BYTES + branchWrites * ENTRY_BYTES, limits.writeBytes)
  const diskReadBytes = bounded(
    simulated.diskReadBytes, share(simulated.diskReadBytes) + (1 + added.diskReads) * ENTRY_BYTES, limits.diskReadBytes,
  )
  const nonRefundable =
    cost(instructions - simulated.instructions, fees.per10000Instructions, 10_000) +
    BigInt(added.diskReads) * fees.perDiskReadEntry +
    cost(diskReadBytes - simulated.diskReadBytes, fees.perDiskReadKib) +
    BigInt(added.writes) * fees.perWriteEntry +
    cost(writeBytes - simulated.writeBytes, fees.perWriteKib) +
    cost(added.bytes, fees.perTransactionKib) +
    cost(added.bytes, fees.perHistoryKib)
  const refundable = cost(EVENTS_GROWTH_BYTES, fees.perEventsKib) + (1n + BigInt(added.created)) * rentOf(ENTRY_BYTES, fees.rentPerKib)
  return { instructions, diskReadBytes, writeBytes, resourceFee: simulated.resourceFee + nonRefundable + refundable }
}

/** Rounded up, so that rounding the whole and its parts differs by nothing that matters. */
function cost(amount: number, rate: bigint, per: number = KIB): bigint {
  return (BigInt(amount) * rate + BigInt(per) - 1n) / BigInt(per)
}

function rentOf(bytes: number, rate: bigint): bigint {
  return cost(bytes * ENTRY_LEDGERS, rate, KIB * RENT_LEDGERS_PER_FEE)
}
